// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/assimp_scene.h"

#if defined(LIMBER_WITH_ASSIMP)

#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "limber/asset/assimp_mesh.h"
#include "limber/asset/assimp_steps.h"
#include "limber/asset/not_finite.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

Affine to_limber(const aiMatrix4x4& m) {
  Affine a;
  a.linear.m = {{{m.a1, m.a2, m.a3}, {m.b1, m.b2, m.b3}, {m.c1, m.c2, m.c3}}};
  a.translation = {m.a4, m.b4, m.c4};
  return a;
}

bool nearly_equal(const Affine& a, const Affine& b) {
  const float size = norm(a.linear.row(0)) + norm(a.linear.row(1)) + norm(a.linear.row(2));
  for (int r = 0; r < 3; ++r) {
    if (!(norm(a.linear.row(r) - b.linear.row(r)) <= 1e-5f * size)) return false;
  }
  return norm(a.translation - b.translation) <= 1e-5f * (norm(a.translation) + size);
}

// --- nodes -----------------------------------------------------------------------------------------------------------

// FBX files say which way is up and how long a unit is (in centimetres): the root takes them to metres, +Y up.
void orient_root(const aiScene& scene, const SceneOrigin& origin, Node& root) {
  if (origin.extension != ".fbx" || !scene.mMetaData) return;
  const auto axis = [&](const char* key, int fallback) {
    std::int32_t index = fallback, sign = 1;
    scene.mMetaData->Get(key, index);
    scene.mMetaData->Get(std::string(key) + "Sign", sign);
    Vec3 row;
    row[index >= 0 && index < 3 ? index : fallback] = sign < 0 ? -1.0f : 1.0f;
    return row;
  };
  Mat3 y_up = transposed(Mat3::from_columns(axis("CoordAxis", 0), axis("UpAxis", 1), axis("FrontAxis", 2)));
  // Left-handed systems, and roots that the importer has turned already, stay as they are.
  if (determinant(y_up) != 1 || local_matrix(root) != Affine{}) y_up = Mat3::identity();
  double centimetres = 1;
  float single = 1;
  if (!scene.mMetaData->Get("UnitScaleFactor", centimetres) && scene.mMetaData->Get("UnitScaleFactor", single)) {
    centimetres = single;
  }
  if (!(centimetres > 1e-6 && centimetres < 1e9)) centimetres = 1;
  const Affine world_from_file{static_cast<float>(centimetres / 100) * y_up, {}};
  const Affine matrix = world_from_file * local_matrix(root);
  root.local = decompose(matrix);
  if (root.matrix) root.matrix = matrix;
}

// --- skins -----------------------------------------------------------------------------------------------------------

/// Joints with their inverse bind matrices, by node.
using Bones = std::map<int, Affine>;

Bones bones_of(const aiScene& scene, const aiNode& node, const NodeTree& tree, Warnings& warnings) {
  Bones bones;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[i]];
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
      const int joint = tree.find(mesh.mBones[b]->mName);
      if (joint >= 0) {
        bones.emplace(joint, to_limber(mesh.mBones[b]->mOffsetMatrix));
      } else {
        warnings.push_back(fmt::format("bone '{}' has no node", mesh.mBones[b]->mName.C_Str()));
      }
    }
  }
  return bones;
}

/// Whether one skin can serve both. A matrix that is not finite stands in nobody's way.
bool agree(const Bones& skin, const Bones& bones) {
  return std::all_of(bones.begin(), bones.end(), [&](const auto& bone) {
    const auto same = skin.find(bone.first);
    return same == skin.end() || !is_finite(same->second) || !is_finite(bone.second) ||
           nearly_equal(same->second, bone.second);
  });
}

void add_bones(const Bones& bones, Bones& skin) {
  for (const auto& bone : bones) {
    const auto [known, fresh] = skin.insert(bone);
    if (!fresh && !is_finite(known->second)) known->second = bone.second;
  }
}

// --- meshes ----------------------------------------------------------------------------------------------------------

