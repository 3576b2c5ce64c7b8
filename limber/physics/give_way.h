// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/physics/puppet.h"
#include "limber/rig/subject.h"

/// What of a body gives way to the ground instead of bearing its weight.
namespace limber::physics {

/// Per joint: whether it belongs to a tail, wing, neck, head, ear or something worn, of a body that has legs. What
/// other than a tail touches the ground at rest does bear weight (wings that a body walks on), and so does what carries
/// legs or arms.
std::vector<bool> find_slack(const Puppet& puppet, const rig::Subject& subject);

/// Which of the puppet's contact points may carry the body: those of joints that do not give way.
std::vector<bool> bearing_points(const Puppet& puppet, const std::vector<bool>& slack);

/// Bends slack joints up, root to tip, evenly over a fifth of a second, so that what they lead lies on the ground
/// rather than under it. Returns whether anything was bent.
bool give_way(const Puppet& puppet, const rig::Subject& subject, const std::vector<bool>& slack,
              kinematics::Motion& motion);

}  // namespace limber::physics
