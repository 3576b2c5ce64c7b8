// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/bend_habit.h"

#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::lift {
namespace {

/// Where each bone points at rest, world: to the middle of the joint's children, or of its own skin where it has none;
/// zero where it points nowhere.
std::vector<Vec3d> bone_directions(const rig::Subject& subject) {
  const std::span<const rig::Joint> joints = subject.rig.joints();
  const std::span<const Affine> rest = subject.rig.world_from_rest();
  std::vector<Vec3d> ends(joints.size()), skin(joints.size());
  std::vector<double> children(joints.size()), weights(joints.size());
  for (std::size_t j = 1; j < joints.size(); ++j) {
    const auto parent = static_cast<std::size_t>(joints[j].parent);
    ends[parent] += rest[j].translation.cast<double>(), children[parent] += 1;
  }
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (std::size_t p = 0; p < subject.weights.points(); ++p) {
    const rig::Bone& bone = subject.rig.bones()[subject.weights.bones[p * stride]];
    const auto joint = static_cast<std::size_t>(bone.joint);
    const Vec3 place = rest[joint] * (bone.joint_from_bind * subject.points[p]);
    if (!is_finite(place)) continue;
    skin[joint] += place.cast<double>(), weights[joint] += 1;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (children[j] == 0) ends[j] = skin[j], children[j] = weights[j];
    const Vec3d along = children[j] > 0 ? ends[j] / children[j] - rest[j].translation.cast<double>() : Vec3d{0, 0, 0};
    ends[j] = norm(along) > 1e-6 ? normalized(along) : Vec3d{0, 0, 0};
  }
  return ends;
}

/// The precision of turns about world axes, from standard deviations along them.
Mat3d turn_precision(Vec3d bone, Vec3d side, const BendHabit& habit) {
  const auto along = [](Vec3d axis, double sigma) { return (1 / (sigma * sigma)) * outer(axis, axis); };
  const double even = 1 / (habit.sideways * habit.sideways);
  if (norm(bone) == 0) return even * Mat3d::identity();
  Vec3d across = side - dot(side, bone) * bone;
  if (norm(across) < 0.2) {
    // A bone to the side, as an arm held out: it swings up and down as freely as to and fro.
    const Mat3d swings = Mat3d::identity() + (-1.0) * outer(bone, bone);
    return along(bone, habit.twist) + (1 / (habit.stride * habit.stride)) * swings;
  }
  across = normalized(across);
  return along(bone, habit.twist) + along(across, habit.stride) + along(cross(bone, across), habit.sideways);
}

}  // namespace

std::vector<Mat3d> bend_precisions(const rig::Subject& subject, const BendHabit& habit) {
  const std::vector<Vec3d> bones = bone_directions(subject);
  const Vec3d side = normalized(cross(Vec3d{0, 1, 0}, subject.facing.forward.cast<double>()), {1, 0, 0});
  const std::span<const rig::Joint> joints = subject.rig.joints();
  std::vector<Mat3d> result(joints.size());
  for (std::size_t j = 1; j < joints.size(); ++j) {
    // World from the axes that the angles are about, without scales: turns are turns in any of these frames.
    const Quatd world = decompose(subject.rig.world_from_rest()[j].cast<double>()).rotation;
    const Mat3d axes = to_matrix(world * joints[j].axes.cast<double>());
    result[j] = transposed(axes) * turn_precision(bones[j], side, habit) * axes;
  }
  return result;
}

BendEnergy::BendEnergy(std::vector<Mat3d> precisions, std::span<const Vec3> center)
    : precisions_(std::move(precisions)) {
  LIMBER_EXPECT(center.size() == precisions_.size(), std::to_string(center.size()) + " joints");
  for (const Vec3& c : center) center_.push_back(c.cast<double>());
}

double BendEnergy::add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const {
  LIMBER_EXPECT(static_cast<std::size_t>(motion.joint_count) == center_.size(),
                std::to_string(motion.joint_count) + " joints");
  kinematics::size_gradient(motion, gradient);
  const double each = 1 / static_cast<double>(std::max<std::size_t>(motion.angles.size(), 1));
  double sum = 0;
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    const std::size_t joint = i % center_.size();
    if (joint == 0) continue;
    const Vec3d off = motion.angles[i].cast<double>() - center_[joint];
    const Vec3d pull = precisions_[joint] * off;
    sum += 0.5 * dot(off, pull);
    gradient.angles[i] += (scale * each * pull).cast<float>();
  }
  return each * sum;
}

}  // namespace limber::lift
