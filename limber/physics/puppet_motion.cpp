// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/dynamics.h"
#include "limber/physics/puppet.h"
#include "limber/physics/puppet_turn.h"
#include "limber/physics/rotation.h"

namespace limber::physics {
namespace {

using kinematics::euler_angles;
using kinematics::euler_matrix;
using kinematics::Motion;

/// The joint of the body that carries a body.
int carrier(const Puppet& puppet, int joint) {
  return puppet.body_joints[at(puppet.model.bodies[at(puppet.joints[at(joint)].body)].parent)];
}

/// Angles of a joint's hinges from the world turns of it and of what carries it.
Vec3d hinge_angles(const PuppetJoint& joint, const Mat3d& carrier_turn, const Mat3d& own_turn, Vec3d previous) {
  return euler_angles(transposed(joint.hinge_axes) * transposed(carrier_turn) * own_turn * joint.hinge_axes, previous);
}

}  // namespace

std::vector<double> positions_from_motion(const Puppet& puppet, const rig::Subject& subject, const Motion& motion) {
  const std::size_t stride = puppet.model.position_count();
  std::vector<double> positions(static_cast<std::size_t>(motion.frame_count()) * stride);
  kinematics::FrameBufferT<double> buffer;
  std::vector<Affined> world(subject.rig.joints().size());
  for (int f = 0; f < motion.frame_count(); ++f) {
    const auto frame = kinematics::motion_frame<double>(subject.rig, motion, f, buffer);
    kinematics::joints_forward<double>(subject.rig, frame, world);
    const std::span<double> q = std::span(positions).subspan(at(f) * stride, stride);
    const std::span<const double> last =
        std::span<const double>(positions).subspan(at(std::max(f - 1, 0)) * stride, stride);
    const Affined& base = world[at(puppet.base_joint)];
    Quatd turn = to_quat(world_turn(puppet.joints[at(puppet.base_joint)], base));
    // The quaternion's sign continues, too.
    if (f > 0 && dot(turn, Quatd{last[3], last[4], last[5], last[6]}) < 0) turn = {-turn.x, -turn.y, -turn.z, -turn.w};
    for (int k = 0; k < 3; ++k) q[at(k)] = puppet.metres * base.translation[k];
    for (int k = 0; k < 4; ++k) q[at(3 + k)] = turn[k];
    for (int j = 0; j < motion.joint_count; ++j) {
      const PuppetJoint& joint = puppet.joints[at(j)];
      if (joint.hinge < 0) continue;
      const std::size_t h = 7 + at(joint.hinge);
      Vec3d value = frame.angles[at(j)];
      if (!joint.same_angles) {
        const Vec3d previous = f > 0 ? Vec3d{last[h], last[h + 1], last[h + 2]} : Vec3d{};
        const int above = carrier(puppet, j);
        value = hinge_angles(joint, world_turn(puppet.joints[at(above)], world[at(above)]),
                             world_turn(joint, world[at(j)]), previous);
      }
      for (int k = 0; k < 3; ++k) q[h + at(k)] = value[k];
    }
  }
  return positions;
}

namespace {

/// Writes the model's positions into a motion, frame by frame.
class MotionWriter {
 public:
  MotionWriter(const Puppet& puppet, const rig::Subject& subject, const Motion& like)
      : puppet_(puppet),
        joints_(subject.rig.joints()),
        motion_(like),
        work_(puppet.model),
        poses_(puppet.model.bodies.size()),
        world_(joints_.size()) {
    hold_overrides();
    for (int j = puppet.base_joint; j >= 0; j = joints_[at(j)].parent) first_.push_back(j);
    std::reverse(first_.begin(), first_.end());
  }

  Motion write(std::span<const double> positions) {
    const std::size_t stride = puppet_.model.position_count();
    for (int f = 0; f < motion_.frame_count(); ++f) {
      const std::span<const double> q = positions.subspan(at(f) * stride, stride);
      body_poses<double>(puppet_.model, work_, q, poses_);
      // The path to the base first: its place decides the root's.
      for (const int j : first_) write_joint(f, j, q);
      for (int j = 0; j < motion_.joint_count; ++j) {
        if (std::find(first_.begin(), first_.end(), j) == first_.end()) write_joint(f, j, q);
      }
    }
    return std::move(motion_);
  }

