// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/assimp_scene.h"
#include "limber/base/result.h"

struct aiNode;
struct aiString;

/// The steps from what assimp read to an Asset: each takes the scene and what earlier steps made. What a step leaves
/// out or mends is a line in `warnings`. Private to the module.
namespace limber::asset {

using Warnings = std::vector<std::string>;

/// The nodes, parents before their children. The root is the first.
struct NodeTree {
  std::vector<Node> nodes;
  std::vector<const aiNode*> sources;  ///< per node: what it was made of
  std::unordered_map<std::string, int> by_name;

  int find(const aiString& name) const;  ///< -1 for none
};
NodeTree convert_nodes(const aiScene& scene, const SceneOrigin& origin, Warnings& warnings);

/// The materials with what they show.
struct Surfaces {
  std::vector<Material> materials;
  std::vector<Texture> textures;
  std::vector<Image> images;
};
Surfaces convert_materials(const aiScene& scene, const SceneOrigin& origin, Warnings& warnings);

struct Skins {
  std::vector<Skin> skins;
  std::vector<int> of_node;  ///< -1 for none
};
Result<Skins> convert_skins(const aiScene& scene, const SceneOrigin& origin, const NodeTree& tree, Warnings& warnings);

struct Meshes {
  std::vector<Mesh> meshes;
  std::vector<int> of_node;  ///< -1 for none
};
Result<Meshes> convert_meshes(const aiScene& scene, const SceneOrigin& origin, const NodeTree& tree, const Skins& skins,
                              Warnings& warnings);

std::vector<Clip> convert_clips(const aiScene& scene, const NodeTree& tree, const Meshes& meshes, Warnings& warnings);

}  // namespace limber::asset
