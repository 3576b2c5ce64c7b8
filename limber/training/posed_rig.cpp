// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/posed_rig.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::training {
namespace {

using anatomy::BodyKind;
using anatomy::is_limb;
using anatomy::Region;

constexpr float kDegree = 0.017453293f;
/// Cosine of the greatest angle between a body's own up and +Y: those that lie down are left out.
constexpr float kUpright = 0.65f;

int number(Region region) { return static_cast<int>(region); }

bool is_right(Region region) { return region > anatomy::mirrored(region); }
Region left_of(Region region) { return is_right(region) ? anatomy::mirrored(region) : region; }

Vec3 place_of(const rig::Rig& rig, int joint) { return rig.world_from_rest()[at(joint)].translation; }

bool goes_below(const std::vector<int>& carriers, int joint, int ancestor) {
  for (; joint >= 0; joint = carriers[at(joint)]) {
    if (joint == ancestor) return true;
  }
  return false;
}

/// Of the joints that fit, that nearest to `joint` and not below it.
template <class Fits>
int nearest_joint(const rig::Rig& rig, const std::vector<int>& carriers, int joint, const Fits& fits) {
  int best = -1;
  float nearest = 1e30f;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (j == joint || !fits(j) || goes_below(carriers, j, joint)) continue;
    const float distance = norm(place_of(rig, j) - place_of(rig, joint));
    if (distance < nearest) best = j, nearest = distance;
  }
  return best;
}

/// Whether a joint is of a head itself: bodies may have several.
bool is_head(const rig::Rig& rig, int joint) {
  const int limb = rig.joints()[at(joint)].role.limb;
  return limb >= 0 && rig.limbs()[at(limb)].kind == rig::LimbKind::kHead;
}

/// Of the joints that start a head, that next to what carries it; the others are ears beside it, or a jaw that hangs on
/// the root.
int find_head(const rig::Rig& rig, const std::vector<Region>& regions) {
  int best = -1;
  float nearest = 1e30f;
  for (int j = 1; j < rig.joint_count(); ++j) {
    const int parent = rig.joints()[at(j)].parent;
    if (regions[at(j)] != Region::kHead || regions[at(parent)] == Region::kHead) continue;
    // Where roles tell of a head, it is that.
    const float distance = norm(place_of(rig, j) - place_of(rig, parent)) + (is_head(rig, j) ? 0.0f : 1e6f);
    if (distance < nearest) best = j, nearest = distance;
  }
  return best;
}

/// Feet that hang on the root, for inverse kinematics, go with their legs, and ears and jaws with the head.
std::vector<int> find_carriers(const rig::Rig& rig, const std::vector<Region>& regions) {
  std::vector<int> carriers;
  for (const rig::Joint& joint : rig.joints()) carriers.push_back(joint.parent);
  const int head = find_head(rig, regions);
  for (int j = 1; j < rig.joint_count(); ++j) {
    const Region region = regions[at(j)], above = regions[at(rig.joints()[at(j)].parent)];
    int carrier = -1;
    if (is_limb(region) && anatomy::limb_section(region) > 0 &&
        !(is_limb(above) && anatomy::upper_section(above) == anatomy::upper_section(region))) {
      for (int section = anatomy::limb_section(region); section >= 0 && carrier < 0; --section) {
        carrier = nearest_joint(rig, carriers, j, [&](int other) {
          const Region r = regions[at(other)];
          if (!is_limb(r) || anatomy::upper_section(r) != anatomy::upper_section(region) ||
              anatomy::limb_section(r) != section)
            return false;
          const Region its = regions[at(std::max(0, rig.joints()[at(other)].parent))];
          return section == 0 || (is_limb(its) && anatomy::upper_section(its) == anatomy::upper_section(region));
        });
      }
    } else if (region == Region::kHead && above != Region::kHead && !is_head(rig, j) &&
               !goes_below(carriers, head, j)) {
      carrier = head;
    }
    if (carrier >= 0) carriers[at(j)] = carrier;
  }
  return carriers;
}

