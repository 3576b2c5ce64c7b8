// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/give_way.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/clear_ground.h"
#include "limber/physics/rotation.h"

namespace limber::physics {
namespace {

constexpr float kStands = 0.03f;     ///< heights: what is this low at rest stands on the ground
constexpr double kReach = 0.1;       ///< seconds
constexpr double kMostTurn = 1.2;    ///< radians, of one joint
constexpr double kLeastTurn = 1e-3;  ///< radians: less is not seen
constexpr double kAhead = 0.3;  ///< of its distance: a point that is not as far ahead of its joint hardly rises with it

bool may_give_way(rig::LimbKind kind) {
  switch (kind) {
    case rig::LimbKind::kNeck:
    case rig::LimbKind::kHead:
    case rig::LimbKind::kTail:
    case rig::LimbKind::kWing:
    case rig::LimbKind::kEar:
    case rig::LimbKind::kHorn:
    case rig::LimbKind::kAntenna:
    case rig::LimbKind::kJaw:
    case rig::LimbKind::kProp:
      return true;
    default:
      return false;
  }
}

/// How low the skin of every limb comes at rest.
std::vector<float> lowest_at_rest(const Puppet& puppet, const rig::Rig& rig) {
  std::vector<float> lowest(rig.limbs().size(), std::numeric_limits<float>::infinity());
  for (std::size_t p = 0; p < puppet.joint_points.size(); ++p) {
    const int joint = puppet.point_joints[p], limb = rig.joints()[at(joint)].role.limb;
    if (limb < 0) continue;
    float& low = lowest[at(limb)];
    low = std::min(low, (rig.world_from_rest()[at(joint)] * puppet.joint_points[p]).y);
  }
  return lowest;
}

/// Which limbs do not bear weight. None where what is left would not stand: then they have been mistaken.
std::vector<bool> slack_limbs(const Puppet& puppet, const rig::Rig& rig) {
  const std::vector<float> lowest = lowest_at_rest(puppet, rig);
  std::vector<bool> slack(lowest.size(), false);
  bool stands = false;
  for (std::size_t l = 0; l < slack.size(); ++l) {
    const rig::LimbKind kind = rig.limbs()[l].kind;
    stands = stands || (kind == rig::LimbKind::kLeg && lowest[l] < kStands);
    slack[l] = may_give_way(kind) && (kind == rig::LimbKind::kTail || lowest[l] >= kStands);
  }
  if (!stands) slack.assign(slack.size(), false);
  return slack;
}

/// One joint with its skin, seen over a motion.
class Hanging {
 public:
  Hanging(const Puppet& puppet, const rig::Rig& rig, int joint) : rig_(rig), joint_(joint) {
    for (std::size_t p = 0; p < puppet.joint_points.size(); ++p) {
      if (puppet.point_joints[p] == joint) points_.push_back(puppet.joint_points[p].cast<double>());
    }
  }

  /// Turns the joint up in every frame in which its skin would be below the ground.
  bool bend(kinematics::Motion& motion) {
    if (points_.empty()) return false;
    std::vector<float> needs;
    std::vector<Vec3d> axes;
    std::vector<Mat3d> befores;
    std::vector<Affined> world(at(rig_.joint_count()));
    for (int f = 0; f < motion.frame_count(); ++f) {
      const auto frame = kinematics::motion_frame<double>(rig_, motion, f, buffer_);
      kinematics::joints_forward<double>(rig_, frame, world);
      const Vec3d ahead = direction(world);
      axes.push_back(cross(ahead, Vec3d{0, 1, 0}));
      needs.push_back(static_cast<float>(turn_needed(world[at(joint_)], ahead)));
      befores.push_back(before(world));
    }
    if (*std::max_element(needs.begin(), needs.end()) < kLeastTurn) return false;
    const int reach = std::max(1, static_cast<int>(std::lround(kReach * motion.fps)));
    const std::vector<float> turns = even_cover(needs, reach, motion.loops);
    for (int f = 0; f < motion.frame_count(); ++f) {
      const double turn = double(turns[at(f)]);
      if (turn <= 0) continue;
      Vec3& angles = motion.frame_angles(f)[at(joint_)];
      const Vec3d previous = angles.cast<double>();
      const Mat3d local = transposed(befores[at(f)]) * to_matrix(axis_angle(axes[at(f)], turn)) * befores[at(f)];
      angles = kinematics::euler_angles(proper(orthonormal(local * kinematics::euler_matrix(previous))), previous)
                   .cast<float>();
    }
    return true;
  }

