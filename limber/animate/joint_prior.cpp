// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/joint_prior.h"

#include <memory>
#include <utility>

#include "limber/animate/native_facts.h"
#include "limber/motion_space/motion_model.h"
#include "limber/pose_space/pose_model.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_prior.h"
#include "limber/pose_space/wanted_turns.h"

namespace limber::animate {
namespace {

constexpr int kMotionsAreDearer = 3;  // a look at a motion takes longer than one at all its poses

/// What the network of motions is told: the first thing that the prompt asks for; of a video nothing.
motion_space::MotionFacts facts_of(const motion_space::MotionModel& model, const Request& request) {
  if (request.prompt.empty()) return {};
  return native_facts(model, split_prompt(request.prompt, native_actions(model)).front());
}

}  // namespace

Result<pose_space::PoseSpace> shipped_pose_space(const rig::Subject& subject) {
  LIMBER_TRY(const std::filesystem::path folder, pose_space::find_pose_model());
  return pose_space::open_pose_space(subject, folder);
}

Result<std::optional<JointPrior>> JointPrior::open(const Request& request, const rig::Subject& subject,
                                                   const JointPriorSettings& settings) {
  std::optional<JointPrior> prior;
  if (request.motion_prior) {
    LIMBER_TRY(const std::filesystem::path folder, motion_space::find_motion_model());
    LIMBER_TRY(motion_space::MotionSpace space, motion_space::MotionSpace::open(subject, folder));
    prior.emplace();
    prior->facts_ = facts_of(space.model(), request);
    prior->motions_ = std::make_shared<const motion_space::MotionSpace>(std::move(space));
  } else if (request.pose_prior) {
    LIMBER_TRY(pose_space::PoseSpace space, shipped_pose_space(subject));
    prior.emplace().poses_.emplace(std::move(space));
  }
  if (prior) prior->settings_ = settings;
  return prior;
}

kinematics::WeightedEnergy JointPrior::energy(int period, bool distills) const {
  if (poses_) {
    pose_space::PosePriorSettings settings;
    settings.time = settings_.pose_time, settings.period = distills ? 1 : period;
    return {"poses", settings_.weight, std::make_shared<pose_space::PosePriorEnergy>(*poses_, settings)};
  }
  motion_space::MotionPriorSettings settings;
  settings.facts = facts_, settings.time = settings_.motion_time;
  settings.period = distills ? 1 << 30 : kMotionsAreDearer * period;
  return {"motions", settings_.weight, std::make_shared<motion_space::MotionPriorEnergy>(motions_, settings)};
}

kinematics::Motion JointPrior::lean(const kinematics::Motion& motion, const lift::Observability& observed) const {
  // Joints that nothing was said of, as of a lift that failed, are not known either.
  std::vector<float> confidence(motion.angles.size(), 0);
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    const float seen = i < observed.confidence.size() ? observed.confidence[i] : 0;
    confidence[i] = static_cast<float>(1 - settings_.lean * (1 - double{seen}));
  }
  if (poses_) return pose_space::lean_on_prior(*poses_, motion, confidence, settings_.pose_time);
  const std::vector<Mat3d> wanted = motion_space::wanted_turns(*motions_, motion, facts_, settings_.motion_time);
  return pose_space::lean_on_turns(motions_->skeleton(), motion, wanted, confidence);
}

void note_joint_prior(const std::optional<JointPrior>& prior, Animation& animation) {
  animation.pose_prior = prior && prior->is_of_poses(), animation.motion_prior = prior && !prior->is_of_poses();
}

}  // namespace limber::animate