std::vector<int> carriers_first(const std::vector<int>& carriers) {
  std::vector<int> order;
  std::vector<bool> done(carriers.size(), false);
  while (order.size() < carriers.size()) {
    for (int j = 0; j < static_cast<int>(carriers.size()); ++j) {
      if (done[at(j)] || (carriers[at(j)] >= 0 && !done[at(carriers[at(j)])])) continue;
      done[at(j)] = true;
      order.push_back(j);
    }
  }
  return order;
}

/// Whether the bone of a joint of `region` may lead to one of `next`.
bool leads_to(Region region, Region next) {
  if (is_limb(region)) return is_limb(next) && anatomy::upper_section(next) == anatomy::upper_section(region);
  if (region == Region::kTrunk) return next == Region::kTrunk || next == Region::kNeck || next == Region::kHead;
  if (region == Region::kNeck) return next == Region::kNeck || next == Region::kHead;
  return next == region;
}

/// Of the joints that a joint carries, that with most below it on the same part of the body.
std::vector<int> find_nexts(const std::vector<int>& carriers, const std::vector<int>& order,
                            const std::vector<Region>& regions) {
  std::vector<int> nexts(carriers.size(), -1), below(carriers.size(), 0);
  for (auto j = order.rbegin(); j != order.rend(); ++j) {
    const int carrier = carriers[at(*j)];
    if (carrier < 0) continue;
    below[at(carrier)] += below[at(*j)] + 1;
    if (!leads_to(regions[at(carrier)], regions[at(*j)])) continue;
    int& next = nexts[at(carrier)];
    if (next < 0 || below[at(*j)] >= below[at(next)]) next = *j;
  }
  return nexts;
}

/// Whether a joint of the trunk leads out to a limb.
bool is_girdle(const rig::Rig& rig, const std::vector<int>& carriers, const std::vector<Region>& regions, int joint,
               float middle) {
  for (int j = 0; j < rig.joint_count(); ++j) {
    const bool upper = is_limb(regions[at(j)]) && anatomy::limb_section(regions[at(j)]) == 0;
    const float aside = std::abs(place_of(rig, joint).x - middle), of_limb = std::abs(place_of(rig, j).x - middle);
    if (upper && carriers[at(j)] == joint && aside > 0.15f * of_limb) return true;
  }
  return false;
}

/// The joint of the trunk that is nearest to where the hind legs start; without legs, to the trunk's middle. Insects
/// and spiders have all legs on one joint.
int find_hips(const rig::Rig& rig, const std::vector<int>& carriers, const BodyParts& parts) {
  const std::vector<Region>& regions = parts.regions;
  Vec3 legs, trunk;
  float leg_count = 0, trunk_count = 0;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int carrier = carriers[at(j)];
    if (regions[at(j)] == Region::kTrunk) trunk += place_of(rig, j), trunk_count += 1;
    if (left_of(regions[at(j)]) != Region::kHindUpperLeft || carrier < 0) continue;
    if (regions[at(carrier)] == regions[at(j)]) continue;
    const bool many_legs = parts.kind == BodyKind::kHexapod || parts.kind == BodyKind::kOctopod;
    if (many_legs && regions[at(carrier)] == Region::kTrunk) return carrier;
    legs += place_of(rig, j), leg_count += 1;
  }
  if (leg_count + trunk_count == 0) return 0;
  const Vec3 middle = leg_count > 0 ? (1 / leg_count) * legs : (1 / trunk_count) * trunk;
  int best = 0;
  float nearest = 1e30f;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (regions[at(j)] != Region::kTrunk || is_girdle(rig, carriers, regions, j, middle.x)) continue;
    const float distance = norm(place_of(rig, j) - middle);
    if (distance < nearest - 1e-4f) best = j, nearest = distance;
  }
  return best;
}

