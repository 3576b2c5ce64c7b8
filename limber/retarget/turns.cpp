// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/turns.h"

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::retarget {
Quatd rotation_of(const Affine& transform) { return decompose(transform.cast<double>()).rotation; }

Played play(const rig::Rig& rig, const kinematics::Motion& motion) {
  Played played;
  played.joints = rig.joints().size();
  const std::vector<Affine> posed = kinematics::joint_matrices(rig, motion);
  for (std::size_t i = 0; i < posed.size(); ++i) {
    const Affine& rest = rig.world_from_rest()[i % played.joints];
    played.turns.push_back(normalized(rotation_of(posed[i]) * conjugate(rotation_of(rest))));
    played.places.push_back(posed[i].translation.cast<double>());
  }
  return played;
}

void pose(const rig::Rig& rig, int frame, Played& played, kinematics::Motion& motion) {
  std::vector<Affined> world(rig.joints().size());
  const std::span<Vec3> angles = motion.frame_angles(frame);
  const Vec3d root = motion.root_translations[at(frame)].cast<double>();
  for (int j = 0; j < rig.joint_count(); ++j) {
    const rig::Joint& joint = rig.joints()[at(j)];
    Affined above = joint.parent_from_frame.cast<double>();
    if (joint.parent >= 0) above = world[at(joint.parent)] * above;
    Transformd rest = joint.rest.cast<double>();
    rest.rotation = normalized(rest.rotation);
    const Affined unturned = above * Affined{to_matrix(rest.rotation), rest.translation};
    // Turned away from rest in the world; mirrors and scales above cancel out.
    const Mat3d wanted = to_matrix(played.turn(frame, j)) * rig.world_from_rest()[at(j)].linear.cast<double>();
    const Mat3d unscaled = wanted * inverse(Mat3d::diagonal(rest.scale));
    const Mat3d local = to_matrix(decompose(Affined{inverse(unturned.linear) * unscaled, {}}).rotation);
    const Mat3d axes = to_matrix(normalized(joint.axes.cast<double>()));
    const Vec3d before = frame > 0 ? motion.frame_angles(frame - 1)[at(j)].cast<double>() : Vec3d{};
    angles[at(j)] = kinematics::euler_angles(transposed(axes) * local * axes, before).cast<float>();
    world[at(j)] = unturned * Affined{local * Mat3d::diagonal(rest.scale), {}};
    if (j == 0) world[0].translation += root;
    played.place(frame, j) = world[at(j)].translation;
  }
}

}  // namespace limber::retarget
