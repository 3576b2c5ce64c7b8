// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_prior.h"

#include <algorithm>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/wanted_turns.h"

namespace limber::pose_space {
namespace {

/// Where the network has every pose joint of every frame.
std::vector<Mat3d> wanted_turns(const PoseSpace& space, const kinematics::Motion& motion, double time) {
  const PoseSkeleton& skeleton = space.skeleton();
  const std::size_t joints = skeleton.joints.size();
  std::vector<Mat3d> wanted(at(motion.frame_count()) * joints);
  parallel_for(at(motion.frame_count()), 1, [&](std::size_t f, std::size_t) {
    const PoseState state = encode_pose(skeleton, pose_at(motion, static_cast<int>(f))).state;
    const std::vector<Mat3d> turns = own_turns(skeleton, space.settle(state, time));
    std::copy(turns.begin(), turns.end(), wanted.begin() + static_cast<std::ptrdiff_t>(f * joints));
  });
  return wanted;
}

}  // namespace

PosePriorEnergy::PosePriorEnergy(PoseSpace space, PosePriorSettings settings)
    : space_(std::move(space)), settings_(std::move(settings)) {
  LIMBER_EXPECT(settings_.time > 0 && settings_.time <= 1 && settings_.period > 0, std::to_string(settings_.time));
}

double PosePriorEnergy::add(const kinematics::Motion& motion, double scale,
                            kinematics::MotionGradient& gradient) const {
  const PoseSkeleton& skeleton = space_.skeleton();
  LIMBER_EXPECT(motion.joint_count == skeleton.rig.joint_count(), std::to_string(motion.joint_count));
  const std::size_t joints = skeleton.joints.size();
  const bool asks = calls_++ % settings_.period == 0 || wanted_.size() != at(motion.frame_count()) * joints;
  if (joints > 1 && asks) wanted_ = wanted_turns(space_, motion, settings_.time);
  return add_turns(skeleton, motion, wanted_, settings_.weights, scale, gradient);
}

kinematics::Motion lean_on_prior(const PoseSpace& space, const kinematics::Motion& motion,
                                 std::span<const float> confidence, double time) {
  return lean_on_turns(space.skeleton(), motion, wanted_turns(space, motion, time), confidence);
}

}  // namespace limber::pose_space