MeshSettings mesh_settings(const SceneOrigin& origin, Warnings& warnings) {
  // STL has one normal per triangle, which the triangle tells anyway; without it the corners can be joined. PLY has
  // shared vertices of its own, in an order that may matter.
  return {origin.name, origin.extension != ".stl", origin.extension != ".ply", &warnings};
}

/// Per bone of the mesh, the joint's place in the skin, or -1. Without a skin there are none.
std::vector<int> joints_by_bone(const aiMesh& mesh, const NodeTree& tree, const Skin* skin) {
  std::vector<int> joints(mesh.mNumBones, -1);
  for (unsigned b = 0; b < mesh.mNumBones && skin != nullptr; ++b) {
    const int node = tree.find(mesh.mBones[b]->mName);
    const auto found = std::lower_bound(skin->joints.begin(), skin->joints.end(), node);
    if (found != skin->joints.end() && *found == node) joints[b] = static_cast<int>(found - skin->joints.begin());
  }
  return joints;
}

// All primitives of a glTF mesh have the same targets: only meshes that agree keep them.
void set_morph_weights(const aiMesh& first, Mesh& mesh, Warnings& warnings) {
  if (mesh.primitives.empty()) return;
  const std::size_t count = mesh.primitives[0].targets.size();
  for (const Primitive& p : mesh.primitives) {
    if (p.targets.size() == count) continue;
    warnings.push_back(fmt::format("left out the morph targets of mesh '{}': its parts differ", mesh.name));
    for (Primitive& other : mesh.primitives) other.targets.clear();
    return;
  }
  for (std::size_t t = 0; t < count && t < first.mNumAnimMeshes; ++t) {
    const float weight = first.mAnimMeshes[t]->mWeight;
    mesh.weights.push_back(std::isfinite(weight) ? weight : 0);
  }
}

/// The meshes of one node as one.
Result<Mesh> join_parts(const aiScene& scene, const std::vector<unsigned>& parts, const NodeTree& tree,
                        const Skin* skin, const MeshSettings& settings) {
  Mesh mesh;
  mesh.name = scene.mMeshes[parts[0]]->mName.C_Str();
  for (const unsigned part : parts) {
    const aiMesh& source = *scene.mMeshes[part];
    LIMBER_TRY(Primitive primitive, convert_mesh(source, joints_by_bone(source, tree, skin), settings));
    if (!primitive.positions.empty()) mesh.primitives.push_back(std::move(primitive));
  }
  set_morph_weights(*scene.mMeshes[parts[0]], mesh, *settings.warnings);
  return mesh;
}

}  // namespace

int NodeTree::find(const aiString& name) const {
  const auto found = by_name.find(name.C_Str());
  return found == by_name.end() ? -1 : found->second;
}

NodeTree convert_nodes(const aiScene& scene, const SceneOrigin& origin, Warnings& warnings) {
  NodeTree tree;
  std::size_t mended = 0;
  std::string first_mended;
  std::vector<std::pair<const aiNode*, int>> open{{scene.mRootNode, -1}};
  while (!open.empty()) {
    const auto [source, parent] = open.back();
    open.pop_back();
    const int index = static_cast<int>(tree.nodes.size());
    Node node;
    node.name = source->mName.C_Str();
    Affine matrix = to_limber(source->mTransformation);
    if (!is_finite(matrix)) {
      if (mended++ == 0) first_mended = node.name;
      matrix = {};
    }
    node.local = decompose(matrix);
    if (!nearly_equal(matrix, to_affine(node.local))) node.matrix = matrix;
    tree.by_name.emplace(node.name, index);
    if (parent >= 0) tree.nodes[at(parent)].children.push_back(index);
    tree.nodes.push_back(std::move(node));
    tree.sources.push_back(source);
    for (unsigned i = source->mNumChildren; i-- > 0;) open.emplace_back(source->mChildren[i], index);
  }
  if (mended > 0) {
    warnings.push_back(fmt::format("the transforms of {} nodes (first '{}') are not finite; the identity stands in",
                                   mended, first_mended));
  }
  orient_root(scene, origin, tree.nodes[0]);
  return tree;
}

