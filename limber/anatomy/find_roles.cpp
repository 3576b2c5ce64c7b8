// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/find_roles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "limber/anatomy/find_facing.h"
#include "limber/anatomy/joint_names.h"
#include "limber/base/at.h"

namespace limber::anatomy {
namespace {

using rig::Limb;
using rig::LimbKind;
using rig::Role;
using rig::Side;

// Of the skeleton's size: how far from the middle plane a joint is on a side, how far above the lowest one a limb still
// stands on the ground, how much an end must stick out to be one, and from where on limbs leave at different places.
constexpr double kAside = 0.03, kStanding = 0.15, kSticksOut = 0.02, kApart = 0.05;

// --- the skeleton as the body itself sees it -------------------------------------------------------------------------

struct Skeleton {
  std::vector<int> parents;
  std::vector<Vec3d> places;  ///< +Y up, facing +Z, so that +X is left
  std::vector<NameReading> readings;
  std::vector<std::vector<int>> children;
  Vec3d low, high;
  double size = 1;

  int count() const { return static_cast<int>(parents.size()); }
  bool aside(int joint) const { return std::abs(places[at(joint)].x) > kAside * size; }
  bool stands(int joint) const { return places[at(joint)].y < low.y + kStanding * std::max(high.y - low.y, 1e-9); }
};

Skeleton look_at(const rig::Rig& rig, const rig::Facing& facing) {
  Skeleton skeleton;
  const Vec3d up = facing.up.cast<double>(), forward = facing.forward.cast<double>(), left = cross(up, forward);
  skeleton.children.resize(rig.joints().size());
  for (std::size_t j = 0; j < rig.joints().size(); ++j) {
    const rig::Joint& joint = rig.joints()[j];
    const Vec3d p = rig.world_from_rest()[j].translation.cast<double>();
    const Vec3d place{dot(p, left), dot(p, up), dot(p, forward)};
    skeleton.parents.push_back(joint.parent), skeleton.places.push_back(place);
    skeleton.readings.push_back(read_name(joint.name));
    if (joint.parent >= 0) skeleton.children[at(joint.parent)].push_back(static_cast<int>(j));
    skeleton.low = j == 0 ? place : min(skeleton.low, place),
    skeleton.high = j == 0 ? place : max(skeleton.high, place);
  }
  const Vec3d extent = skeleton.high - skeleton.low;
  skeleton.size = std::max({extent.x, extent.y, extent.z, 1e-9});
  // The middle of the body, not of the file.
  const double middle = skeleton.places[0].x;
  if (std::abs(middle) < 0.25 * skeleton.size) {
    for (Vec3d& place : skeleton.places) place.x -= middle;
  }
  return skeleton;
}

// --- by names --------------------------------------------------------------------------------------------------------

/// What a name tells; arms and legs are told apart later, and both are kLeg here.
std::optional<LimbKind> named_kind(const Skeleton& skeleton, int joint) {
  const NameReading& reading = skeleton.readings[at(joint)];
  if (reading.helper()) return std::nullopt;
  if (reading.has(Cue::kOther)) return LimbKind::kProp;
  if (reading.has(Cue::kTail)) return LimbKind::kTail;
  if (reading.has(Cue::kWing)) return LimbKind::kWing;
  if (reading.has(Cue::kFin) || reading.has(Cue::kSideFin)) return LimbKind::kFin;
  if (reading.special) return reading.special;
  if (reading.has(Cue::kHead)) return LimbKind::kHead;
  if (reading.has(Cue::kNeck)) return LimbKind::kNeck;
  if (reading.limb() || (reading.socket() && skeleton.aside(joint))) return LimbKind::kLeg;
  if (reading.has(Cue::kTrunk) || reading.has(Cue::kPelvis) || reading.socket()) return LimbKind::kTrunk;
  return std::nullopt;
}

/// Limbs while they are found.
struct Growing {
  Roles roles;
  std::vector<int> first;  ///< per limb: the joint where it starts

