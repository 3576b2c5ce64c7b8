// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/anatomy/region.h"
#include "limber/base/math.h"
#include "limber/rig/role.h"

/// Limbs one by one, from what points of a skin say of the limb that they are of.
namespace limber::anatomy {

/// Shares of 0, 1 ... 7, and 8 (kMany) or more limbs, per kind of limb.
inline constexpr int kMany = 8;
using LimbCounts = std::array<std::array<float, kMany + 1>, rig::kLimbKindCount>;

/// A limb of a body that has no skeleton yet.
struct ReadLimb {
  rig::LimbKind kind = rig::LimbKind::kTrunk;
  rig::Side side = rig::Side::kMiddle;
  int parent = -1;            ///< the limb that it leaves, smaller than its own index; -1 for the trunk
  Vec3d root, tip;            ///< where it leaves, and ends; of the trunk, hips and shoulders
  std::vector<Vec3d> starts;  ///< of its sections, the root first: hip, knee, ankle
  std::vector<int> points;    ///< of the reading, that are of it
  double confidence = 0;      ///< 0 to 1
};

/// What one point of the skin says.
struct LimbVote {
  Vec3d point;
  std::array<float, rig::kLimbKindCount> kinds{};  ///< shares
  std::array<float, 3> sides{};                    ///< shares, by rig::Side
  float along = 0;                                 ///< how far along the limb, 0 to 1
  Vec3d root, tip;                                 ///< of its limb
  Region region = Region::kTrunk;                  ///< the likeliest
  Vec3d start;                                     ///< where the joint is that starts that region
};

/// Points that vote for the same two ends are of one limb, so that ten legs are told apart without a name for each. How
/// close votes must be, and which small groups are dropped, is what agrees best with `counts`. `up` and `forward` tell
/// left from right where points waver. Deterministic; the square of the number of votes in time.
std::vector<ReadLimb> limbs_from_votes(std::span<const LimbVote> votes, const LimbCounts& counts, Vec3d up,
                                       Vec3d forward);

}  // namespace limber::anatomy
