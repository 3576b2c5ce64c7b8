// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"

/// What bodies are made of, whatever their skeletons call it.
namespace limber::anatomy {

/// Parts that bodies of all kinds are made of. Limbs have three sections (upper, lower, end) and two sides.
enum class Region : std::uint8_t {
  kTrunk,
  kNeck,
  kHead,
  kTail,
  kFrontUpperLeft,  ///< arms, forelegs
  kFrontUpperRight,
  kFrontLowerLeft,
  kFrontLowerRight,
  kFrontEndLeft,
  kFrontEndRight,
  kHindUpperLeft,  ///< legs, hind legs
  kHindUpperRight,
  kHindLowerLeft,
  kHindLowerRight,
  kHindEndLeft,
  kHindEndRight,
  kMiddleLeft,  ///< legs of insects and spiders between the first and the last pair
  kMiddleRight,
  kWingLeft,  ///< wings; side fins of fish
  kWingRight,
  kFin,   ///< dorsal and other unpaired fins
  kOther  ///< what is worn or held
};
inline constexpr int kRegionCount = 22;

/// Front and hind limbs; their section: 0 upper, 1 lower, 2 end; and the upper section of the same limb.
inline bool is_limb(Region region) { return region >= Region::kFrontUpperLeft && region <= Region::kHindEndRight; }
inline int limb_section(Region region) {
  return (static_cast<int>(region) - static_cast<int>(Region::kFrontUpperLeft)) % 6 / 2;
}
inline Region upper_section(Region region) {
  return static_cast<Region>(static_cast<int>(region) - 2 * limb_section(region));
}

Region mirrored(Region region);        ///< left <-> right
std::string_view name(Region region);  ///< "front upper left"

/// Kinds of body, named as the templates are.
enum class BodyKind : std::uint8_t {
  kHumanoid,
  kQuadruped,
  kLizard,
  kBird,
  kTheropod,
  kHexapod,
  kOctopod,
  kFish,
  kSnake,
  kOther
};
inline constexpr int kBodyKindCount = 10;
std::string_view name(BodyKind kind);  ///< "quadruped"
std::optional<BodyKind> kind_named(std::string_view name);

/// What the joints of a skeleton are parts of, by their names and their place in the tree: one per joint. `places` are
/// those of the joints at rest, +Y up, facing +Z, so that +X is left; parents come before their children. A joint
/// belongs to the part that its bone is in, and the bone starts at the joint: a knee to the shin. A joint whose name
/// says nothing belongs to what its parent does; the root to the trunk. `kind` settles what names leave open: whether
/// the "leg" of a quadruped is in front or behind is told by its place.
std::vector<Region> joint_regions(std::span<const std::string> names, std::span<const int> parents,
                                  std::span<const Vec3d> places, BodyKind kind);

}  // namespace limber::anatomy
