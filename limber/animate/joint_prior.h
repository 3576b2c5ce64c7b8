// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "limber/animate/animation.h"
#include "limber/animate/request.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/lift/observability.h"
#include "limber/motion_space/motion_prior.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/rig/subject.h"

/// What a network says of joints where a video or a prior of videos leaves something open: that of poses, frame by
/// frame, or that of motions, two seconds at a time.
namespace limber::animate {

/// The space of a subject's poses by the network that ships; `kMissing` where it is not found.
Result<pose_space::PoseSpace> shipped_pose_space(const rig::Subject& subject);

struct JointPriorSettings {
  double weight = 0.05;  ///< of its energy, against the mean error of a pixel
  double lean = 0.5;     ///< how far joints go towards what it says that nobody has seen, 0 to 1
  /// How far off what is asked about is thought to be, above 0 to 1: poses (pose_space::PoseSpace::settle), and motions
  /// (motion_space::MotionSpace::settle).
  double pose_time = 0.12, motion_time = 0.3;
};

class JointPrior {
 public:
  /// As the request wishes, for an upright subject that faces +Z; nothing where it wishes for none. `kMissing` where
  /// the network does not lie beside the program.
  static Result<std::optional<JointPrior>> open(const Request& request, const rig::Subject& subject,
                                                const JointPriorSettings& settings = {});

  /// What it has against a motion that is fitted to pictures; the network is asked every `period` steps, or less.
  /// Where steps are few and runs are kept and resumed (`distills`), it is asked whenever one may begin.
  kinematics::WeightedEnergy energy(int period, bool distills = false) const;

  /// A lifted motion that leans on what the network says, each joint by what was not seen of it.
  kinematics::Motion lean(const kinematics::Motion& motion, const lift::Observability& observed) const;

  bool is_of_poses() const { return poses_.has_value(); }

 private:
  JointPriorSettings settings_;
  std::optional<pose_space::PoseSpace> poses_;
  std::shared_ptr<const motion_space::MotionSpace> motions_;
  motion_space::MotionFacts facts_;  ///< what the motion should be, as the prompt says
};

/// Says in the result which network had a say.
void note_joint_prior(const std::optional<JointPrior>& prior, Animation& animation);

}  // namespace limber::animate