  const Limb& limb_of(int joint) const { return roles.limbs[at(roles.roles[at(joint)].limb)]; }
  void go_on(int joint, int parent) {
    const Role above = roles.roles[at(parent)];
    roles.roles[at(joint)] = {above.limb, above.section + 1};
  }
  void start(const Skeleton& skeleton, int joint, LimbKind kind) {
    const int above = roles.roles[at(skeleton.parents[at(joint)])].limb, named = skeleton.readings[at(joint)].side;
    Side side = roles.limbs[at(above)].side;
    // A tail may be bent aside; of limbs in the middle only names tell a side.
    const bool axial = kind == LimbKind::kTail || kind == LimbKind::kNeck || kind == LimbKind::kHead;
    if (named != 0 || (!axial && skeleton.aside(joint))) {
      side = (named != 0 ? named > 0 : skeleton.places[at(joint)].x > 0) ? Side::kLeft : Side::kRight;
    }
    roles.roles[at(joint)] = {static_cast<int>(roles.limbs.size()), 0};
    roles.limbs.push_back({kind, side, above, 0});
    first.push_back(joint);
  }
};

Growing trunk_alone(const Skeleton& skeleton) {
  Growing growing;
  growing.roles.limbs.push_back({});
  growing.roles.roles.assign(at(skeleton.count()), Role{});
  growing.roles.roles[0] = {0, 0};
  growing.first.push_back(0);
  return growing;
}

/// Whether a joint whose name tells `kind` goes on with the limb of its parent.
bool continues(const Limb& above, LimbKind kind, const NameReading& reading) {
  // Arms and hands of a wing are the wing.
  if (kind == LimbKind::kLeg && (above.kind == LimbKind::kWing || above.kind == LimbKind::kFin)) return true;
  if (kind == LimbKind::kLeg && above.kind == LimbKind::kFinger) return true;
  if (kind != above.kind) return false;
  const Side side = reading.side > 0 ? Side::kLeft : Side::kRight;
  const bool other_side = reading.side != 0 && above.side != Side::kMiddle && side != above.side;
  return !other_side;
}

Growing grow_by_names(const Skeleton& skeleton) {
  Growing growing = trunk_alone(skeleton);
  for (int j = 1; j < skeleton.count(); ++j) {
    const NameReading& reading = skeleton.readings[at(j)];
    const int parent = skeleton.parents[at(j)];
    const Limb above = growing.limb_of(parent);
    std::optional<LimbKind> kind = named_kind(skeleton, j);
    const bool on_hand = above.kind == LimbKind::kLeg || skeleton.readings[at(parent)].has(Cue::kArmEnd);
    if (on_hand && may_be_finger(reading) && !reading.helper()) kind = LimbKind::kFinger;
    if (reading.helper()) {
      growing.roles.roles[at(j)] = growing.roles.roles[at(parent)];  // beside the bone that it helps
    } else if (!kind || continues(above, *kind, reading)) {
      growing.go_on(j, parent);
    } else if (*kind == LimbKind::kTrunk) {
      growing.roles.roles[at(j)] = {0, 0};  // of a tree that hangs on one of its limbs
    } else {
      growing.start(skeleton, j, *kind);
    }
  }
  return growing;
}

bool names_tell(const Skeleton& skeleton) {
  for (int j = 0; j < skeleton.count(); ++j) {
    const std::optional<LimbKind> kind = named_kind(skeleton, j);
    if (kind && *kind != LimbKind::kTrunk && *kind != LimbKind::kProp) return true;
  }
  return false;
}

// --- by shape --------------------------------------------------------------------------------------------------------

/// Of every joint: whether the tree forks at it or below.
std::vector<bool> forks_below(const Skeleton& skeleton) {
  std::vector<bool> forks(at(skeleton.count()), false);
  for (int j = skeleton.count() - 1; j >= 0; --j) {
    if (skeleton.children[at(j)].size() > 1) forks[at(j)] = true;
    if (forks[at(j)] && skeleton.parents[at(j)] >= 0) forks[at(skeleton.parents[at(j)])] = true;
  }
  return forks;
}

/// Where the longest chain below a joint ends.
int end_below(const Skeleton& skeleton, int joint) {
  int end = joint;
  double most = 0;
  std::vector<std::pair<int, double>> open{{joint, 0}};
  while (!open.empty()) {
    const auto [j, length] = open.back();
    open.pop_back();
    if (length > most) end = j, most = length;
    for (const int c : skeleton.children[at(j)]) {
      open.emplace_back(c, length + norm(skeleton.places[at(c)] - skeleton.places[at(j)]));
    }
  }
  return end;
}

/// What leaves the trunk, by where it ends: on the ground, on a side, ahead, behind or above. None where it hardly
/// does.
std::optional<LimbKind> kind_by_shape(const Skeleton& skeleton, int joint, Vec3d trunk) {
  const Vec3d end = skeleton.places[at(end_below(skeleton, joint))];
  if (std::abs(end.x) > kAside * skeleton.size) {
    return end.y < skeleton.low.y + kStanding * (skeleton.high.y - skeleton.low.y) ? LimbKind::kLeg : LimbKind::kArm;
  }
  const Vec3d out = end - trunk;
  if (std::max(out.z, out.y) > std::max(-out.z, kSticksOut * skeleton.size)) return LimbKind::kHead;
  if (-out.z > kSticksOut * skeleton.size) return LimbKind::kTail;
  return std::nullopt;
}

/// The limb that starts at a joint, if one does: the trunk is what lies in the middle and forks, each chain that leaves
/// it is a limb, and where a limb forks in three or more, those are its fingers.
std::optional<LimbKind> start_by_shape(const Skeleton& skeleton, const std::vector<bool>& forks, int joint,
                                       bool leaves_trunk) {
  if (!leaves_trunk) {
    if (skeleton.children[at(skeleton.parents[at(joint)])].size() < 3) return std::nullopt;
    return LimbKind::kFinger;
  }
  if (!forks[0] || (forks[at(joint)] && !skeleton.aside(joint))) return std::nullopt;
  return kind_by_shape(skeleton, joint, skeleton.places[0]);
}

Growing grow_by_shape(const Skeleton& skeleton) {
  Growing growing = trunk_alone(skeleton);
  const std::vector<bool> forks = forks_below(skeleton);
  for (int j = 1; j < skeleton.count(); ++j) {
    const int parent = skeleton.parents[at(j)];
    const auto kind = start_by_shape(skeleton, forks, j, growing.roles.roles[at(parent)].limb == 0);
    if (kind) {
      growing.start(skeleton, j, *kind);
    } else {
      growing.go_on(j, parent);
    }
  }
  return growing;
}

// --- what is left to find --------------------------------------------------------------------------------------------

/// The whole limb of the same side that comes nearest to where `loose` starts, -1 for none.
int nearest_limb(const Skeleton& skeleton, const Growing& growing, const std::vector<bool>& feet, int loose) {
  const Roles& roles = growing.roles;
  int best = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < skeleton.count(); ++j) {
    const int limb = roles.roles[at(j)].limb;
    if (roles.limbs[at(limb)].kind != LimbKind::kLeg || feet[at(limb)]) continue;
    if (roles.limbs[at(limb)].side != roles.limbs[at(loose)].side) continue;
    const double distance = norm(skeleton.places[at(j)] - skeleton.places[at(growing.first[at(loose)])]);
    if (distance < nearest) nearest = distance, best = limb;
  }
  return best;
}

/// Per limb: whether it is a foot that hangs on the trunk, and carries nothing.
std::vector<bool> find_loose_feet(const Skeleton& skeleton, const Growing& growing) {
  std::vector<bool> feet;
  for (std::size_t i = 0; i < growing.first.size(); ++i) {
    const Limb& limb = growing.roles.limbs[i];
    const bool ends = skeleton.readings[at(growing.first[i])].section() == 2;
    feet.push_back(limb.kind == LimbKind::kLeg && limb.parent == 0 && ends);
  }
  for (const Limb& limb : growing.roles.limbs) {
    if (limb.parent >= 0) feet[at(limb.parent)] = false;
  }
  return feet;
}

/// Feet that hang on the trunk, since inverse kinematics moves them, go on with the leg that ends there.
Growing join_loose_feet(const Skeleton& skeleton, const Growing& growing) {
  const Roles& roles = growing.roles;
  const std::vector<bool> feet = find_loose_feet(skeleton, growing);
  std::vector<int> leg(roles.limbs.size(), -1), place(roles.limbs.size(), -1), longest(roles.limbs.size(), 0);
  for (const Role role : roles.roles) longest[at(role.limb)] = std::max(longest[at(role.limb)], role.section);
  Growing joined;
  for (std::size_t i = 0; i < roles.limbs.size(); ++i) {
    if (feet[i]) leg[i] = nearest_limb(skeleton, growing, feet, static_cast<int>(i));
    if (leg[i] >= 0) continue;
    place[i] = static_cast<int>(joined.first.size());
    joined.first.push_back(growing.first[i]);
    joined.roles.limbs.push_back(roles.limbs[i]);
    if (i > 0) joined.roles.limbs.back().parent = place[at(roles.limbs[i].parent)];
  }
  for (const Role role : roles.roles) {
    const int whole = leg[at(role.limb)];
    joined.roles.roles.push_back(whole < 0 ? Role{place[at(role.limb)], role.section}
                                           : Role{place[at(whole)], longest[at(whole)] + 1 + role.section});
  }
  return joined;
}

/// Legs stand on the ground, or nothing in their names speaks of arms.
void tell_arms_from_legs(const Skeleton& skeleton, Roles& roles) {
  struct Evidence {
    bool arm = false, leg = false, end = false, stands = false;
  };
  std::vector<Evidence> found(roles.limbs.size());
  for (int j = 0; j < skeleton.count(); ++j) {
    const NameReading& reading = skeleton.readings[at(j)];
    Evidence& limb = found[at(roles.roles[at(j)].limb)];
    limb.arm = limb.arm || reading.arm() || reading.has(Cue::kShoulder) || reading.has(Cue::kGirdle);
    limb.leg = limb.leg || reading.leg();
    limb.end = limb.end || reading.has(Cue::kEnd);
    limb.stands = limb.stands || skeleton.stands(j);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool arm = found[i].arm && !found[i].leg && !found[i].end && !found[i].stands;
    if (roles.limbs[i].kind == LimbKind::kLeg && arm) roles.limbs[i].kind = LimbKind::kArm;
  }
}

/// From the hips to the shoulders: what measures how far along the trunk a limb leaves.
struct TrunkScale {
  int axis = 1;  ///< upright bodies run up, level ones ahead
  double first = 0, last = 0;
};

/// Paired limbs mark hips and shoulders; where they all leave at one place, whatever leaves the trunk does.
TrunkScale measure_trunk(const Skeleton& skeleton, const Growing& growing) {
  constexpr double kFar = 1e300;
  struct Range {
    Vec3d low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
  };
  Range all, paired;
  for (std::size_t i = 1; i < growing.first.size(); ++i) {
    const Limb& limb = growing.roles.limbs[i];
    const Vec3d start = skeleton.places[at(growing.first[i])];
    if (limb.parent != 0) continue;
    all = {min(all.low, start), max(all.high, start)};
    if (limb.side != Side::kMiddle) paired = {min(paired.low, start), max(paired.high, start)};
  }
  const int axis = all.high.z - all.low.z > all.high.y - all.low.y ? 2 : 1;
  const bool spread = paired.high[axis] - paired.low[axis] > kApart * skeleton.size;
  const Range& range = spread ? paired : all;
  return {axis, range.low[axis], range.high[axis]};
}

/// Where limbs leave: the trunk by their place along it, others by the joint that they hang on.
void find_stations(const Skeleton& skeleton, Growing& growing) {
  Roles& roles = growing.roles;
  std::vector<int> longest(roles.limbs.size(), 0);
  for (const Role role : roles.roles) longest[at(role.limb)] = std::max(longest[at(role.limb)], role.section);
  const TrunkScale scale = measure_trunk(skeleton, growing);
  for (std::size_t i = 1; i < roles.limbs.size(); ++i) {
    Limb& limb = roles.limbs[i];
    const int start = growing.first[i];
    double along = roles.roles[at(skeleton.parents[at(start)])].section, length = longest[at(limb.parent)];
    if (limb.parent == 0)
      along = skeleton.places[at(start)][scale.axis] - scale.first, length = scale.last - scale.first;
    limb.station = static_cast<float>(length > 0 ? std::clamp(along / length, 0.0, 1.0) : 1.0);
  }
}

}  // namespace

Roles find_roles(const rig::Rig& rig, const rig::Facing& facing) {
  const Skeleton skeleton = look_at(rig, facing);
  const bool named = names_tell(skeleton);
  Growing growing = named ? grow_by_names(skeleton) : grow_by_shape(skeleton);
  if (named) {
    growing = join_loose_feet(skeleton, growing);
    tell_arms_from_legs(skeleton, growing.roles);
  }
  find_stations(skeleton, growing);
  return std::move(growing.roles);
}

rig::Rig with_roles(const rig::Rig& rig, const rig::Facing& facing) {
  if (!rig.limbs().empty()) return rig;
  Roles found = find_roles(rig, facing);
  return rig::with_limbs(rig, std::move(found.limbs), found.roles).value();
}

rig::Subject with_roles(rig::Subject subject) {
  subject.rig = with_roles(subject.rig, find_facing(subject));
  return subject;
}

}  // namespace limber::anatomy
