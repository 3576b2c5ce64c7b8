// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"
#include "limber/physics/puppet.h"
#include "limber/rig/subject.h"

namespace limber::physics {

/// Replaces the contact points of `puppet` by ones that fit how the skin really bends in `motion`: where a body's skin
/// is the lowest of all in some frame, that place becomes a point; points that would reach below the skin are drawn in.
/// Private to `physics`.
void fit_contacts(const rig::Subject& subject, const kinematics::Motion& motion, Puppet& puppet);

}  // namespace limber::physics
