// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/role_regions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/at.h"

namespace limber::anatomy {
namespace {

using rig::LimbKind;
using rig::Side;

constexpr double kTailFrom = 0.6;  // of the length of a body without legs
constexpr double kLong = 5;        // length over breadth from which on a bare body is a snake's
constexpr float kGirdle = 0.6f;    // of the next bone's length, how long a girdle is at most
constexpr double kSprawls = 0.7;   // of how far feet are below hips, how far they are aside

/// A rig's limbs with what regions ask of them.
class Body {
 public:
  explicit Body(const rig::Rig& rig) : rig_(rig), first_(rig.limbs().size(), -1) {
    for (int j = 0; j < rig.joint_count(); ++j) {
      const rig::Role role = rig.joints()[at(j)].role;
      if (role.limb < 0) continue;
      int& first = first_[at(role.limb)];
      if (first < 0 || role.section < rig.joints()[at(first)].role.section) first = j;
    }
  }

  const rig::Limb& limb(int index) const { return rig_.limbs()[at(index)]; }
  int limb_count() const { return static_cast<int>(rig_.limbs().size()); }
  bool has_joints(int index) const { return first_[at(index)] >= 0; }
  Vec3 place(int joint) const { return rig_.world_from_rest()[at(joint)].translation; }
  Vec3 root(int index) const { return has_joints(index) ? place(first_[at(index)]) : Vec3{}; }

  /// Sides are those of the limb; what is in the middle goes by its place.
  int side(int index) const {
    if (limb(index).side != Side::kMiddle) return limb(index).side == Side::kLeft ? 1 : -1;
    return root(index).x < 0 ? -1 : 1;
  }

  int count(LimbKind kind) const {
    int sum = 0;
    for (int i = 0; i < limb_count(); ++i) sum += limb(i).kind == kind && has_joints(i) ? 1 : 0;
    return sum;
  }

  /// Limbs of the same kind and side that leave before this one, and how many there are in all.
  struct Rank {
    int before = 0, of = 0;
  };
  Rank rank(int index) const {
    Rank rank;
    for (int i = 0; i < limb_count(); ++i) {
      if (limb(i).kind != limb(index).kind || !has_joints(i) || side(i) != side(index)) continue;
      ++rank.of;
      rank.before += comes_before(i, index) ? 1 : 0;
    }
    return rank;
  }

  /// The limb that it leaves.
  int carrier(int index) const { return std::max(0, limb(index).parent); }

 private:
  bool comes_before(int a, int b) const {
    const float za = root(a).z, zb = root(b).z;
    if (za != zb) return za > zb;
    return limb(a).station != limb(b).station ? limb(a).station > limb(b).station : a < b;
  }

  const rig::Rig& rig_;
  std::vector<int> first_;  ///< per limb: where it starts
};

Region sided(Region left, int side) { return static_cast<Region>(static_cast<int>(left) + (side > 0 ? 0 : 1)); }

/// The first section of what a limb is, one that has three included.
Region limb_region(const Body& body, int index) {
  const rig::Limb& limb = body.limb(index);
  const int side = body.side(index);
  const Body::Rank rank = body.rank(index);
  switch (limb.kind) {
    case LimbKind::kTrunk:
      return Region::kTrunk;
    case LimbKind::kNeck:
      return Region::kNeck;
    case LimbKind::kHead:
    case LimbKind::kEar:
    case LimbKind::kJaw:
      return Region::kHead;
    case LimbKind::kHorn:
    case LimbKind::kAntenna:
    case LimbKind::kFinger:
      return limb_region(body, body.carrier(index));
    case LimbKind::kTail:
      return Region::kTail;
    case LimbKind::kWing:
      return sided(Region::kWingLeft, side);
    case LimbKind::kFin: {
      const bool flank = limb.side != Side::kMiddle && body.limb(body.carrier(index)).kind != LimbKind::kTail;
      return flank ? sided(Region::kWingLeft, side) : Region::kFin;
    }
    case LimbKind::kTentacle:
      return sided(Region::kMiddleLeft, side);
    case LimbKind::kProp:
      return Region::kOther;
    case LimbKind::kArm:
      return sided(rank.before == 0 ? Region::kFrontUpperLeft : Region::kMiddleLeft, side);
    case LimbKind::kLeg:
      break;
  }
  if (rank.before == rank.of - 1) return sided(Region::kHindUpperLeft, side);
  const bool front = rank.before == 0 && body.count(LimbKind::kArm) == 0;
  return sided(front ? Region::kFrontUpperLeft : Region::kMiddleLeft, side);
}

/// Whether an arm or leg starts with a girdle (a clavicle, which moves with the trunk): its first bone is short beside
/// the next, and three more sections follow.
bool has_girdle(const Body& body, const rig::Rig& rig, int index) {
  if (body.limb(index).kind != LimbKind::kArm && body.limb(index).kind != LimbKind::kLeg) return false;
  std::array<Vec3, 3> places;
  int sections = 0;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const rig::Role role = rig.joints()[at(j)].role;
    if (role.limb != index) continue;
    sections = std::max(sections, role.section + 1);
    if (role.section < 3) places[at(role.section)] = body.place(j);
  }
  const int least = body.limb(index).kind == LimbKind::kArm ? 4 : 5;  // a leg's fourth may be its toes
  return sections >= least && norm(places[1] - places[0]) < kGirdle * norm(places[2] - places[1]);
}

bool along_body(Region region) {
  return region == Region::kTrunk || region == Region::kNeck || region == Region::kTail;
}

bool has_legs_or_arms(const Body& body) {
  return body.count(LimbKind::kLeg) + body.count(LimbKind::kArm) + body.count(LimbKind::kTentacle) > 0;
}

struct Box {
  Vec3 low, high;
  Vec3 size() const { return high - low; }
};
Box joint_box(const Body& body, const rig::Rig& rig) {
  Box box{body.place(0), body.place(0)};
  for (int j = 1; j < rig.joint_count(); ++j) {
    box.low = min(box.low, body.place(j)), box.high = max(box.high, body.place(j));
  }
  return box;
}

/// Fish and snakes: where the trunk ends and the tail starts is a matter of convention.
void cut_long_body(const Body& body, const rig::Rig& rig, std::vector<Region>& regions) {
  const Box box = joint_box(body, rig);
  if (has_legs_or_arms(body) || !(box.size().z > box.size().y)) return;
  float front = -1e30f, hind = 1e30f, last_but_one = 1e30f;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const bool head = body.limb(std::max(0, rig.joints()[at(j)].role.limb)).kind == LimbKind::kHead;
    if (!along_body(regions[at(j)]) && !head) continue;
    const float z = body.place(j).z;
    front = std::max(front, z);
    if (z < hind) {
      last_but_one = hind, hind = z;
    } else if (z > hind) {
      last_but_one = std::min(last_but_one, z);
    }
  }
  if (!(front > hind)) return;
  // The last bone goes on beyond its joint.
  const float length = front - hind + std::min(last_but_one - hind, front - hind);
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (!along_body(regions[at(j)])) continue;
    const bool behind = front - body.place(j).z >= static_cast<float>(kTailFrom) * length;
    regions[at(j)] = behind && rig.joints()[at(j)].parent >= 0 ? Region::kTail : Region::kTrunk;
  }
}

