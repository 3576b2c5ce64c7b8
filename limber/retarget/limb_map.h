// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/rig.h"

/// The joints of an upright body with two arms and two legs, by what they are.
namespace limber::retarget {

/// Parts that turn as one; in lists, left before right.
enum class LimbPart : std::uint8_t {
  kTrunk,  ///< from the joint that carries all limbs to the one that carries the arms
  kNeck,
  kHead,
  kGirdle,  ///< shoulders, before the arm
  kGirdleRight,
  kUpperArm,
  kUpperArmRight,
  kForearm,
  kForearmRight,
  kHand,
  kHandRight,
  kThigh,
  kThighRight,
  kShin,
  kShinRight,
  kFoot,
  kFootRight
};
inline constexpr std::size_t kLimbPartCount = 17;
inline LimbPart sided(LimbPart left, int side) {
  return static_cast<LimbPart>(static_cast<int>(left) + (side == 0 ? 0 : 1));
}

struct LimbMap {
  std::array<std::vector<int>, kLimbPartCount> joints;  ///< per part, from the trunk outward; some parts may be empty
  std::vector<Vec3d> places;                            ///< per joint, at rest

  const std::vector<int>& of(LimbPart part) const { return joints[static_cast<std::size_t>(part)]; }
  int first(LimbPart part) const { return of(part).front(); }
  Vec3d place(LimbPart part) const { return places[static_cast<std::size_t>(first(part))]; }
  /// Hip to knee to ankle, at rest.
  double leg_length(int side) const;
};

/// None where the rig is no such body. It must face +Z, +Y up.
std::optional<LimbMap> find_limb_map(const rig::Rig& rig);

}  // namespace limber::retarget
