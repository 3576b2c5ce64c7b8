// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/mirror_motion.h"

#include <algorithm>

#include "limber/base/at.h"
#include "limber/pose_space/pose_state.h"

namespace limber::pose_space {
namespace {

/// In the skeleton's space, where the body looks along +Z: left becomes right.
const Mat3d kMirror = Mat3d::diagonal({-1, 1, 1});

}  // namespace

kinematics::Motion mirrored_motion(const PoseSkeleton& skeleton, const kinematics::Motion& motion) {
  kinematics::Motion mirrored = motion;
  const Mat3d world_mirror = transposed(skeleton.from_world) * kMirror * skeleton.from_world;
  std::vector<Vec3> previous;
  for (int f = 0; f < motion.frame_count(); ++f) {
    double heading = 0;
    const std::vector<Mat3d> turns = turns_of(skeleton, motion.frame_angles(f), &heading);
    std::vector<Mat3d> others(turns.size());
    for (std::size_t j = 0; j < turns.size(); ++j) {
      const int partner = skeleton.joints[j].partner;
      others[j] = kMirror * turns[partner < 0 ? j : at(partner)] * kMirror;
    }
    const Vec3 place = (world_mirror * motion.root_translations[at(f)].cast<double>()).cast<float>();
    previous = decode_pose(skeleton, state_of(skeleton, others), {place, -heading}, previous).angles;
    const auto angles = mirrored.frame_angles(f);
    for (const PoseJoint& joint : skeleton.joints) angles[at(joint.joint)] = previous[at(joint.joint)];
    mirrored.root_translations[at(f)] = place;
  }
  return mirrored;
}

}  // namespace limber::pose_space