 private:
  /// Where the body is rigid, its bones neither slide nor stretch; adopted ones get what they need later.
  void hold_overrides() {
    for (std::size_t j = 0; j < puppet_.joints.size(); ++j) {
      if (!puppet_.joints[j].adopted || puppet_.joints[j].hinge < 0) continue;
      if (!override_of(static_cast<int>(j))) motion_.overrides.push_back({static_cast<int>(j), {}, {}});
      override_of(static_cast<int>(j))->translations.resize(motion_.root_translations.size());
    }
    for (kinematics::JointOverride& o : motion_.overrides) {
      if (puppet_.joints[at(o.joint)].hinge < 0) continue;
      for (std::vector<Vec3>* values : {&o.translations, &o.scales}) {
        if (values->empty()) continue;
        Vec3d mean;
        for (const Vec3& v : *values) mean += v.cast<double>() / static_cast<double>(values->size());
        std::fill(values->begin(), values->end(), mean.cast<float>());
      }
    }
  }

  kinematics::JointOverride* override_of(int joint) {
    for (kinematics::JointOverride& o : motion_.overrides) {
      if (o.joint == joint) return &o;
    }
    return nullptr;
  }

  /// A joint's place in its parent without its own rotation: parent_from_frame, translation, rest rotation, axes.
  Affined before(int frame, int j) {
    const rig::Joint& joint = joints_[at(j)];
    Vec3d translation = joint.rest.translation.cast<double>();
    if (const kinematics::JointOverride* o = override_of(j); o && !o->translations.empty()) {
      translation = o->translations[at(frame)].cast<double>();
    }
    const Affined from_frame = joint.parent_from_frame.cast<double>();
    return {from_frame.linear * to_matrix(normalized(joint.rest.rotation.cast<double>())) * axes(j),
            from_frame * translation};
  }
  Mat3d axes(int j) const { return to_matrix(normalized(joints_[at(j)].axes.cast<double>())); }
  Mat3d after(int frame, int j) {
    Vec3d scale = joints_[at(j)].rest.scale.cast<double>();
    if (const kinematics::JointOverride* o = override_of(j); o && !o->scales.empty()) {
      scale = o->scales[at(frame)].cast<double>();
    }
    return transposed(axes(j)) * Mat3d::diagonal(scale);
  }

  void write_joint(int frame, int j, std::span<const double> q) {
    const PuppetJoint& joint = puppet_.joints[at(j)];
    const int parent = joints_[at(j)].parent;
    Affined above = parent < 0 ? Affined{} : world_[at(parent)];
    if (parent < 0) above.translation = motion_.root_translations[at(frame)].cast<double>();
    Vec3& angles = motion_.frame_angles(frame)[at(j)];
    const bool base = j == puppet_.base_joint;
    if (joint.hinge >= 0 && joint.same_angles) {
      const std::size_t h = 7 + at(joint.hinge);
      angles = Vec3d{q[h], q[h + 1], q[h + 2]}.cast<float>();
    } else if (joint.hinge >= 0 || base) {
      const Affined& pose = poses_[at(joint.body)];
      if (joint.adopted && joint.hinge >= 0) {
        const Affined frame_from_world = inverse(above * joints_[at(j)].parent_from_frame.cast<double>());
        override_of(j)->translations[at(frame)] =
            (frame_from_world * (pose.translation / puppet_.metres)).cast<float>();
      }
      const Mat3d wanted = pose.linear * joint.zero.linear;
      const Mat3d rotation = inverse(above.linear * before(frame, j).linear) * wanted * inverse(after(frame, j));
      const Vec3d previous = motion_.frame_angles(std::max(frame - 1, 0))[at(j)].cast<double>();
      angles = euler_angles(proper(orthonormal(rotation)), previous).cast<float>();
    }
    const Affined place = above * before(frame, j);
    world_[at(j)] = {place.linear * euler_matrix(angles.cast<double>()) * after(frame, j), place.translation};
    if (!base) return;
    const Vec3d shift = poses_[0].translation / puppet_.metres - world_[at(j)].translation;
    for (const int k : first_) world_[at(k)].translation += shift;
    Vec3& root = motion_.root_translations[at(frame)];
    root = (root.cast<double>() + shift).cast<float>();
  }

  const Puppet& puppet_;
  std::span<const rig::Joint> joints_;
  Motion motion_;
  Workspace work_;
  std::vector<Affined> poses_;
  std::vector<Affined> world_;
  std::vector<int> first_;
};

}  // namespace

Motion motion_from_positions(const Puppet& puppet, const rig::Subject& subject, const Motion& like,
                             std::span<const double> positions) {
  const std::size_t stride = puppet.model.position_count();
  LIMBER_EXPECT(positions.size() == static_cast<std::size_t>(like.frame_count()) * stride,
                fmt::format("{} numbers, {} frames of {}", positions.size(), like.frame_count(), stride));
  return MotionWriter(puppet, subject, like).write(positions);
}

}  // namespace limber::physics
