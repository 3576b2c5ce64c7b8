// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/asset/asset.h"

/// Posing an asset as a glTF viewer does, exactly and in double: the yardstick for everything faster.
namespace limber::asset {

/// The state of every node at one instant.
struct NodeState {
  std::vector<Affined> world_from_node;
  std::vector<std::vector<float>> morph_weights;  ///< per node with a mesh: what is in force
};

/// The nodes as they stand in the file.
NodeState rest_state(const Asset& asset);

/// The nodes at `time` seconds into `clip`; before the first and after the last key a channel holds its value.
NodeState clip_state(const Asset& asset, const Clip& clip, double time);

/// Value of one channel at `time`: 3 (translation, scale), 4 (unit quaternion) or the number of morph weights. STEP,
/// LINEAR (slerp for rotations) and CUBICSPLINE as the glTF specification defines them.
std::vector<double> sample(const Channel& channel, double time);

/// Which nodes a scene shows. `scene` -1 means the default scene (the first if the file names none), or all nodes if
/// there are no scenes.
std::vector<bool> shown_nodes(const Asset& asset, int scene = -1);

/// One mesh primitive in world space, morphed and skinned. Weights are used as fractions of their sum (as Blender,
/// three.js and Unity do); a vertex without weight follows its node.
struct PosedPrimitive {
  int node = -1, mesh = -1, primitive = -1, instance = -1;
  std::vector<Vec3d> positions, normals;  ///< normals are empty where the primitive has none
  bool mirrored = false;                  ///< the node (or most of the joints) mirrors: triangles must be turned round
};

/// Every primitive below the scene's roots, in node order. `scene` -1 means the default scene (the first where the file
/// names none), or all nodes if there are no scenes. Skinned vertices are placed by their joints alone, so a skinned
/// mesh appears once, whatever its node's transform and instances.
std::vector<PosedPrimitive> posed_geometry(const Asset& asset, const NodeState& state, int scene = -1);

/// A static copy of the default scene: meshes posed in world space (positions rounded to float), one node each (and one
/// per instance), mirrored triangles turned round; materials, textures and images kept; no skins, clips, morph targets,
/// tangents, cameras or lights.
Asset bake(const Asset& asset, const NodeState& state);

}  // namespace limber::asset
