// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion_energy.h"
#include "limber/lift/follow_settings.h"
#include "limber/rig/subject.h"

/// What bodies do without being seen doing it: bones bend rather than twist, and they bend more in the direction that
/// the body goes than to its sides.
namespace limber::lift {

/// Per joint, the inverse covariance of its three angles, as the bones lie at rest. The root is not included: zero.
std::vector<Mat3d> bend_precisions(const rig::Subject& subject, const BendHabit& habit = {});

/// Half the mean squared distance of the angles from a pose, in standard deviations; the root does not count.
class BendEnergy final : public kinematics::MotionEnergy {
 public:
  /// `center` per joint.
  BendEnergy(std::vector<Mat3d> precisions, std::span<const Vec3> center);
  double add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const override;

 private:
  std::vector<Mat3d> precisions_;
  std::vector<Vec3d> center_;
};

}  // namespace limber::lift
