// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/physics/model.h"
#include "limber/rig/subject.h"

/// A rigged subject as an articulated rigid body, and motions as its states.
namespace limber::physics {

struct PuppetSettings {
  /// Of the subject, metres, > 0. Unset: the asset's units are metres where that is plausible (2 cm to 50 m), else it
  /// is one metre high.
  std::optional<double> height;
  double density = 1000;  ///< kg / m^3
  double fill = 0.6;      ///< share of its box that a bone fills
  double gain = 1;        ///< multiplies the drives' stiffness and damping
  double friction = 0.9;
  int max_bodies = 48;  ///< more bones than that are welded to their parents, lightest first
};

/// How a joint of the rig and the model correspond.
struct PuppetJoint {
  int body = 0;                          ///< that it moves with
  int hinge = -1;                        ///< first of its three; -1: welded, or part of the root
  bool same_angles = true;               ///< the hinges' angles are the rig's; else both describe the same rotation
  bool adopted = false;                  ///< hangs on another bone than in the rig: on the one that it moves with
  Mat3d hinge_axes = Mat3d::identity();  ///< of the hinges, in the world where all are at zero
  Affined zero;                          ///< world_from_joint, in subject units, where all hinges are at zero
};

/// A bone's box, in its body's frame, metres.
struct PuppetBox {
  int body = 0, joint = 0;
  Vec3d centre;
  Mat3d axes;
  Vec3d half;
};

struct Puppet {
  Model model;
  double metres = 1;                ///< per unit of the subject's world
  int base_joint = 0;               ///< the joint that is the model's root: the first that carries flesh
  std::vector<PuppetJoint> joints;  ///< per joint of the rig
  std::vector<int> body_joints;     ///< per body: its joint
  std::vector<PuppetBox> boxes;
  std::vector<int> point_joints;   ///< per contact point of the model: the joint whose skin it is on
  std::vector<Vec3> joint_points;  ///< per contact point: where it is in that joint's frame
  std::vector<std::string> notes;  ///< decisions worth knowing: what was welded, what cannot be rigid
};

/// Builds the body: a box per bone, mass from volume, three hinges per joint that match the rig's angles, drives and
/// limits to suit, contact points on the skin. Bones that the rig hangs elsewhere (feet on a control root) are hung on
/// the bone that they really move with. `motion` tells which joints matter and how far they turn: where it comes near
/// the gimbal of the rig's axes, the hinges get axes of their own. Fails if there is no skin to weigh.
Result<Puppet> make_puppet(const rig::Subject& subject, const kinematics::Motion& motion,
                           const PuppetSettings& settings = {});

/// Positions of the model for every frame of a motion, frames x position_count. Angles are continuous.
std::vector<double> positions_from_motion(const Puppet& puppet, const rig::Subject& subject,
                                          const kinematics::Motion& motion);

/// The motion of the given positions, frames x position_count. What the model does not move (welded joints, joints
/// above the base) is taken from the same frame of `like`; translations that vary where the body is rigid become
/// constant, and adopted bones get the ones that keep them joined.
kinematics::Motion motion_from_positions(const Puppet& puppet, const rig::Subject& subject,
                                         const kinematics::Motion& like, std::span<const double> positions);

}  // namespace limber::physics
