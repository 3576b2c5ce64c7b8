// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_prior.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/playing.h"
#include "limber/motion_space/motion_contacts.h"
#include "limber/pose_space/wanted_turns.h"

namespace limber::motion_space {
namespace {

constexpr double kLook = kFrames / kFps;  // seconds
constexpr double kNextLook = 1.5;         // seconds from one look to the next, at most

double last_second(const kinematics::Motion& motion) { return (motion.frame_count() - 1) / motion.fps; }

/// When looks begin: evenly spread, the last one so that it ends with the motion.
std::vector<double> look_times(const kinematics::Motion& motion) {
  const double spare = last_second(motion) - (kLook - 1 / kFps);
  std::vector<double> times{0.0};
  const int more = spare > 0 ? static_cast<int>(std::ceil(spare / kNextLook)) : 0;
  for (int i = 1; i <= more; ++i) times.push_back(spare * i / more);
  return times;
}

/// What the network makes of two seconds, frame by frame.
MotionState settled_look(const MotionSpace& space, const kinematics::Motion& motion, const MotionFacts& facts,
                         double time, double from) {
  const pose_space::PoseSkeleton& skeleton = space.skeleton();
  kinematics::Playing playing;
  playing.fps = kFps, playing.frames = kFrames, playing.start = from, playing.repeat = motion.loops;
  MotionState state = encode_motion(skeleton, kinematics::play(motion, playing));
  put_standing(skeleton, space.feet(), state);
  return space.settle(state, facts, time);
}

/// A frame between two of a look: numbers in between are a pose nearly, and become one as turns.
pose_space::PoseState pose_between(const MotionState& state, double frame) {
  const int before = std::clamp(static_cast<int>(std::floor(frame)), 0, kFrames - 1);
  const int after = std::min(before + 1, kFrames - 1);
  const double share = std::clamp(frame - before, 0.0, 1.0);
  pose_space::PoseState pose(at(state.joints * pose_space::kStateSize));
  for (int j = 0; j < state.joints; ++j) {
    for (int k = 0; k < pose_space::kStateSize; ++k) {
      const std::size_t from = at(j * kJointNumbers + k);
      pose[at(j * pose_space::kStateSize + k)] =
          (1 - share) * state.frame(before)[from] + share * state.frame(after)[from];
    }
  }
  return pose;
}

}  // namespace

std::vector<Mat3d> wanted_turns(const MotionSpace& space, const kinematics::Motion& motion, const MotionFacts& facts,
                                double time) {
  LIMBER_EXPECT(time > 0 && time < 1, std::to_string(time));
  const pose_space::PoseSkeleton& skeleton = space.skeleton();
  std::vector<Mat3d> wanted;
  if (motion.frame_count() == 0) return wanted;
  const std::vector<double> times = look_times(motion);
  std::vector<MotionState> looks;
  for (const double from : times) looks.push_back(settled_look(space, motion, facts, time, from));
  wanted.reserve(at(motion.frame_count()) * skeleton.joints.size());
  for (int f = 0; f < motion.frame_count(); ++f) {
    const double second = f / motion.fps;
    const auto off_middle = [&](std::size_t look) { return std::abs(second - times[look] - kLook / 2); };
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < looks.size(); ++i) {
      if (off_middle(i) < off_middle(nearest)) nearest = i;
    }
    const std::vector<Mat3d> turns =
        pose_space::own_turns(skeleton, pose_between(looks[nearest], (second - times[nearest]) * kFps));
    wanted.insert(wanted.end(), turns.begin(), turns.end());
  }
  return wanted;
}

MotionPriorEnergy::MotionPriorEnergy(std::shared_ptr<const MotionSpace> space, const MotionPriorSettings& settings)
    : space_(std::move(space)), settings_(settings) {
  LIMBER_EXPECT(space_ != nullptr && settings_.period > 0, std::to_string(settings_.period));
}

double MotionPriorEnergy::add(const kinematics::Motion& motion, double scale,
                              kinematics::MotionGradient& gradient) const {
  const pose_space::PoseSkeleton& skeleton = space_->skeleton();
  LIMBER_EXPECT(motion.joint_count == skeleton.rig.joint_count(), std::to_string(motion.joint_count));
  const bool other = wanted_.size() != at(motion.frame_count()) * skeleton.joints.size();
  if (calls_++ % settings_.period == 0 || other)
    wanted_ = wanted_turns(*space_, motion, settings_.facts, settings_.time);
  return pose_space::add_turns(skeleton, motion, wanted_, {}, scale, gradient);
}

}  // namespace limber::motion_space