Result<Skins> convert_skins(const aiScene& scene, const SceneOrigin& origin, const NodeTree& tree, Warnings& warnings) {
  Skins result;
  result.of_node.assign(tree.nodes.size(), -1);
  // Meshes whose bind matrices agree share a skin, so that one character gets one skeleton.
  std::vector<Bones> all;
  for (std::size_t n = 0; n < tree.sources.size(); ++n) {
    const Bones bones = bones_of(scene, *tree.sources[n], tree, warnings);
    if (bones.empty()) continue;
    auto skin = std::find_if(all.begin(), all.end(), [&](const Bones& known) { return agree(known, bones); });
    if (skin == all.end()) skin = all.emplace(all.end());
    add_bones(bones, *skin);
    result.of_node[n] = static_cast<int>(skin - all.begin());
  }
  RestPlaces rest(tree.nodes);
  for (const Bones& bones : all) {
    Skin skin;
    for (const auto& [joint, inverse_bind] : bones) {
      skin.joints.push_back(joint);
      skin.inverse_bind.push_back(inverse_bind);
    }
    if (skin.joints.size() > std::numeric_limits<std::uint16_t>::max()) {
      return Error{"too many joints", origin.name, ErrorKind::kUnsupported};
    }
    if (const Mended mended = mend_inverse_bind(skin, rest); mended.count > 0) {
      warnings.push_back(fmt::format("bind matrices of skin {}: {}", result.skins.size(), mended.sentence()));
    }
    result.skins.push_back(std::move(skin));
  }
  return result;
}

Result<Meshes> convert_meshes(const aiScene& scene, const SceneOrigin& origin, const NodeTree& tree, const Skins& skins,
                              Warnings& warnings) {
  Meshes result;
  result.of_node.assign(tree.nodes.size(), -1);
  // Nodes that show the same meshes with the same skin share them.
  std::map<std::pair<std::vector<unsigned>, int>, int> made;
  for (std::size_t n = 0; n < tree.sources.size(); ++n) {
    const aiNode& source = *tree.sources[n];
    if (source.mNumMeshes == 0) continue;
    const std::vector<unsigned> parts(source.mMeshes, source.mMeshes + source.mNumMeshes);
    const int skin = skins.of_node[n];
    const auto [entry, fresh] = made.emplace(std::pair(parts, skin), static_cast<int>(result.meshes.size()));
    result.of_node[n] = entry->second;
    if (!fresh) continue;
    LIMBER_TRY(Mesh mesh, join_parts(scene, parts, tree, skin < 0 ? nullptr : &skins.skins[at(skin)],
                                     mesh_settings(origin, warnings)));
    result.meshes.push_back(std::move(mesh));
  }
  return result;
}

Result<Asset> convert_scene(const aiScene& scene, const SceneOrigin& origin) {
  if (!scene.mRootNode) return Error{"the file has no scene", origin.name};
  Warnings warnings;
  NodeTree tree = convert_nodes(scene, origin, warnings);
  Surfaces surfaces = convert_materials(scene, origin, warnings);
  LIMBER_TRY(Skins skins, convert_skins(scene, origin, tree, warnings));
  LIMBER_TRY(Meshes meshes, convert_meshes(scene, origin, tree, skins, warnings));
  std::vector<Clip> clips = convert_clips(scene, tree, meshes, warnings);
  if (scene.mNumCameras > 0) warnings.push_back(fmt::format("left out {} cameras", scene.mNumCameras));
  if (scene.mNumLights > 0) warnings.push_back(fmt::format("left out {} lights", scene.mNumLights));

  Asset asset;
  asset.name = origin.name;
  asset.scene = 0;
  asset.scenes.resize(1);
  asset.scenes[0].roots = {0};
  asset.nodes = std::move(tree.nodes);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    asset.nodes[n].mesh = meshes.of_node[n];
    asset.nodes[n].skin = skins.of_node[n];
  }
  asset.materials = std::move(surfaces.materials);
  asset.textures = std::move(surfaces.textures);
  asset.images = std::move(surfaces.images);
  asset.skins = std::move(skins.skins);
  asset.meshes = std::move(meshes.meshes);
  asset.clips = std::move(clips);
  asset.warnings = std::move(warnings);
  return asset;
}

}  // namespace limber::asset

#endif
