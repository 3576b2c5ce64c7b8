// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/asset/asset.h"
#include "limber/rig/asset_skeleton.h"
#include "limber/rig/skin_contacts.h"

/// Joints that hang on a node which does not carry them: feet below the root, as baked inverse kinematics leaves them.
/// Private to `rig`.
namespace limber::rig {

/// Who may carry a joint, and how much the two touch.
struct Carrier {
  int joint = -1;
  double strength = 0;  ///< of the contact, > 0
};

struct LooseJoint {
  int joint = -1;
  std::vector<Carrier> carriers;  ///< at least one; none of them hangs below the joint, or above it
};

/// The joints whose mechanical parent is not their hierarchical one. `height` is that of the whole body.
///
/// The asset's own clips say so first: the joint strays from everything that it hangs on, up to the next joint with
/// skin, while it keeps its place in the frame of a joint beside it. Then the skin: the joint touches none of those
/// above it, touches another, and turning what lies between the two would tear them apart. Joints without skin, and
/// what touches nothing and moves with nothing (props), stay where they are.
std::vector<LooseJoint> find_loose_joints(const asset::Asset& asset, const AssetSkeleton& skeleton,
                                          const JointSkin& skin, double height);

}  // namespace limber::rig
