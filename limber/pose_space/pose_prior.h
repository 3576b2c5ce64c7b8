// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion_energy.h"
#include "limber/pose_space/pose_diffusion.h"

/// What the network of poses has against a motion, for stages that fit motions to something else.
namespace limber::pose_space {

struct PosePriorSettings {
  double time = 0.12;  ///< how far off poses are thought to be, see PoseSpace::settle
  int period = 8;      ///< the network is asked at the first call and then at every so many-th
  /// Frames x joints of the rig: how much each counts. Empty: all one.
  std::vector<float> weights;
};

/// Mean squared turn from every joint to where the network has it, given all others (`add_turns`). What the network
/// says is held fixed between the calls at which it is asked: in between, this is an exact energy. Not for several
/// threads at once.
class PosePriorEnergy final : public kinematics::MotionEnergy {
 public:
  explicit PosePriorEnergy(PoseSpace space, PosePriorSettings settings = {});
  double add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const override;
  void renew() const override { calls_ = 0; }

 private:
  PoseSpace space_;
  PosePriorSettings settings_;
  mutable long long calls_ = 0;
  mutable std::vector<Mat3d> wanted_;  ///< frames x pose joints: rotations as the rig's angles make them
};

/// A motion whose joints have gone towards where the network has them, each the further the less is known of it:
/// `confidence` has a number from 0 to 1 per frame and joint of the rig. The root, riders and overrides stay.
kinematics::Motion lean_on_prior(const PoseSpace& space, const kinematics::Motion& motion,
                                 std::span<const float> confidence, double time = 0.12);

}  // namespace limber::pose_space
