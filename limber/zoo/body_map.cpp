// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_map.h"

#include <algorithm>
#include <cmath>

namespace limber::zoo {
namespace {

Vec3d rest_of(const rig::Rig& rig, int joint) {
  return rig.world_from_rest()[static_cast<std::size_t>(joint)].translation.cast<double>();
}

/// The joints of every limb. Parents come before children in a rig, so each list runs from root to tip.
std::vector<Chain> chains_of(const rig::Rig& rig) {
  std::vector<Chain> chains(rig.limbs().size());
  for (std::size_t l = 0; l < chains.size(); ++l) {
    const rig::Limb& limb = rig.limbs()[l];
    chains[l].side = limb.side == rig::Side::kLeft ? 1 : limb.side == rig::Side::kRight ? -1 : 0;
    chains[l].station = limb.station;
  }
  for (const rig::Limb& limb : rig.limbs()) {
    if (limb.kind == rig::LimbKind::kProp && limb.parent >= 0)
      chains[static_cast<std::size_t>(limb.parent)].holds = true;
  }
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int limb = rig.joints()[static_cast<std::size_t>(j)].role.limb;
    if (limb >= 0) chains[static_cast<std::size_t>(limb)].joints.push_back(j);
  }
  return chains;
}

/// Splits the trunk into what leads from the root to the front, and what trails behind it (an insect's abdomen).
void read_trunk(const rig::Rig& rig, const Chain& trunk, BodyMap& map, Chain& behind) {
  std::vector<bool> trails(static_cast<std::size_t>(rig.joint_count()), false);
  for (const int joint : trunk.joints) {
    const int parent = rig.joints()[static_cast<std::size_t>(joint)].parent;
    if (parent < 0) continue;
    const Vec3d out = rest_of(rig, joint) - rest_of(rig, map.root);
    const bool leaves = parent == map.root;
    const bool trailing = leaves ? out.z < -std::abs(out.y) && out.z < 0 : trails[static_cast<std::size_t>(parent)];
    trails[static_cast<std::size_t>(joint)] = trailing;
    (trailing ? behind.joints : map.spine).push_back(joint);
  }
}

void sort_limbs(const rig::Rig& rig, const std::vector<Chain>& chains, BodyMap& map) {
  for (std::size_t l = 1; l < chains.size(); ++l) {
    const Chain& chain = chains[l];
    if (chain.joints.empty()) continue;
    const rig::Limb& limb = rig.limbs()[l];
    switch (limb.kind) {
      case rig::LimbKind::kNeck:
        map.necks.push_back(chain);
        break;
      case rig::LimbKind::kHead:
        map.heads.push_back(chain.joints.front());
        break;
      case rig::LimbKind::kJaw:
        map.jaws.push_back(chain);
        break;
      case rig::LimbKind::kAntenna:
        map.feelers.push_back(chain);
        break;
      case rig::LimbKind::kTail:
        map.tails.push_back(chain);
        break;
      case rig::LimbKind::kArm:
        map.arms.push_back(chain);
        break;
      case rig::LimbKind::kWing:
        map.wings.push_back(chain);
        break;
      case rig::LimbKind::kTentacle:
        map.tentacles.push_back(chain);
        break;
      case rig::LimbKind::kFin:
        if (chain.side == 0) break;
        if (rig.limbs()[static_cast<std::size_t>(limb.parent)].kind == rig::LimbKind::kTail) {
          map.flukes = true;
        } else {
          map.fins.push_back(chain);
        }
        break;
      default:
        break;
    }
  }
}

/// Whether the flesh of a joint is broader than it is high.
bool is_flat(const Creature& creature, int joint) {
  const auto stride = static_cast<std::size_t>(creature.subject.weights.stride);
  Vec3 lower{1e9f, 1e9f, 1e9f}, upper{-1e9f, -1e9f, -1e9f};
  for (std::size_t v = 0; v < creature.subject.points.size(); ++v) {
    if (creature.subject.weights.bones[v * stride] != joint) continue;
    lower = min(lower, creature.subject.points[v]), upper = max(upper, creature.subject.points[v]);
  }
  return upper.x - lower.x > 1.3f * (upper.y - lower.y);
}

/// Tails and things worn that lie on the ground, or nearly.
void find_trains(const Creature& creature, const std::vector<Chain>& chains, BodyMap& map) {
  const rig::Rig& rig = creature.subject.rig;
  std::vector<float> lowest(static_cast<std::size_t>(rig.joint_count()), 1e9f);
  const auto stride = static_cast<std::size_t>(creature.subject.weights.stride);
  for (std::size_t v = 0; v < creature.subject.points.size(); ++v) {
    float& low = lowest[creature.subject.weights.bones[v * stride]];
    low = std::min(low, creature.subject.points[v].y);
  }
  for (std::size_t l = 0; l < chains.size(); ++l) {
    const rig::LimbKind kind = rig.limbs()[l].kind;
    if (kind != rig::LimbKind::kTail && kind != rig::LimbKind::kProp) continue;
    const auto low = [&](int joint) { return lowest[static_cast<std::size_t>(joint)] < 0.04f; };
    if (std::any_of(chains[l].joints.begin(), chains[l].joints.end(), low)) map.trains.push_back(chains[l]);
  }
}

/// Whether it stands, lies or floats.
void read_habit(const Creature& creature, BodyMap& map) {
  const rig::Rig& rig = creature.subject.rig;
  if (map.chest >= 0) {
    const Vec3d up = rest_of(rig, map.chest) - rest_of(rig, map.root);
    map.upright = up.y > 1.7 * std::abs(up.z);
  }
  map.crawls = !creature.legs.empty();
  for (const Leg& leg : creature.legs) {
    map.leg_pairs = std::max(map.leg_pairs, leg.pair + 1);
    map.crawls &= leg.kind == LegKind::kPoint || leg.kind == LegKind::kSprawling || leg.kind == LegKind::kChain;
  }
  for (const Leg& leg : creature.legs) map.fixed |= rest_of(rig, leg.joints.back()).y + leg.tip.y > 0.02;
  if (!creature.legs.empty()) return;
  Vec3 lower{1e9f, 1e9f, 1e9f}, upper{-1e9f, -1e9f, -1e9f};
  for (const Vec3& point : creature.subject.points) lower = min(lower, point), upper = max(upper, point);
  const std::size_t links = map.spine.size() + (map.tails.empty() ? 0 : map.tails.front().joints.size());
  const bool off_ground = lower.y > 0.01f * (upper.y - lower.y) + 0.005f;
  map.floats = off_ground || !map.fins.empty() || !map.tentacles.empty();
  map.aground = map.floats && !off_ground;
  map.flukes |= !map.tails.empty() && is_flat(creature, map.tails.front().joints.back());
  map.serpentine = !map.floats && links >= 6 && upper.z - lower.z > 3 * (upper.y - lower.y);
  map.rooted = !map.floats && !map.serpentine;
}

}  // namespace

BodyMap read_body(const Creature& creature) {
  const rig::Rig& rig = creature.subject.rig;
  BodyMap map;
  const std::vector<Chain> chains = chains_of(rig);
  Chain behind;
  if (!chains.empty()) read_trunk(rig, chains.front(), map, behind);
  sort_limbs(rig, chains, map);
  if (!map.spine.empty()) map.chest = map.spine.back();
  if (!map.heads.empty()) map.head = map.heads.front();
  if (map.tails.empty() && !behind.joints.empty()) map.tails.push_back(std::move(behind));
  read_habit(creature, map);
  if (!creature.legs.empty()) find_trains(creature, chains, map);
  return map;
}

}  // namespace limber::zoo