/// Where a joint's region starts: the last joint on the way to the root that is of the same region.
int find_start(int joint, const std::vector<int>& carriers, const std::vector<Region>& regions, int hips) {
  const Region region = regions[at(joint)];
  if (region == Region::kTrunk) return hips;
  int start = joint;
  while (carriers[at(start)] >= 0 && regions[at(carriers[at(start)])] == region) start = carriers[at(start)];
  if (carriers[at(start)] >= 0) return start;
  // The head of a fish whose root is in its mouth starts where the trunk does.
  for (int j = 0; j < static_cast<int>(regions.size()); ++j) {
    if (carriers[at(j)] >= 0 && regions[at(j)] == Region::kTrunk && regions[at(carriers[at(j)])] == region) return j;
  }
  return start;
}

bool is_limited(const rig::JointLimits& limits) {
  for (int k = 0; k < 3; ++k) {
    if (limits.upper[k] - limits.lower[k] < 6.2f) return true;
  }
  return false;
}

/// How freely a joint is turned.
float freedom(const PosableRig& body, int joint) {
  const Region region = body.parts.regions[at(joint)];
  const int carrier = body.carriers[at(joint)];
  const bool first = carrier < 0 || body.parts.regions[at(carrier)] != region;
  const bool human = body.parts.kind == BodyKind::kHumanoid;
  if (body.steady[at(joint)]) return 0;
  if (is_limb(region)) {
    if (anatomy::limb_section(region) == 0) return first ? (human ? 1.5f : 1.0f) : 0.2f;
    if (anatomy::limb_section(region) == 1) return 0.25f;
    return first ? 0.6f : 0.25f;
  }
  switch (region) {
    case Region::kNeck:
    case Region::kHead:
      return first ? 0.6f : 0.25f;
    case Region::kTail:
      return 0.5f;
    case Region::kMiddleLeft:
    case Region::kMiddleRight:
    case Region::kWingLeft:
    case Region::kWingRight:
      return first ? 0.7f : 0.4f;
    case Region::kTrunk:
      return body.nexts[at(joint)] < 0 ? 0.2f : 0.33f;
    default:
      return 0.2f;
  }
}

/// Stretches a bone in its own frame: along by one factor, across by another.
Mat3d bone_stretch(const PosableRig& body, int joint, const BodyChange& change) {
  const auto region = static_cast<std::size_t>(body.parts.regions[at(joint)]);
  const double along = change.lengths[region], across = change.girths[region];
  const int next = body.nexts[at(joint)];
  const Mat3d even = across * Mat3d::identity();
  if (next < 0 || along == across) return even;
  const std::span<const Affine> rest = body.rig.world_from_rest();
  const Vec3d end = inverse(rest[at(joint)].cast<double>()) * rest[at(next)].translation.cast<double>();
  if (!(norm(end) > 0)) return even;
  const Vec3d axis = normalized(end);
  return even + (along - across) * outer(axis, axis);
}

/// The turn, about an axis of the world, by which a knee or elbow folds.
Vec3d fold_axis(const PosableRig& body, int joint, std::span<const Affined> posed, double& folded) {
  folded = 0;
  const int carrier = body.carriers[at(joint)], next = body.nexts[at(joint)];
  if (carrier < 0 || next < 0) return {};
  const Vec3d here = posed[at(joint)].translation;
  const Vec3d upper = normalized(here - posed[at(carrier)].translation);
  const Vec3d lower = normalized(posed[at(next)].translation - here);
  const Vec3d axis = cross(upper, lower);
  folded = std::atan2(norm(axis), dot(upper, lower));
  if (folded > 0.1) return normalized(axis);
  // Straight: elbows fold forward, knees backward.
  const bool front = left_of(anatomy::upper_section(body.parts.regions[at(joint)])) == Region::kFrontUpperLeft;
  return normalized(cross(lower, Vec3d{0, 0, front ? 1.0 : -1.0}), {1, 0, 0});
}

