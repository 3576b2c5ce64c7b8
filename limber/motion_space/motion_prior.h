// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/kinematics/motion_energy.h"
#include "limber/motion_space/motion_space.h"

/// What the network of motions has against a motion, for stages that fit motions to something else: pictures of a
/// video, a sample, a score. Beside `pose_space::PosePriorEnergy`, it sees how a body moves, not poses one by one.
namespace limber::motion_space {

struct MotionPriorSettings {
  MotionFacts facts;  ///< what the motion should be, as far as that is known
  double time = 0.3;  ///< how far off it is thought to be, see MotionSpace::settle
  int period = 8;     ///< the network is asked at the first call and then at every so many-th
};

/// Where the network would rather have every joint of the skeleton in every frame, as rotations against its parent:
/// frames x joints. Motions of any rate and length are looked at two seconds at a time; where two looks overlap, the
/// one counts whose middle is nearer.
std::vector<Mat3d> wanted_turns(const MotionSpace& space, const kinematics::Motion& motion, const MotionFacts& facts,
                                double time);

/// Mean squared turn from every joint to where the network has it (`pose_space::add_turns`). What the network says is
/// held fixed between the calls at which it is asked: in between, this is an exact energy. Not for several threads at
/// once.
class MotionPriorEnergy final : public kinematics::MotionEnergy {
 public:
  MotionPriorEnergy(std::shared_ptr<const MotionSpace> space, const MotionPriorSettings& settings);
  double add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const override;
  void renew() const override { calls_ = 0; }

 private:
  std::shared_ptr<const MotionSpace> space_;
  MotionPriorSettings settings_;
  mutable long long calls_ = 0;
  mutable std::vector<Mat3d> wanted_;
};

}  // namespace limber::motion_space
