// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "limber/asset/gltf_decode.h"

namespace limber::asset {
namespace {

constexpr const char* kLights = "KHR_lights_punctual";
constexpr const char* kInstancing = "EXT_mesh_gpu_instancing";

/// From sixteen numbers in column order.
Affine to_affine(const float* m) {
  Affine result;
  result.linear = Mat3::from_columns({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]});
  result.translation = {m[12], m[13], m[14]};
  return result;
}

bool has_affine_last_row(const float* m) { return m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1; }

Status read_transform(DecodeContext& context, const JsonAt& at, Node& node) {
  if (at.has("matrix")) {
    std::vector<float> matrix;
    LIMBER_CHECK_OK(at.read("matrix", matrix));
    if (matrix.size() != 16) return Error{"should be an array of 16 numbers", at.where("matrix")};
    if (!has_affine_last_row(matrix.data())) context.warn(at.where("matrix"), "the last row is not 0 0 0 1");
    node.matrix = to_affine(matrix.data());
    node.local = decompose(*node.matrix);
    return Done{};
  }
  LIMBER_CHECK_OK(at.read("translation", node.local.translation));
  LIMBER_CHECK_OK(at.read("rotation", node.local.rotation));
  return at.read("scale", node.local.scale);
}

Status read_instances(DecodeContext& context, const JsonAt& at, Node& node) {
  if (!at.has_extension(kInstancing)) return Done{};
  LIMBER_TRY(const JsonAt extension, at.extension(kInstancing));
  LIMBER_TRY(const JsonAt attributes, extension.object("attributes"));
  const auto read = [&](const char* key, std::uint64_t components, StandIn by) -> Result<std::vector<float>> {
    if (!attributes.has(key)) return std::vector<float>();
    LIMBER_TRY(const int accessor, attributes.need_index(key, context.accessors.size(), "accessor"));
    LIMBER_TRY(auto values, context.accessors.floats(accessor, components));
    context.warn(accessor, mend(values, components, by));
    return values;
  };
  LIMBER_TRY(const auto translations, read("TRANSLATION", 3, StandIn::kZero));
  LIMBER_TRY(const auto rotations, read("ROTATION", 4, StandIn::kNoRotation));
  LIMBER_TRY(const auto scales, read("SCALE", 3, StandIn::kOne));
  const std::size_t count = std::max({translations.size() / 3, rotations.size() / 4, scales.size() / 3});
  const auto fits = [&](std::size_t numbers, std::size_t components) {
    return numbers == 0 || numbers == count * components;
  };
  if (!fits(translations.size(), 3) || !fits(rotations.size(), 4) || !fits(scales.size(), 3)) {
    return attributes.error("the attributes have different numbers of elements");
  }
  LIMBER_CHECK_OK(context.budget.take(count, sizeof(Transform), extension.where()));
  node.instances.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Transform& instance = node.instances[i];
    if (const float* t = translations.empty() ? nullptr : &translations[3 * i])
      instance.translation = {t[0], t[1], t[2]};
    if (const float* r = rotations.empty() ? nullptr : &rotations[4 * i]) instance.rotation = {r[0], r[1], r[2], r[3]};
    if (const float* s = scales.empty() ? nullptr : &scales[3 * i]) instance.scale = {s[0], s[1], s[2]};
  }
  return Done{};
}

Result<Node> decode_node(DecodeContext& context, const JsonAt& at, std::size_t node_count, std::size_t skin_count) {
  const Asset& asset = context.decoded.asset;
  Node node;
  LIMBER_CHECK_OK(at.read("name", node.name));
  LIMBER_CHECK_OK(read_transform(context, at, node));
  LIMBER_CHECK_OK(at.read_indices("children", node_count, "node", node.children));
  LIMBER_CHECK_OK(at.read_index("mesh", asset.meshes.size(), "mesh", node.mesh));
  LIMBER_CHECK_OK(at.read_index("skin", skin_count, "skin", node.skin));
  LIMBER_CHECK_OK(at.read_index("camera", asset.cameras.size(), "camera", node.camera));
  LIMBER_CHECK_OK(at.read("weights", node.weights));
  LIMBER_TRY(const JsonAt light, at.extension(kLights));
  LIMBER_CHECK_OK(light.read_index("light", asset.lights.size(), "light", node.light));
  LIMBER_CHECK_OK(read_instances(context, at, node));
  node.extras = extras_of(at);
  return node;
}

