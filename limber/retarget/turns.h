// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// Motions as how far every joint is turned from its rest, in the world: what means the same on any skeleton. Private
/// to `retarget`.
namespace limber::retarget {

/// Frames x joints.
struct Played {
  std::vector<Quatd> turns;
  std::vector<Vec3d> places;
  std::size_t joints = 0;

  std::size_t at(int frame, int joint) const {
    return static_cast<std::size_t>(frame) * joints + static_cast<std::size_t>(joint);
  }
  Quatd turn(int frame, int joint) const { return turns[at(frame, joint)]; }
  Vec3d place(int frame, int joint) const { return places[at(frame, joint)]; }
  Quatd& turn(int frame, int joint) { return turns[at(frame, joint)]; }
  Vec3d& place(int frame, int joint) { return places[at(frame, joint)]; }
  int frames() const { return joints == 0 ? 0 : static_cast<int>(turns.size() / joints); }
};

Quatd rotation_of(const Affine& transform);

Played play(const rig::Rig& rig, const kinematics::Motion& motion);

/// Angles and places of all joints in one frame from how they are turned; the root is where `motion` has it.
void pose(const rig::Rig& rig, int frame, Played& played, kinematics::Motion& motion);

}  // namespace limber::retarget