 private:
  /// The way along the ground in which the joint's skin lies; of what hangs straight down, away from the body.
  Vec3d direction(const std::vector<Affined>& world) const {
    const Affined& own = world[at(joint_)];
    Vec3d middle;
    for (const Vec3d& p : points_) middle += (own * p - own.translation) / static_cast<double>(points_.size());
    Vec3d away = own.translation - world[0].translation;
    away.y = 0;
    Vec3d ahead = normalized(middle, Vec3d{0, 0, -1});
    ahead.y = 0;
    return normalized(ahead + 0.3 * normalized(away, Vec3d{0, 0, -1}), Vec3d{0, 0, -1});
  }

  /// How far the joint has to turn up, so that none of its skin that turns along is below the ground.
  double turn_needed(const Affined& own, Vec3d ahead) const {
    double turn = 0;
    for (const Vec3d& p : points_) {
      const Vec3d arm = own * p - own.translation;
      const double along = dot(arm, ahead), length = std::hypot(along, arm.y);
      if (own.translation.y + arm.y >= 0 || along < kAhead * length) continue;
      const double level = std::asin(std::clamp(-own.translation.y / length, -1.0, 1.0));
      turn = std::max(turn, level - std::atan2(arm.y, along));
    }
    return std::min(turn, kMostTurn);
  }

  /// World from the frame in which the joint's angles turn it, without scale.
  Mat3d before(const std::vector<Affined>& world) const {
    const rig::Joint& joint = rig_.joints()[at(joint_)];
    Mat3d linear = joint.parent_from_frame.cast<double>().linear;
    if (joint.parent >= 0) linear = world[at(joint.parent)].linear * linear;
    return proper(orthonormal(linear * to_matrix(normalized(joint.rest.rotation.cast<double>())))) *
           to_matrix(normalized(joint.axes.cast<double>()));
  }

  const rig::Rig& rig_;
  int joint_;
  std::vector<Vec3d> points_;  ///< in the joint's frame
  kinematics::FrameBufferT<double> buffer_;
};

}  // namespace

std::vector<bool> find_slack(const Puppet& puppet, const rig::Subject& subject) {
  const rig::Rig rig = anatomy::with_roles(subject.rig);
  const std::vector<bool> limbs = slack_limbs(puppet, rig);
  const std::span<const rig::Joint> joints = rig.joints();
  std::vector<bool> slack(joints.size(), false);
  for (std::size_t j = 1; j < joints.size(); ++j) {
    const int limb = joints[j].role.limb;
    const bool own = limb >= 0 && rig.limbs()[at(limb)].kind != rig::LimbKind::kFinger;
    slack[j] = own ? limbs[at(limb)] : slack[at(joints[j].parent)];
  }
  // What bears weight is not to be bent with what carries it.
  for (std::size_t j = joints.size(); j-- > 1;) {
    if (!slack[j] && joints[j].parent >= 0) slack[at(joints[j].parent)] = false;
  }
  return slack;
}

std::vector<bool> bearing_points(const Puppet& puppet, const std::vector<bool>& slack) {
  std::vector<bool> bears;
  for (const int joint : puppet.point_joints) bears.push_back(!slack[at(joint)]);
  return bears;
}

bool give_way(const Puppet& puppet, const rig::Subject& subject, const std::vector<bool>& slack,
              kinematics::Motion& motion) {
  bool bent = false;
  for (std::size_t j = 0; j < slack.size(); ++j) {
    if (slack[j] && Hanging(puppet, subject.rig, static_cast<int>(j)).bend(motion)) bent = true;
  }
  return bent;
}

}  // namespace limber::physics
