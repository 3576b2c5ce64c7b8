// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/warning.h"
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

/// What the asset's own clips have: the middle one's stretch, so that one clip that tears does not excuse others. None
/// where it has no clip. `subject` is the asset's.
std::optional<double> own_stretch(const asset::Asset& asset, const rig::Subject& subject);

/// Of every clip of the asset, looked at in a few frames; none of what cannot be played. And the middle one of them,
/// leaving out the one that is judged by it.
std::vector<std::optional<double>> clip_stretches(const asset::Asset& asset, const rig::Subject& subject);
std::optional<double> middle_stretch(std::span<const std::optional<double>> clips, int left_out = -1);

/// The stretch above which a motion is warned of: half as much again as the asset's own clips have, but never more than
/// `kTornSkin`, unless those have more themselves; without any, `kTornSkin`.
double allowed_stretch(std::optional<double> own);

/// Where the skin is stretched more than is allowed; none where all is well.
std::optional<Warning> stretch_warning(const SkinStretch& skin, std::optional<double> own);

inline constexpr double kTornSkin = 3.5, kBeyondOwn = 1.5;

}  // namespace limber::metrics