/// The nodes must be a forest. With at most one parent each, a node that no root reaches lies on or below a cycle.
Status check_forest(const std::vector<Node>& nodes, const JsonAt& document) {
  const auto where = [&](std::size_t i) { return document.where("nodes") + "/" + std::to_string(i); };
  std::vector<int> parent(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const int child : nodes[i].children) {
      int& known = parent[static_cast<std::size_t>(child)];
      if (known >= 0) {
        return Error{"node " + std::to_string(child) + " is a child of node " + std::to_string(known) + " already",
                     where(i) + "/children"};
      }
      known = static_cast<int>(i);
    }
  }
  std::vector<bool> reached(nodes.size(), false);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (parent[i] < 0) open.push_back(i);
  }
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    reached[i] = true;
    for (const int child : nodes[i].children) open.push_back(static_cast<std::size_t>(child));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!reached[i]) return Error{"the node is its own ancestor", where(i)};
  }
  return Done{};
}

Result<Skin> decode_skin(DecodeContext& context, const JsonAt& at, std::size_t node_count, RestPlaces& rest) {
  Skin skin;
  LIMBER_CHECK_OK(at.read("name", skin.name));
  LIMBER_CHECK_OK(at.read_indices("joints", node_count, "node", skin.joints));
  LIMBER_CHECK_OK(at.read_index("skeleton", node_count, "node", skin.skeleton));
  if (skin.joints.empty()) context.warn(at.where(), "has no joints");
  LIMBER_CHECK_OK(context.budget.take(skin.joints.size(), sizeof(Affine), at.where()));
  skin.inverse_bind.resize(skin.joints.size());
  if (at.has("inverseBindMatrices")) {
    LIMBER_TRY(const int accessor, at.need_index("inverseBindMatrices", context.accessors.size(), "accessor"));
    LIMBER_TRY(const auto numbers, context.accessors.floats(accessor, 16));
    if (numbers.size() / 16 < skin.joints.size()) {
      return Error{"has " + std::to_string(numbers.size() / 16) + " matrices for " +
                       std::to_string(skin.joints.size()) + " joints",
                   at.where("inverseBindMatrices")};
    }
    for (std::size_t i = 0; i < skin.joints.size(); ++i) skin.inverse_bind[i] = to_affine(&numbers[16 * i]);
    context.warn(accessor, mend_inverse_bind(skin, rest));
  }
  skin.extras = extras_of(at);
  return skin;
}

/// The largest joint that a vertex of a mesh really follows, and the primitive it is in; -1 for none.
struct LargestJoint {
  int joint = -1;
  std::size_t primitive = 0;
};

LargestJoint largest_joint(const Mesh& mesh) {
  LargestJoint largest;
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    for (const InfluenceSet& set : mesh.primitives[p].influences) {
      for (std::size_t v = 0; v < set.joints.size(); ++v) {
        for (int k = 0; k < 4; ++k) {
          const int joint = set.joints[v][static_cast<std::size_t>(k)];
          if (set.weights[v][k] != 0 && joint > largest.joint) largest = {joint, p};
        }
      }
    }
  }
  return largest;
}

Status check_joints(DecodeContext& context) {
  const Asset& asset = context.decoded.asset;
  std::unordered_map<int, LargestJoint> known;  // by mesh, of which many nodes may share one
  for (const Node& node : asset.nodes) {
    if (node.mesh < 0 || node.skin < 0) continue;
    const auto [entry, is_new] = known.try_emplace(node.mesh);
    if (is_new) entry->second = largest_joint(asset.meshes[static_cast<std::size_t>(node.mesh)]);
    const LargestJoint& largest = entry->second;
    const auto joint_count = static_cast<int>(asset.skins[static_cast<std::size_t>(node.skin)].joints.size());
    if (largest.joint >= joint_count) {
      return Error{"a vertex follows joint " + std::to_string(largest.joint) + ", but skin " +
                       std::to_string(node.skin) + " has " + std::to_string(joint_count) + " joints",
                   context.document.where("meshes") + "/" + std::to_string(node.mesh) + "/primitives/" +
                       std::to_string(largest.primitive)};
    }
  }
  return Done{};
}

