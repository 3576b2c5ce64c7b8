// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/facing.h"
#include "limber/rig/rig.h"

namespace limber::rig {

/// Where a run of a subject's points comes from.
struct PointRange {
  int node = -1, mesh = -1, primitive = -1;  ///< in the asset; the points are the primitive's vertices in order
  std::size_t first = 0, count = 0;
  int instance = -1;  ///< of Node::instances, -1 where the node has none
};

/// Something to animate: a rig and all the geometry that it moves, in one list. Its world is the asset's world,
/// uniformly scaled and shifted: height one, standing on y = 0, centred over the origin.
struct Subject {
  Rig rig;
  std::vector<Vec3> points;   ///< bind space
  std::vector<Vec3> normals;  ///< bind space, unit; computed where the asset has none
  std::vector<std::array<std::uint32_t, 3>> triangles;
  SkinWeights weights;  ///< one row per point
  std::vector<PointRange> ranges;
  float asset_scale = 1;  ///< asset_world = asset_scale * subject_world + asset_offset
  Vec3 asset_offset;
  std::vector<std::string> notes;  ///< decisions worth knowing: roots attached, points without weight ...
  Facing facing;                   ///< at rest, in the subject's world; unknown unless the asset or a rigger says so
};

/// Builds the kinematic tree of an asset that has a skin or animated nodes.
///
/// Joints are the joints of the skins in use, and every node that a clip moves together with a mesh or a joint. Meshes
/// below a joint without a skin hang on it rigidly. Joint trees beside the main one (IK roots, hands without hierarchy)
/// are attached to the joint whose skin they touch most, or else to the nearest one; `Joint::node` still tells whose
/// transform it is. Meshes that nothing moves are left out.
///
/// Points are bound so that a rig whose bind pose is its rest pose has identity bone matrices at rest, and `points` are
/// the rest geometry. Joint axes, limits, roles and the facing are taken from `RigExtras` where a skin has them.
Result<Subject> subject_from_asset(const asset::Asset& asset);

/// asset_world from subject_world.
Affined asset_from_subject(const Subject& subject);

/// How a joint of a rig and its node in the asset correspond.
struct NodeLink {
  int ancestor = -1;        ///< the joint of the nearest node above that has one, -1 for none
  Affined above;            ///< ancestor's node (or asset world) from the node's parent: plain nodes, fixed
  Affined joint_from_node;  ///< fixed: world_from_node = asset_from_subject * world_from_joint * joint_from_node
  /// The node's translation, rotation and scale are the joint's own: same parent, same rest transform. Otherwise
  /// (joints attached elsewhere, skeletons that `exporter::add_rig` made) one follows from the other through world
  /// transforms.
  bool native = false;
};

/// One link per joint. Joints without a node get an empty link.
std::vector<NodeLink> node_links(const asset::Asset& asset, const Subject& subject);

}  // namespace limber::rig
