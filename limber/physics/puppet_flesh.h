// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/physics/puppet.h"
#include "limber/rig/bone_boxes.h"
#include "limber/rig/subject.h"

/// The first steps of making a puppet: what hangs on what, how heavy it is, how large. Private to `physics`.
namespace limber::physics {

/// What every step needs and none changes.
struct PuppetInput {
  const rig::Subject& subject;
  const kinematics::Motion& motion;
  const PuppetSettings& settings;
  std::span<const rig::Joint> joints;
  std::vector<rig::BoneBox> boxes;
  std::vector<Affine> world;  ///< world_from_joint of the motion: frames x joints

  Affined world_from_joint(int frame, int joint) const;
  Affined world_from_rest(int joint) const;
};

/// What each joint hangs on in the model: mostly what it hangs on in the rig.
struct PuppetTree {
  std::vector<int> parents;        ///< per joint; -1 for the first
  std::vector<int> order;          ///< all joints, parents first
  std::vector<std::string> notes;  ///< for a person

  bool descends(int joint, int from) const;  ///< `from` itself does, too
};

/// Hangs bones that slide about in their parent's frame on the nearest bone that carries them firmly.
PuppetTree hang_joints(const PuppetInput& in);

/// How much there is of the body, per joint. Masses in kg, lengths in heights.
struct Flesh {
  std::vector<double> mass;       ///< of the joint's own box
  std::vector<double> twig_mass;  ///< of the joint with all that hangs on it
  std::vector<double> reach;      ///< how far from the joint that extends
  std::vector<double> lowest;     ///< where that is lowest
  double total_mass = 0;
};

/// The flesh of a body that is one metre high.
Flesh weigh_flesh(const PuppetInput& in, const PuppetTree& tree);

/// The same body `metres` high.
Flesh at_height(Flesh flesh, double metres);

/// The joint that becomes the model's root: the first with flesh of its own or with more than one fleshy child.
int find_base(const PuppetTree& tree, const Flesh& flesh);

struct PuppetHeight {
  double metres = 1;
  std::vector<std::string> notes;  ///< for a person
};

/// The asset's own height if it is plausible and the motion could be done at that size. Giants that move like mice are
/// taken for mice: acceleration grows with size, gravity does not.
PuppetHeight choose_height(const PuppetInput& in, int base);

}  // namespace limber::physics
