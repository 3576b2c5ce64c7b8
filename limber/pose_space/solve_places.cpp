// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/solve_places.h"

#include <utility>

#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_conditions.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_state.h"

namespace limber::pose_space {

Result<SolvedPlaces> solve_places(const rig::Subject& subject, const PoseSpace& space,
                                  std::span<const JointPlace> places, SolveSettings settings) {
  const PoseSkeleton& skeleton = space.skeleton();
  std::vector<PoseHandle> handles;
  std::vector<Vec3> targets;
  for (const JointPlace& place : places) {
    targets.push_back((1 / subject.asset_scale) * (place.place - subject.asset_offset));
    LIMBER_TRY(const PoseHandle handle, make_handle(skeleton, place.joint, targets.back()));
    handles.push_back(handle);
  }
  const SkinnedSurface surface{subject.points, subject.triangles, subject.weights};
  for (WeightedPoseEnergy& energy : usual_energies(skeleton, sample_surface(skeleton, surface)))
    settings.energies.push_back(std::move(energy));

  const SolvedPose solved = solve_pose(space, handles, settings);
  SolvedPlaces result{decode_pose(skeleton, solved.state, {}), {}, space.score(solved.state).whole};
  // As the rig has it: one that is scaled unevenly differs from what the space believes.
  const std::vector<Affine> joints = kinematics::joint_matrices(subject.rig, result.pose);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Affine& joint = joints[static_cast<std::size_t>(places[i].joint)];
    result.errors.push_back(double(norm(joint.translation - targets[i])));
  }
  return result;
}

}  // namespace limber::pose_space
