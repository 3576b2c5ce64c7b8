// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/limb_map.h"

#include <algorithm>
#include <string>

#include "limber/anatomy/region.h"
#include "limber/base/at.h"

namespace limber::retarget {
namespace {

using anatomy::Region;

std::vector<Region> regions_of(const rig::Rig& rig, std::span<const Vec3d> places) {
  std::vector<std::string> names;
  std::vector<int> parents;
  for (const rig::Joint& joint : rig.joints()) names.push_back(joint.name), parents.push_back(joint.parent);
  return anatomy::joint_regions(names, parents, places, anatomy::BodyKind::kHumanoid);
}

bool is_below(const rig::Rig& rig, int joint, int ancestor) {
  while (joint > ancestor) joint = rig.joints()[at(joint)].parent;
  return joint == ancestor;
}

int common_ancestor(const rig::Rig& rig, int a, int b) {
  while (!is_below(rig, b, a)) a = rig.joints()[at(a)].parent;
  return a;
}

/// The first joint of a region, and those of the same region that hang on it, each on the one before.
std::vector<int> chain_of(const rig::Rig& rig, std::span<const Region> regions, Region region) {
  std::vector<int> chain;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (regions[at(j)] != region) continue;
    if (chain.empty() || rig.joints()[at(j)].parent == chain.back()) chain.push_back(j);
  }
  return chain;
}

/// From `low` up to `high`, which hangs on it, `low` first.
std::vector<int> path_between(const rig::Rig& rig, int low, int high) {
  std::vector<int> path;
  for (int j = high; j > low; j = rig.joints()[at(j)].parent) path.push_back(j);
  path.push_back(low);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

double LimbMap::leg_length(int side) const {
  const Vec3d hip = place(sided(LimbPart::kThigh, side)), knee = place(sided(LimbPart::kShin, side));
  return norm(knee - hip) + norm(place(sided(LimbPart::kFoot, side)) - knee);
}

std::optional<LimbMap> find_limb_map(const rig::Rig& rig) {
  LimbMap map;
  for (const Affine& joint : rig.world_from_rest()) map.places.push_back(joint.translation.cast<double>());
  const std::vector<Region> regions = regions_of(rig, map.places);
  const auto set = [&](LimbPart part, Region region) {
    map.joints[static_cast<std::size_t>(part)] = chain_of(rig, regions, region);
  };
  set(LimbPart::kNeck, Region::kNeck), set(LimbPart::kHead, Region::kHead);
  constexpr std::array<LimbPart, 6> kParts{LimbPart::kUpperArm, LimbPart::kForearm, LimbPart::kHand,
                                           LimbPart::kThigh,    LimbPart::kShin,    LimbPart::kFoot};
  for (int i = 0; i < 12; ++i) {
    set(sided(kParts[at(i / 2)], i % 2), static_cast<Region>(static_cast<int>(Region::kFrontUpperLeft) + i));
  }
  // A chain that is broken, as where feet hang on the root, would tear.
  for (int side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      const std::vector<int>& chain = map.of(sided(kParts[i], side));
      const bool optional = kParts[i] == LimbPart::kHand;
      if (chain.empty() && !optional) return std::nullopt;
      if (i % 3 == 0 || chain.empty()) continue;
      if (!is_below(rig, chain.front(), map.first(sided(kParts[i - 1], side)))) return std::nullopt;
    }
    if (!(map.leg_length(side) > 1e-3)) return std::nullopt;
    const bool stands = map.place(sided(LimbPart::kFoot, side)).y < map.place(sided(LimbPart::kThigh, side)).y;
    if (!stands) return std::nullopt;
  }

  const int legs = common_ancestor(rig, map.first(LimbPart::kThigh), map.first(LimbPart::kThighRight));
  const int chest = common_ancestor(rig, map.first(LimbPart::kUpperArm), map.first(LimbPart::kUpperArmRight));
  // Upright: arms are above legs.
  if (!(map.place(LimbPart::kUpperArm).y > map.place(LimbPart::kThigh).y)) return std::nullopt;
  map.joints[static_cast<std::size_t>(LimbPart::kTrunk)] = path_between(rig, common_ancestor(rig, legs, chest), chest);
  for (int side = 0; side < 2; ++side) {
    const int arm = map.first(sided(LimbPart::kUpperArm, side));
    std::vector<int> girdle = path_between(rig, chest, arm);
    girdle.erase(girdle.begin());
    if (!girdle.empty()) girdle.pop_back();
    map.joints[static_cast<std::size_t>(sided(LimbPart::kGirdle, side))] = std::move(girdle);
  }
  return map;
}

}  // namespace limber::retarget
