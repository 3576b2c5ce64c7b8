// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "limber/asset/asset.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

/// Whether a motion tears the skin. The two numbers belong together: a frozen body does not stretch.
namespace limber::metrics {

struct SkinStretch {
  /// Over all edges and frames, what one in a thousand exceeds: how many times an edge is as long as at rest, or as
  /// short. Good motions have 1.7 to 3, torn ankles 5 to 9; of one in a hundred an ankle is not seen.
  double stretch = 1;
  double movement = 0;  ///< mean speed of the joints against the root, in heights a second
};

/// Edges that are shorter than `kShortestEdge` at rest are left out: rounding and harmless folds make anything of their
/// ratio, and nobody sees them. So are edges in the frames that shrink them below that: clips hide things so.
SkinStretch skin_stretch(const rig::Subject& subject, const kinematics::Motion& motion);

inline constexpr float kShortestEdge = 2e-4f;  ///< of the height

/// The largest stretch of the asset's own clips; none where it has none. `subject` is the asset's.
std::optional<double> own_stretch(const asset::Asset& asset, const rig::Subject& subject);

/// For a person, where the skin is stretched half as much again as in the asset's own clips, or without any above
/// `kTornSkin`; none where all is well.
std::optional<std::string> stretch_warning(const SkinStretch& skin, std::optional<double> own);

inline constexpr double kTornSkin = 3.5, kBeyondOwn = 1.5;

}  // namespace limber::metrics