Mat3d turn_about(Vec3d rotation) {
  const double angle = norm(rotation);
  return angle > 0 ? to_matrix(axis_angle((1 / angle) * rotation, angle)) : Mat3d::identity();
}

std::vector<Affined> posed_joints(const PosableRig& body, const kinematics::Motion* motion, int frame,
                                  const BodyChange& change) {
  const kinematics::Motion still = motion == nullptr ? kinematics::rest_motion(body.rig, 1, 24) : kinematics::Motion{};
  kinematics::FrameBufferT<double> buffer;
  kinematics::FrameT<double> shown =
      kinematics::motion_frame(body.rig, motion == nullptr ? still : *motion, motion == nullptr ? 0 : frame, buffer);
  // Where a joint has limits, it is turned within them.
  std::vector<Vec3d> angles(shown.angles.begin(), shown.angles.end());
  for (int j = 0; j < body.rig.joint_count(); ++j) {
    const rig::JointLimits& limits = body.rig.joints()[at(j)].limits;
    if (!is_limited(limits)) continue;
    for (int k = 0; k < 3; ++k) {
      double& angle = angles[at(j)][k];
      const double low = std::min<double>(limits.lower[k], angle), high = std::max<double>(limits.upper[k], angle);
      // An elbow or knee turns mostly about its first axis.
      const double more = change.turns[at(j)][k] +
                          (k == 0 ? 1.0 : 0.0) * change.folds[at(j)] * (limits.upper.x + limits.lower.x > 0 ? 1 : -1);
      angle = std::clamp(angle + more, low, high);
    }
  }
  shown.angles = angles;
  std::vector<Affined> joints(at(body.rig.joint_count()));
  kinematics::joints_forward<double>(body.rig, shown, joints);
  return joints;
}

/// Cartoons, cubs and toys: short limbs, large heads, round bellies.
void make_plump(BodyChange& change, Rng& rng) {
  const auto factor = [&](double low, double high) { return static_cast<float>(rng.uniform(low, high)); };
  const float limbs = factor(0.25, 0.9), girth = factor(0.6, 1.9), head = factor(0.9, 2.3), belly = factor(1, 2.3);
  const float trunk = factor(0.45, 1.05);
  for (int i = 0; i < anatomy::kRegionCount; ++i) {
    const auto region = static_cast<Region>(i);
    if (is_limb(region) || left_of(region) == Region::kMiddleLeft) {
      change.lengths[at(i)] *= limbs, change.girths[at(i)] *= girth;
    } else if (region == Region::kHead) {
      change.lengths[at(i)] *= head, change.girths[at(i)] *= head;
    } else if (region == Region::kTrunk) {
      change.lengths[at(i)] *= trunk, change.girths[at(i)] *= belly;
    } else if (region == Region::kNeck || region == Region::kTail) {
      change.lengths[at(i)] *= factor(0.5, 1), change.girths[at(i)] *= 0.5f * (1 + belly);
    } else if (left_of(region) == Region::kWingLeft) {
      change.lengths[at(i)] *= factor(0.5, 1);
    }
  }
}

/// Animals whose legs have no limits that would keep them from it.
bool can_sprawl(const PosableRig& body) {
  if (body.parts.kind != BodyKind::kQuadruped) return false;
  for (int j = 0; j < body.rig.joint_count(); ++j) {
    if (is_limb(body.parts.regions[at(j)]) && is_limited(body.rig.joints()[at(j)].limits)) return false;
  }
  return true;
}

/// The turn about the axis ahead that spreads a leg, or lets its shank hang down again.
double sprawl_of(const PosableRig& body, int joint, float sprawl) {
  const Region region = body.parts.regions[at(joint)];
  const int carrier = body.carriers[at(joint)];
  if (!is_limb(region) || anatomy::limb_section(region) > 1 || carrier < 0 || body.parts.regions[at(carrier)] == region)
    return 0;
  return (is_right(region) ? -1 : 1) * (anatomy::limb_section(region) == 0 ? 1.0 : -0.9) * sprawl;
}

}  // namespace

