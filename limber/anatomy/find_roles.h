// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/rig/facing.h"
#include "limber/rig/rig.h"
#include "limber/rig/subject.h"

namespace limber::anatomy {

/// The limbs of a body, and what each of its joints is in them.
struct Roles {
  std::vector<rig::Limb> limbs;  ///< the trunk first
  std::vector<rig::Role> roles;  ///< one per joint
};

/// What the joints of any rig are: by their names, and where names tell of no limb at all by the tree's shape (what
/// leaves the middle, where it ends and whether it stands on the ground). A joint whose name says nothing belongs to
/// what its parent does. `facing` is the way the rig stands at rest.
Roles find_roles(const rig::Rig& rig, const rig::Facing& facing = {});

/// The rig with its own limbs where it has some, else with those that are found.
rig::Rig with_roles(const rig::Rig& rig, const rig::Facing& facing = {});

/// The same for a subject; its facing is found first where it is not known (`find_facing`).
rig::Subject with_roles(rig::Subject subject);

}  // namespace limber::anatomy
