// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/pose_solve.h"
#include "limber/rig/subject.h"

namespace limber::pose_space {

/// A joint of the rig and where it should be, in the asset's world and unit.
struct JointPlace {
  int joint = 0;
  Vec3 place;
};

struct SolvedPlaces {
  kinematics::Pose pose;
  std::vector<double> errors;  ///< per place: what is missing, in heights of the body, as the rig has it
  double plausible = 0;        ///< 0 to 1
};

/// `solve_pose` for a subject and places in its asset, with the usual energies beside those of the settings. `space` is
/// the subject's. Fails where a joint only rides along with another (kUnsupported).
Result<SolvedPlaces> solve_places(const rig::Subject& subject, const PoseSpace& space,
                                  std::span<const JointPlace> places, SolveSettings settings = {});

}  // namespace limber::pose_space