PosableRig::PosableRig(rig::Rig skeleton, BodyParts read) : rig(std::move(skeleton)), parts(std::move(read)) {
  carriers = find_carriers(rig, parts.regions);
  order = carriers_first(carriers);
  nexts = find_nexts(carriers, order, parts.regions);
  hips = find_hips(rig, carriers, parts);
  steady.assign(at(rig.joint_count()), false);
  for (int j = hips; j >= 0; j = carriers[at(j)]) steady[at(j)] = true;
  for (int j = 0; j < rig.joint_count(); ++j) starts.push_back(find_start(j, carriers, parts.regions, hips));
}

BodyChange draw_change(const PosableRig& body, Rng& rng) {
  BodyChange change;
  change.lengths.fill(1), change.girths.fill(1);
  const auto factor = [&](double spread) { return static_cast<float>(std::exp(spread * rng.normal())); };
  std::array<float, 4> limbs{};
  for (float& limb : limbs) limb = factor(0.15);
  for (int i = 0; i < anatomy::kRegionCount; ++i) {
    const auto region = static_cast<Region>(i);
    if (is_right(region)) {
      change.lengths[at(i)] = change.lengths[at(number(left_of(region)))];
      change.girths[at(i)] = change.girths[at(number(left_of(region)))];
      continue;
    }
    float &along = change.lengths[at(i)], &across = change.girths[at(i)];
    along = factor(0.07), across = factor(0.15);
    if (is_limb(region)) {
      along *= limbs[anatomy::upper_section(region) == Region::kFrontUpperLeft ? 0 : 1];
      if (anatomy::limb_section(region) == 2) along = across;
    } else if (region == Region::kHead) {
      along = across = factor(0.2);
    } else if (region == Region::kMiddleLeft || region == Region::kWingLeft) {
      along *= limbs[region == Region::kMiddleLeft ? 2 : 3];
    } else if (region == Region::kNeck || region == Region::kTail) {
      along *= factor(0.15);
    } else if (region == Region::kOther) {
      along = across = 1;
    }
  }
  if (rng.chance(0.1)) {
    for (int i = 0; i < anatomy::kRegionCount; ++i) {
      if (is_right(static_cast<Region>(i))) change.lengths[at(i)] *= factor(0.1), change.girths[at(i)] *= factor(0.1);
    }
  }
  for (int k = 0; k < 3; ++k) change.stretch[k] = static_cast<float>(rng.uniform(0.85, 1.2));
  if (rng.chance(0.4)) make_plump(change, rng);
  if (can_sprawl(body) && rng.chance(0.12)) change.sprawl = kDegree * static_cast<float>(rng.uniform(45, 80));

  const int count = body.rig.joint_count();
  change.turns.assign(at(count), {});
  change.folds.assign(at(count), 0.0f);
  if (rng.chance(0.3)) return change;
  const float spread = kDegree * static_cast<float>(rng.uniform(5, 30));
  const float folding = body.parts.kind == BodyKind::kHumanoid ? 1.8f : 1.0f;
  for (int j = 0; j < count; ++j) {
    const float sigma = freedom(body, j) * spread;
    for (int k = 0; k < 3; ++k) {
      change.turns[at(j)][k] = sigma * static_cast<float>(std::clamp(rng.normal(), -2.0, 2.0));
    }
    const Region region = body.parts.regions[at(j)];
    const int carrier = body.carriers[at(j)];
    const bool hinge = is_limb(region) && anatomy::limb_section(region) == 1 && carrier >= 0 &&
                       body.parts.regions[at(carrier)] != region;
    // Mostly more than before, sometimes less.
    const float fold = folding * spread * static_cast<float>(rng.normal());
    if (hinge) change.folds[at(j)] = rng.chance(0.75) ? std::abs(fold) : -std::abs(fold);
  }
  return change;
}