/// Whether the trunk goes up rather than ahead, from the hips to what it carries in front.
bool is_upright(const Body& body) {
  Vec3 hips, ahead;
  float legs = 0, ends = 0;
  for (int i = 0; i < body.limb_count(); ++i) {
    if (!body.has_joints(i)) continue;
    const LimbKind kind = body.limb(i).kind;
    if (kind == LimbKind::kLeg) hips += body.root(i), legs += 1;
    const bool end = kind == LimbKind::kNeck || kind == LimbKind::kArm ||
                     (kind == LimbKind::kHead && body.limb(body.carrier(i)).kind == LimbKind::kTrunk);
    if (end) ahead += body.root(i), ends += 1;
  }
  if (legs == 0 || ends == 0) return true;
  const Vec3 along = (1 / ends) * ahead - (1 / legs) * hips;
  return along.y > std::abs(along.z);
}

/// Whether feet stand far aside of where their legs leave.
bool sprawls(const Body& body, const rig::Rig& rig) {
  std::vector<int> feet(rig.limbs().size(), -1);
  for (int j = 0; j < rig.joint_count(); ++j) {
    const rig::Role role = rig.joints()[at(j)].role;
    if (role.limb < 0 || body.limb(role.limb).kind != LimbKind::kLeg) continue;
    int& foot = feet[at(role.limb)];
    if (foot < 0 || role.section > rig.joints()[at(foot)].role.section) foot = j;
  }
  double aside = 0, down = 0;
  for (int i = 0; i < body.limb_count(); ++i) {
    if (feet[at(i)] < 0) continue;
    const Vec3 leg = body.place(feet[at(i)]) - body.root(i);
    aside += std::abs(leg.x), down += std::max(0.0f, -leg.y);
  }
  return aside > kSprawls * down && aside > 0;
}

}  // namespace

std::vector<Region> role_regions(const rig::Rig& rig) {
  const Body body(rig);
  std::vector<Region> of_limbs;
  std::vector<int> girdles;
  for (int i = 0; i < body.limb_count(); ++i) {
    of_limbs.push_back(limb_region(body, i)), girdles.push_back(has_girdle(body, rig, i) ? 1 : 0);
  }
  std::vector<Region> regions;
  for (const rig::Joint& joint : rig.joints()) {
    if (joint.role.limb < 0) {
      regions.push_back(joint.parent < 0 ? Region::kTrunk : regions[at(joint.parent)]);
      continue;
    }
    Region region = of_limbs[at(joint.role.limb)];
    const bool finger = body.limb(joint.role.limb).kind == LimbKind::kFinger;
    const int section = joint.role.section - girdles[at(joint.role.limb)];
    if (section < 0) {
      region = Region::kTrunk;
    } else if (is_limb(region)) {
      region = static_cast<Region>(static_cast<int>(region) + 2 * (finger ? 2 : std::min(section, 2)));
    }
    regions.push_back(region);
  }
  cut_long_body(body, rig, regions);
  return regions;
}

BodyKind kind_of(const rig::Rig& rig) {
  const Body body(rig);
  const int legs = body.count(LimbKind::kLeg), arms = body.count(LimbKind::kArm);
  switch (legs) {
    case 0:
      break;
    case 2:
      if (body.count(LimbKind::kWing) > 0 && arms == 0) return BodyKind::kBird;
      return is_upright(body) ? BodyKind::kHumanoid : BodyKind::kTheropod;
    case 4:
      return sprawls(body, rig) ? BodyKind::kLizard : BodyKind::kQuadruped;
    case 6:
      return BodyKind::kHexapod;
    case 8:
      return BodyKind::kOctopod;
    default:
      return BodyKind::kOther;
  }
  if (has_legs_or_arms(body) || body.count(LimbKind::kWing) > 0) return BodyKind::kOther;
  if (body.count(LimbKind::kFin) > 0) return BodyKind::kFish;
  const Vec3 size = joint_box(body, rig).size();
  return size.z > static_cast<float>(kLong) * std::max(size.x, size.y) ? BodyKind::kSnake : BodyKind::kOther;
}

}  // namespace limber::anatomy
