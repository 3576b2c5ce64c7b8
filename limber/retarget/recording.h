// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// What is peculiar to recordings of people and animals: a skeleton without a body, somewhere in a hall.
namespace limber::retarget {

/// Recorded somewhere, facing any wall: starts over the origin, facing +Z, and stands on the ground. The rig stands
/// along +Y at rest, facing +Z.
void start_at_origin(const rig::Rig& rig, kinematics::Motion& motion);

/// Collections put a pose at rest before the motion (a T-pose as its first frame), which may not be the one that the
/// skeleton has without any motion. Where a clip begins so, the skeleton gets that pose and the clip loses the frame.
/// Returns whether it did.
bool take_first_pose(asset::Asset& asset, int clip);

}  // namespace limber::retarget
