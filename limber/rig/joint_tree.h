// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/asset/asset.h"
#include "limber/rig/asset_skeleton.h"
#include "limber/rig/skin_contacts.h"

/// One tree of all joints, by who carries whom. Private to `rig`.
namespace limber::rig {

struct JointTree {
  std::vector<int> parent;    ///< per joint of the skeleton; -1 for the root
  int root = 0;               ///< a joint, or the number of joints: a fixed root has to be added
  std::vector<int> attached;  ///< roots in the asset that hang on another joint here
  std::vector<int> rehung;    ///< joints that hang on another joint in the asset, which does not carry them

  bool fixed_root() const { return root == static_cast<int>(parent.size()); }
};

/// Joins the trees of the asset, and hangs joints that something else carries than their parent (loose_joints.h) on
/// what does. `height` is that of the body, in the asset's units.
JointTree join_joints(const asset::Asset& asset, const AssetSkeleton& skeleton, const JointSkin& skin, double height);

}  // namespace limber::rig
