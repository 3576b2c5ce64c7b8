// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/lift/observability.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/rig/subject.h"

/// What the network of poses has to say where a video or a prior of videos leaves something open.
namespace limber::animate {

struct PosePrior {
  double weight = 0.05;  ///< of its energy, against the mean error of a pixel
  double lean = 0.5;     ///< how far joints go towards what it says that nobody has seen, 0 to 1
  double time = 0.12;    ///< how far off poses are thought to be: pose_space::PoseSpace::settle
};

/// The space of a subject's poses by the network that ships; `kMissing` where it is not found.
Result<pose_space::PoseSpace> shipped_pose_space(const rig::Subject& subject);

/// The same where somebody `wants` it; nothing where not.
Result<std::optional<pose_space::PoseSpace>> pose_space_if(bool wants, const rig::Subject& subject);

/// Its energy; `period` as in pose_space::PosePriorSettings. Runs that are kept and resumed need one of 1.
kinematics::WeightedEnergy pose_energy(const pose_space::PoseSpace& space, const PosePrior& prior, int period);

/// A lifted motion that leans on what the network says, each joint by what was not seen of it.
kinematics::Motion lean_on_poses(const pose_space::PoseSpace& space, const PosePrior& prior,
                                 const kinematics::Motion& motion, const lift::Observability& observed);

}  // namespace limber::animate