std::optional<PosedRig> pose_rig(const PosableRig& body, const kinematics::Motion* motion, int frame,
                                 const BodyChange& change) {
  const std::vector<Affined> clip = posed_joints(body, motion, frame, change);
  const Mat3d hips =
      clip[at(body.hips)].linear * inverse(body.rig.world_from_rest()[at(body.hips)].linear.cast<double>());
  const Vec3d up = normalized(hips.column(1)), front = normalized(hips.column(2));
  if (!(up.y >= kUpright)) return std::nullopt;
  // Fish and snakes wind; what has legs faces where its hips do.
  const bool winds = body.parts.kind == BodyKind::kFish || body.parts.kind == BodyKind::kSnake;
  const double yaw = winds || std::hypot(front.x, front.z) < 0.3 ? 0 : std::atan2(front.x, front.z);
  const Mat3d whole = Mat3d::diagonal(change.stretch.cast<double>()) * to_matrix(axis_angle(Vec3d{0, 1, 0}, -yaw));

  std::vector<Affined> joints(clip.size());
  std::vector<Mat3d> stretches(clip.size());
  for (const int j : body.order) {
    stretches[at(j)] = bone_stretch(body, j, change);
    const int carrier = body.carriers[at(j)];
    if (carrier < 0) {
      joints[at(j)] = Affined{whole, {}} * clip[at(j)];
      continue;
    }
    Affined local = inverse(clip[at(carrier)]) * clip[at(j)];
    local.translation = stretches[at(carrier)] * local.translation;
    if (!is_limited(body.rig.joints()[at(j)].limits)) {
      Mat3d turn = turn_about(change.turns[at(j)].cast<double>());
      if (change.folds[at(j)] != 0) {
        double folded = 0;
        const Vec3d axis = fold_axis(body, j, clip, folded);
        const Vec3d own = normalized(inverse(clip[at(j)].linear) * axis, {});
        turn = turn_about(std::clamp<double>(change.folds[at(j)], -folded, std::max(0.0, 2.4 - folded)) * own) * turn;
      }
      if (change.sprawl != 0) {
        const Vec3d ahead = normalized(inverse(clip[at(j)].linear) * Vec3d{std::sin(yaw), 0, std::cos(yaw)}, {});
        turn = turn_about(sprawl_of(body, j, change.sprawl) * ahead) * turn;
      }
      local.linear = local.linear * turn;
    }
    joints[at(j)] = joints[at(carrier)] * local;
  }
  PosedRig posed;
  for (const rig::Bone& bone : body.rig.bones()) {
    const Affined stretched{joints[at(bone.joint)].linear * stretches[at(bone.joint)],
                            joints[at(bone.joint)].translation};
    posed.bones.push_back((stretched * bone.joint_from_bind.cast<double>()).cast<float>());
  }
  for (const Affined& joint : joints) posed.joints.push_back(joint.translation.cast<float>());
  for (const int start : body.starts) posed.starts.push_back(posed.joints[at(start)]);
  posed.kind = change.sprawl != 0 ? BodyKind::kLizard : body.parts.kind;
  return posed;
}

PosedRig rest_rig(const PosableRig& body) {
  PosedRig posed;
  const std::span<const Affine> rest = body.rig.world_from_rest();
  for (const rig::Bone& bone : body.rig.bones()) posed.bones.push_back(rest[at(bone.joint)] * bone.joint_from_bind);
  for (const Affine& joint : rest) posed.joints.push_back(joint.translation);
  for (const int start : body.starts) posed.starts.push_back(posed.joints[at(start)]);
  posed.kind = body.parts.kind;
  return posed;
}

}  // namespace limber::training
