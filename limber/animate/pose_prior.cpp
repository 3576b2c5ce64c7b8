// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/pose_prior.h"

#include <memory>

#include "limber/pose_space/pose_model.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_prior.h"

namespace limber::animate {

Result<pose_space::PoseSpace> shipped_pose_space(const rig::Subject& subject) {
  LIMBER_TRY(const std::filesystem::path folder, pose_space::find_pose_model());
  return pose_space::open_pose_space(subject, folder);
}

Result<std::optional<pose_space::PoseSpace>> pose_space_if(bool wants, const rig::Subject& subject) {
  std::optional<pose_space::PoseSpace> space;
  if (wants) {
    LIMBER_TRY(pose_space::PoseSpace opened, shipped_pose_space(subject));
    space.emplace(std::move(opened));
  }
  return space;
}

kinematics::WeightedEnergy pose_energy(const pose_space::PoseSpace& space, const PosePrior& prior, int period) {
  pose_space::PosePriorSettings settings;
  settings.time = prior.time, settings.period = period;
  return {"poses", prior.weight, std::make_shared<pose_space::PosePriorEnergy>(space, settings)};
}

kinematics::Motion lean_on_poses(const pose_space::PoseSpace& space, const PosePrior& prior,
                                 const kinematics::Motion& motion, const lift::Observability& observed) {
  // Joints that nothing was said of, as of a lift that failed, are not known either.
  std::vector<float> confidence(motion.angles.size(), 0);
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    const float seen = i < observed.confidence.size() ? observed.confidence[i] : 0;
    confidence[i] = static_cast<float>(1 - prior.lean * (1 - double{seen}));
  }
  return pose_space::lean_on_prior(space, motion, confidence, prior.time);
}

}  // namespace limber::animate
