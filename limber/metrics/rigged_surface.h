// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/metrics/rig_metrics.h"
#include "limber/metrics/skin_metrics.h"
#include "limber/rig/rig_text.h"
#include "limber/rig/subject.h"

namespace limber::metrics {

/// A skinned surface with its skeleton, whatever file it came from: what the rig metrics compare.
struct RiggedSurface {
  SkeletonGraph skeleton;     ///< at rest
  std::vector<Vec3d> points;  ///< at rest, in the space of the skeleton
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<SkinRow> weights;  ///< per point, by joint; empty rows where there are none
  std::vector<bool> skinned;     ///< per point: its mesh has a skin, instead of hanging on a joint as a whole
};

/// At rest, in the asset's world.
RiggedSurface rigged_surface(const asset::Asset& asset, const rig::Subject& subject);
RiggedSurface rigged_surface(const rig::TextRig& rig, const rig::TextSurface& surface);

/// Without the joints that no point follows: roots, IK targets and end sites are no part of what a rig is judged by.
/// Their children go to the nearest joint above that stays. Nothing changes where no point has any weight.
RiggedSurface without_idle_joints(RiggedSurface surface);

/// Per joint of `from` its counterpart in `to`: by name, else the nearest within `tolerance`; -1 for none.
std::vector<int> matching_joints(const SkeletonGraph& from, const SkeletonGraph& to, double tolerance);

/// The weights of `from` at the points of `to`, in the joints of `to`. Where both have the same points in the same
/// order they are taken one by one, else from the nearest point of the surface; `transferred` tells which.
struct MatchedWeights {
  std::vector<SkinRow> rows;
  bool transferred = false;
  int unmatched_joints = 0;  ///< of `from`, with weight but without counterpart: their weight is lost
};
MatchedWeights match_weights(const RiggedSurface& from, const RiggedSurface& to);

}  // namespace limber::metrics
