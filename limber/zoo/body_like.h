// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/rig/rig.h"
#include "limber/zoo/body_spec.h"

namespace limber::zoo {

/// The body of the grammar that comes nearest to somebody's rig: as many legs, arms, wings, fins, heads, tails and
/// tentacles, a trunk carried as that one's, a neck and tails as long. What it does can be retargeted to the rig limb
/// by limb. The rig stands upright, faces +Z and knows its limbs; one that does not is a bare trunk.
BodySpec body_like(const rig::Rig& rig);

}  // namespace limber::zoo
