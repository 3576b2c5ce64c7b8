// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/autorig/auto_rig.h"
#include "limber/base/math.h"
#include "limber/body/weld.h"
#include "limber/rig/static_subject.h"
#include "limber/skeleton/plan.h"

/// Bodies are studied in an attitude of their own, whatever that of their file is, and what is found is turned back.
/// So a body gets the same rig whichever axis of its file is up, and its mirror image gets the mirror image of that
/// rig. Private to `autorig`.
namespace limber::autorig {

/// The attitude in which a body is studied: standing along +Y and looking along +Z, as far as a look tells.
struct Attitude {
  /// Orthogonal. Where nobody asked for an up that is askew, numbers change places and signs alone, so that bodies in
  /// different attitudes become the same body to the last bit, however little is believed of the look.
  Mat3d study_from_asset = Mat3d::identity();
  bool mirrored = false;  ///< studied in a mirror: what is left there is right in the asset
  bool looked = false;    ///< false: nobody who knows bodies was asked, and files are believed
  double trust = 0;       ///< 0 to 1: how far to believe the look; 0 where it is not believed
  /// How the body stands and looks where its skeleton does not tell, in the space of the study: as asked, as the look
  /// had it, or, where it is not believed, as files usually have bodies (+Y up and +Z forward in the asset).
  Vec3d up{0, 1, 0}, forward{0, 0, 1};

  /// Nothing but the file tells how the body stands: another attitude of the file might give another rig.
  bool by_file_alone() const { return looked && trust == 0; }
};

/// Looks at the body from where its own axes have it, by the settings' reader; where that is not believed, with each of
/// its axes up. What the settings say of up and forward counts more. Without a reader, and where there is nothing but a
/// sheet to look at: as the file has it.
Attitude find_attitude(const rig::ShownGeometry& shown, const AutoRigSettings& settings);

/// What is shown, as it is studied: one high, standing on the ground.
struct StudiedSurface {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
  Affined study_from_asset;
};
StudiedSurface make_studied(const rig::ShownGeometry& shown, const Mat3d& study_from_asset);

/// The same plan in another space.
skeleton::SkeletonPlan moved(skeleton::SkeletonPlan plan, const Affined& there_from_here);

/// "hip.R" for "hip.L"; names without a side stay.
std::string other_side(const std::string& name);

/// The plan as the mirror image calls it: left is right. Nothing moves.
void exchange_sides(skeleton::SkeletonPlan& plan);

}  // namespace limber::autorig
