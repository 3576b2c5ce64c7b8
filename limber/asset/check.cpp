// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/check.h"

#include <cmath>
#include <span>

namespace limber::asset {
namespace {

template <class T>
bool all_finite(const std::vector<T>& values) {
  const std::span<const float> numbers(reinterpret_cast<const float*>(values.data()),
                                       values.size() * sizeof(T) / sizeof(float));
  for (const float number : numbers) {
    if (!std::isfinite(number)) return false;
  }
  return true;
}

bool is_finite_transform(const Transform& t) {
  return is_finite(t.translation) && is_finite(t.scale) && std::isfinite(t.rotation.x) && std::isfinite(t.rotation.y) &&
         std::isfinite(t.rotation.z) && std::isfinite(t.rotation.w);
}

Status check_index(int index, std::size_t count, const char* kind, const std::string& where, bool optional = true) {
  if (optional && index == -1) return Done{};
  if (index >= 0 && static_cast<std::size_t>(index) < count) return Done{};
  return Error{
      "refers to " + std::string(kind) + " " + std::to_string(index) + ", but there are " + std::to_string(count),
      where};
}

Status check_length(std::size_t length, std::size_t vertices, const char* what, const std::string& where) {
  if (length == 0 || length == vertices) return Done{};
  return Error{std::to_string(length) + " " + what + " for " + std::to_string(vertices) + " vertices", where};
}

Status check_primitive(const Asset& asset, const Primitive& primitive, const std::string& where) {
  const std::size_t vertices = primitive.positions.size();
  LIMBER_CHECK_OK(check_index(primitive.material, asset.materials.size(), "material", where));
  LIMBER_CHECK_OK(check_length(primitive.normals.size(), vertices, "normals", where));
  LIMBER_CHECK_OK(check_length(primitive.tangents.size(), vertices, "tangents", where));
  if (!all_finite(primitive.positions)) return Error{"a position is not finite", where};
  for (const auto& set : primitive.texcoords) {
    LIMBER_CHECK_OK(check_length(set.size(), vertices, "texcoords", where));
    if (!all_finite(set)) return Error{"a texcoord is not finite", where};
  }
  for (const auto& set : primitive.colors) {
    LIMBER_CHECK_OK(check_length(set.size(), vertices, "colors", where));
    if (!all_finite(set)) return Error{"a color is not finite", where};
  }
  for (const InfluenceSet& set : primitive.influences) {
    LIMBER_CHECK_OK(check_length(set.joints.size(), vertices, "joints", where));
    LIMBER_CHECK_OK(check_length(set.weights.size(), vertices, "weights", where));
    if (set.joints.size() != set.weights.size()) return Error{"joints and weights come in pairs", where};
    if (!all_finite(set.weights)) return Error{"a weight is not finite", where};
  }
  for (const MorphTarget& target : primitive.targets) {
    LIMBER_CHECK_OK(check_length(target.positions.size(), vertices, "morphed positions", where));
    LIMBER_CHECK_OK(check_length(target.normals.size(), vertices, "morphed normals", where));
    LIMBER_CHECK_OK(check_length(target.tangents.size(), vertices, "morphed tangents", where));
    if (!all_finite(target.positions)) return Error{"a morphed position is not finite", where};
  }
  for (const std::uint32_t index : primitive.indices) {
    if (index >= vertices) return Error{"index " + std::to_string(index) + " is past the vertices", where};
  }
  return Done{};
}

Status check_node(const Asset& asset, const Node& node, const std::string& where) {
  LIMBER_CHECK_OK(check_index(node.mesh, asset.meshes.size(), "mesh", where));
  LIMBER_CHECK_OK(check_index(node.skin, asset.skins.size(), "skin", where));
  LIMBER_CHECK_OK(check_index(node.camera, asset.cameras.size(), "camera", where));
  LIMBER_CHECK_OK(check_index(node.light, asset.lights.size(), "light", where));
  for (const int child : node.children) LIMBER_CHECK_OK(check_index(child, asset.nodes.size(), "node", where, false));
  // Where a matrix is given, `local` is not written.
  if (node.matrix ? !is_finite(*node.matrix) : !is_finite_transform(node.local)) {
    return Error{"the transform is not finite", where};
  }
  for (const Transform& instance : node.instances) {
    if (!is_finite_transform(instance)) return Error{"an instance is not finite", where};
  }
  if (!all_finite(node.weights)) return Error{"a morph weight is not finite", where};
  return Done{};
}

Status check_skin(const Asset& asset, const Skin& skin, const std::string& where) {
  for (const int joint : skin.joints) LIMBER_CHECK_OK(check_index(joint, asset.nodes.size(), "node", where, false));
  LIMBER_CHECK_OK(check_index(skin.skeleton, asset.nodes.size(), "node", where));
  if (skin.inverse_bind.size() != skin.joints.size()) {
    return Error{std::to_string(skin.inverse_bind.size()) + " inverse bind matrices for " +
                     std::to_string(skin.joints.size()) + " joints",
                 where};
  }
  for (const Affine& matrix : skin.inverse_bind) {
    if (!is_finite(matrix)) return Error{"an inverse bind matrix is not finite", where};
  }
  return Done{};
}

Status check_channel(const Asset& asset, const Channel& channel, const std::string& where) {
  LIMBER_CHECK_OK(check_index(channel.node, asset.nodes.size(), "node", where, false));
  if (channel.times.empty()) return Error{"has no keys", where};
  if (!all_finite(channel.times) || !all_finite(channel.values)) return Error{"a key is not finite", where};
  for (std::size_t i = 1; i < channel.times.size(); ++i) {
    if (channel.times[i] < channel.times[i - 1]) return Error{"key time " + std::to_string(i) + " goes back", where};
  }
  const std::size_t keys = channel.times.size() * (channel.interpolation == Interpolation::kCubicSpline ? 3 : 1);
  std::size_t expected = keys * (channel.path == Path::kRotation ? 4 : 3);
  if (channel.path == Path::kWeights) expected = channel.values.size() / keys * keys;
  if (channel.values.size() != expected || channel.values.empty()) {
    return Error{
        std::to_string(channel.values.size()) + " numbers for " + std::to_string(channel.times.size()) + " keys",
        where};
  }
  return Done{};
}

/// At most one parent each, and no cycles.
Status check_forest(const Asset& asset, const std::string& where) {
  std::vector<int> parent(asset.nodes.size(), -1);
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    for (const int child : asset.nodes[i].children) {
      if (parent[static_cast<std::size_t>(child)] >= 0) {
        return Error{"node " + std::to_string(child) + " has two parents", where};
      }
      parent[static_cast<std::size_t>(child)] = static_cast<int>(i);
    }
  }
  // A walk up that takes more steps than there are nodes goes round in circles; a node once passed is not walked again.
  std::vector<int> passed(asset.nodes.size(), -1);
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    for (int node = static_cast<int>(i); node >= 0; node = parent[static_cast<std::size_t>(node)]) {
      int& mark = passed[static_cast<std::size_t>(node)];
      if (mark == static_cast<int>(i)) return Error{"node " + std::to_string(node) + " is its own ancestor", where};
      if (mark >= 0) break;
      mark = static_cast<int>(i);
    }
  }
  return Done{};
}

}  // namespace