Result<Camera> decode_camera(DecodeContext& context, const JsonAt& at) {
  Camera camera;
  std::string type;
  LIMBER_CHECK_OK(at.read("name", camera.name));
  LIMBER_CHECK_OK(at.read("type", type));
  camera.perspective = type != "orthographic";
  if (camera.perspective && type != "perspective") context.warn(at.where("type"), "taken as perspective");
  LIMBER_TRY(const JsonAt lens, at.object(camera.perspective ? "perspective" : "orthographic"));
  LIMBER_CHECK_OK(lens.read("yfov", camera.yfov));
  LIMBER_CHECK_OK(lens.read("aspectRatio", camera.aspect));
  LIMBER_CHECK_OK(lens.read("xmag", camera.xmag));
  LIMBER_CHECK_OK(lens.read("ymag", camera.ymag));
  LIMBER_CHECK_OK(lens.read("znear", camera.near));
  LIMBER_CHECK_OK(lens.read("zfar", camera.far));
  return camera;
}

Result<Light> decode_light(DecodeContext& context, const JsonAt& at) {
  Light light;
  std::string type;
  LIMBER_CHECK_OK(at.read("name", light.name));
  LIMBER_CHECK_OK(at.read("type", type));
  if (type == "point") {
    light.kind = LightKind::kPoint;
  } else if (type == "spot") {
    light.kind = LightKind::kSpot;
  } else if (type != "directional") {
    context.warn(at.where("type"), "unknown kind \"" + type.substr(0, 40) + "\", taken as directional");
  }
  LIMBER_CHECK_OK(at.read("color", light.color));
  LIMBER_CHECK_OK(at.read("intensity", light.intensity));
  LIMBER_CHECK_OK(at.read("range", light.range));
  LIMBER_TRY(const JsonAt spot, at.object("spot"));
  LIMBER_CHECK_OK(spot.read("innerConeAngle", light.inner_cone));
  LIMBER_CHECK_OK(spot.read("outerConeAngle", light.outer_cone));
  return light;
}

Status decode_scenes(DecodeContext& context) {
  Asset& asset = context.decoded.asset;
  LIMBER_TRY(const auto scenes, context.document.objects("scenes"));
  for (const JsonAt& at : scenes) {
    Scene scene;
    LIMBER_CHECK_OK(at.read("name", scene.name));
    LIMBER_CHECK_OK(at.read_indices("nodes", asset.nodes.size(), "node", scene.roots));
    asset.scenes.push_back(std::move(scene));
  }
  LIMBER_CHECK_OK(context.document.read_index("scene", scenes.size(), "scene", asset.scene));
  // Where the file names none, viewers show the first.
  if (asset.scene < 0 && !scenes.empty()) asset.scene = 0;
  return Done{};
}

}  // namespace

Status decode_nodes(DecodeContext& context) {
  Asset& asset = context.decoded.asset;
  LIMBER_TRY(const auto cameras, context.document.objects("cameras"));
  for (const JsonAt& at : cameras) {
    LIMBER_TRY(Camera camera, decode_camera(context, at));
    asset.cameras.push_back(std::move(camera));
  }
  LIMBER_TRY(const JsonAt extension, context.document.extension(kLights));
  LIMBER_TRY(const auto lights, extension.objects("lights"));
  for (const JsonAt& at : lights) {
    LIMBER_TRY(Light light, decode_light(context, at));
    asset.lights.push_back(std::move(light));
  }
  LIMBER_TRY(const auto nodes, context.document.objects("nodes"));
  LIMBER_TRY(const auto skins, context.document.objects("skins"));
  for (const JsonAt& at : nodes) {
    LIMBER_TRY(Node node, decode_node(context, at, nodes.size(), skins.size()));
    asset.nodes.push_back(std::move(node));
  }
  LIMBER_CHECK_OK(check_forest(asset.nodes, context.document));
  RestPlaces rest(asset.nodes);
  for (const JsonAt& at : skins) {
    LIMBER_TRY(Skin skin, decode_skin(context, at, nodes.size(), rest));
    asset.skins.push_back(std::move(skin));
  }
  LIMBER_CHECK_OK(check_joints(context));
  return decode_scenes(context);
}

}  // namespace limber::asset
