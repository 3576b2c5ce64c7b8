// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"

/// The joints of an asset as they stand in it: a forest, in the asset's units. Private to `rig`.
namespace limber::rig {

/// A node's local transform as a joint has it.
struct NodeRest {
  Transformd transform;  ///< scales that vanish are replaced by a tiny one, so that everything can be inverted
  Affined remainder;     ///< local = transform * remainder: shear of a matrix, else the identity
  bool hidden = false;   ///< a scale vanishes
};
NodeRest node_rest(const asset::Node& node);

struct SkeletonJoint {
  int node = -1;
  int parent = -1;  ///< joint, -1 for the root of a tree
  Affined above;    ///< parent's node (or world, for roots) from the node's parent
  NodeRest rest;
  Affined world;        ///< world_from_joint at rest
  Affined bind_world;   ///< the same with hidden joints shown at scale one
  bool hidden = false;  ///< it or a joint above it is scaled to nothing at rest
};

struct AssetSkeleton {
  std::vector<SkeletonJoint> joints;     ///< parents first
  std::vector<int> joint_above;          ///< per node: the joint at it or above it, -1 for none
  std::vector<Affined> joint_from_node;  ///< per node: that joint's node (or world) from the node

  /// world_from_node at rest, with hidden joints shown.
  Affined bind_world_from_node(int node) const;
};

/// Skins of shown meshes; all skins if there is no skinned mesh.
std::vector<bool> used_skins(const asset::Asset& asset, const std::vector<bool>& shown);

/// Which nodes are joints: those of the used skins, and those that a clip moves with a mesh or a joint on them. In an
/// asset without any mesh (motion capture), every node that a clip moves.
std::vector<bool> find_joint_nodes(const asset::Asset& asset, const std::vector<bool>& shown,
                                   const std::vector<bool>& skins);

AssetSkeleton asset_skeleton(const asset::Asset& asset, const std::vector<bool>& is_joint);

/// Per joint, whether its own scale distorts what hangs on it: it vanishes at rest, or a clip changes it unevenly or to
/// nothing.
std::vector<bool> distorted_joints(const asset::Asset& asset, const AssetSkeleton& skeleton);

/// Per joint, whether another tree may hang on it without loss: neither it nor a joint above it is distorted.
std::vector<bool> steady_joints(const asset::Asset& asset, const AssetSkeleton& skeleton);

}  // namespace limber::rig