Status check_asset(const Asset& asset) {
  const auto where = [&](const char* list, std::size_t i) {
    return asset.name + "#/" + list + "/" + std::to_string(i);
  };
  for (std::size_t m = 0; m < asset.meshes.size(); ++m) {
    const auto& primitives = asset.meshes[m].primitives;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      LIMBER_CHECK_OK(check_primitive(asset, primitives[p], where("meshes", m) + "/primitives/" + std::to_string(p)));
    }
  }
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    LIMBER_CHECK_OK(check_node(asset, asset.nodes[i], where("nodes", i)));
  }
  LIMBER_CHECK_OK(check_forest(asset, asset.name + "#/nodes"));
  for (std::size_t i = 0; i < asset.skins.size(); ++i) {
    LIMBER_CHECK_OK(check_skin(asset, asset.skins[i], where("skins", i)));
  }
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    const auto& channels = asset.clips[i].channels;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      LIMBER_CHECK_OK(check_channel(asset, channels[c], where("animations", i) + "/channels/" + std::to_string(c)));
    }
  }
  for (std::size_t i = 0; i < asset.scenes.size(); ++i) {
    for (const int root : asset.scenes[i].roots) {
      LIMBER_CHECK_OK(check_index(root, asset.nodes.size(), "node", where("scenes", i), false));
    }
  }
  for (std::size_t i = 0; i < asset.textures.size(); ++i) {
    LIMBER_CHECK_OK(check_index(asset.textures[i].image, asset.images.size(), "image", where("textures", i)));
  }
  for (std::size_t i = 0; i < asset.materials.size(); ++i) {
    const Material& m = asset.materials[i];
    for (const TextureUse* use : {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture,
                                  &m.occlusion_texture, &m.emissive_texture}) {
      LIMBER_CHECK_OK(check_index(use->texture, asset.textures.size(), "texture", where("materials", i)));
    }
  }
  return check_index(asset.scene, asset.scenes.size(), "scene", asset.name + "#/scene");
}

}  // namespace limber::asset
