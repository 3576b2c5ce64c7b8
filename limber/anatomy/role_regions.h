// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/anatomy/region.h"
#include "limber/rig/rig.h"

/// What the reader is taught of bodies whose joints know their roles. Rigs stand +Y up and face +Z, so that +X is left.
namespace limber::anatomy {

/// What each joint is a part of. Of the legs of a side the foremost is front, the hindmost hind, others middle; where
/// there are arms, those are front and the foremost of several legs is middle too. Wings and side fins are wings, other
/// fins fins; what the head carries is head; fingers are the end of their limb; tentacles are middle; props other.
/// Level bodies without legs or arms have a tail from six tenths of their length on.
std::vector<Region> role_regions(const rig::Rig& rig);

/// The kind that a body's limbs make, by its legs: what else it has (the wings of a dragon, a centaur's arms) does not
/// change it. Two: bird with wings and no arms, else humanoid or theropod as the trunk stands. Four: lizard where they
/// sprawl, else quadruped. None: fish by its fins, snake where it is long and bare. Anything else is other.
BodyKind kind_of(const rig::Rig& rig);

}  // namespace limber::anatomy
