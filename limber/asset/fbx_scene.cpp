// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/fbx_scene.h"

#include <algorithm>
#include <map>
#include <utility>

#include "limber/asset/fbx_curves.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

bool is_animated(const Asset& asset, int node) {
  return std::any_of(asset.clips.begin(), asset.clips.end(), [&](const Clip& clip) {
    return std::any_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& channel) {
      return channel.node == node && channel.path != Path::kWeights && !channel.times.empty();
    });
  });
}

/// Nodes so that parents come before their children. No recursion: files have chains thousands deep.
std::vector<int> parents_first(const Asset& asset, const std::vector<int>& parent) {
  std::vector<int> order, open;
  for (std::size_t n = asset.nodes.size(); n-- > 0;) {
    if (parent[n] < 0) open.push_back(static_cast<int>(n));
  }
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    order.push_back(next);
    const std::vector<int>& children = asset.nodes[at(next)].children;
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return order;
}

/// Nodes that are written, and as what.
std::vector<FbxKind> choose_kinds(const Asset& asset) {
  const std::vector<int> parent = parents(asset), order = parents_first(asset, parent);
  std::vector<bool> joint(asset.nodes.size(), false);
  for (const Skin& skin : asset.skins) {
    for (const int j : skin.joints) joint[at(j)] = true;
  }
  std::vector<bool> below_joint(joint), above_joint(joint);
  for (auto n = order.begin(); n != order.end(); ++n) {
    if (parent[at(*n)] >= 0 && below_joint[at(parent[at(*n)])]) below_joint[at(*n)] = true;
  }
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (parent[at(*n)] >= 0 && above_joint[at(*n)]) above_joint[at(parent[at(*n)])] = true;
  }
  // A skeleton alone (of a BVH file) has no skin that says so.
  const bool skeleton = asset.meshes.empty();
  const std::vector<bool> shown = shown_nodes(asset);
  std::vector<FbxKind> kinds(asset.nodes.size(), FbxKind::kLeftOut);
  for (std::size_t n = 0; n < kinds.size(); ++n) {
    // What lies between two joints is part of the skeleton too; what lies above all of them is not.
    if ((below_joint[n] && above_joint[n]) || (skeleton && shown[n])) {
      kinds[n] = FbxKind::kLimb;
    } else if (shown[n] && asset.nodes[n].mesh >= 0) {
      kinds[n] = FbxKind::kMesh;
    } else if (shown[n] || above_joint[n]) {
      kinds[n] = FbxKind::kNull;
    }
  }
  return kinds;
}

}  // namespace

// --- objects ---------------------------------------------------------------------------------------------------------

FbxRecord FbxObjects::make(std::string_view type, std::string_view name, std::string_view class_name,
                           std::string_view kind) {
  std::string full(name);
  full.append("\0\1", 2).append(class_name);
  return FbxRecord(type, next_++, full, kind);
}

FbxId FbxObjects::keep(FbxRecord object, FbxId id) {
  objects_.push_back(std::move(object));
  return id;
}

void FbxObjects::connect(FbxId child, FbxId parent) { connections_.emplace_back("C", "OO", child, parent); }

void FbxObjects::connect(FbxId child, FbxId parent, std::string_view property) {
  connections_.emplace_back("C", "OP", child, parent, property);
}

std::vector<FbxRecord> FbxObjects::sections() && {
  std::map<std::string, std::int32_t> counts{{"GlobalSettings", 1}};
  for (const FbxRecord& object : objects_) ++counts[object.name()];
  FbxRecord definitions("Definitions");
  definitions.child("Version", std::int32_t{100});
  definitions.child("Count", static_cast<std::int32_t>(objects_.size() + 1));
  for (const auto& [type, count] : counts) definitions.child("ObjectType", type).child("Count", count);
  std::vector<FbxRecord> result;
  result.push_back(std::move(definitions));
  FbxRecord& objects = result.emplace_back("Objects");
  for (FbxRecord& object : objects_) objects.child(std::move(object));
  FbxRecord& connections = result.emplace_back("Connections");
  for (FbxRecord& connection : connections_) connections.child(std::move(connection));
  return result;
}

std::string FbxNames::unique(std::string name, std::string_view fallback) {
  // A zero byte would end the name, and control characters confuse whoever shows it.
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ') c = '_';
  }
  if (name.empty()) name = fallback;
  std::string result = name;
  for (int n = 2; !taken_.insert(result).second; ++n) result = name + "_" + std::to_string(n);
  return result;
}

// --- nodes -----------------------------------------------------------------------------------------------------------

bool is_skinned(const Asset& asset, const Node& node) {
  if (node.mesh < 0 || node.skin < 0 || asset.skins[at(node.skin)].joints.empty()) return false;
  const std::vector<Primitive>& primitives = asset.meshes[at(node.mesh)].primitives;
  return std::any_of(primitives.begin(), primitives.end(), [](const Primitive& p) { return !p.influences.empty(); });
}

FbxScene::FbxScene(const Asset& source) : asset(source), rest(rest_state(source)), nodes(source.nodes.size()) {
  const std::vector<FbxKind> kinds = choose_kinds(asset);
  std::size_t order = 0;
  const std::vector<int> parent = parents(asset);
  for (const int n : parents_first(asset, parent)) nodes[at(n)].order = order++, nodes[at(n)].parent = parent[at(n)];
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    nodes[n].kind = kinds[n];
    if (kinds[n] == FbxKind::kLeftOut) continue;
    nodes[n].name = names.unique(node.name, "node_" + std::to_string(n));
    // A skinned mesh is where its joints are: it goes beside them, and its node stays only if it does something.
    if (kinds[n] == FbxKind::kMesh && is_skinned(asset, node)) {
      const bool needed = !node.children.empty() || is_animated(asset, static_cast<int>(n));
      nodes[n].kind = needed ? FbxKind::kNull : FbxKind::kLeftOut;
    } else if (kinds[n] == FbxKind::kMesh && !node.instances.empty()) {
      nodes[n].kind = FbxKind::kNull;  // the mesh is below it, once per instance
    }
    // Some readers take angles of a thousandth of a degree for none.
    const Quatd turn = normalized(node.local.rotation.cast<double>());
    if (nodes[n].kind == FbxKind::kLimb && angle_between(Quatd{}, turn) > 1e-3) nodes[n].before = turn;
  }
}

FbxId add_fbx_model(FbxScene& scene, const std::string& name, FbxKind kind, const Transformd& local, Quatd before,
                    FbxId parent) {
  const std::string_view kind_name = kind == FbxKind::kLimb ? "LimbNode" : kind == FbxKind::kMesh ? "Mesh" : "Null";
  FbxRecord model = scene.objects.make("Model", name, "Model", kind_name);
  const FbxId id = scene.objects.last_id();
  model.child("Version", std::int32_t{232});
  FbxRecord& properties = model.child("Properties70");
  const auto add_vector = [&](std::string_view property, std::string_view type, std::string_view label,
                              std::string_view flags,
                              Vec3d v) { properties.child(fbx_property(property, type, label, flags, v.x, v.y, v.z)); };
  const auto angles = [](Quatd q) {
    const Angles a = to_xyz(to_matrix(q));
    return Vec3d{a[0], a[1], a[2]};
  };
  properties.child(fbx_property("RotationOrder", "enum", "", "", std::int32_t{0}));  // x, y, z: Rz Ry Rx
  if (before != Quatd{}) {
    properties.child(fbx_property("RotationActive", "bool", "", "", std::int32_t{1}));
    add_vector("PreRotation", "Vector3D", "Vector", "", angles(before));
  }
  // Parents scale what is below them as a whole, as in glTF.
  properties.child(fbx_property("InheritType", "enum", "", "", std::int32_t{1}));
  properties.child(fbx_property("DefaultAttributeIndex", "int", "Integer", "", std::int32_t{0}));
  add_vector("Lcl Translation", "Lcl Translation", "", "A", kFbxUnits * local.translation);
  add_vector("Lcl Rotation", "Lcl Rotation", "", "A", angles(conjugate(before) * normalized(local.rotation)));
  add_vector("Lcl Scaling", "Lcl Scaling", "", "A", local.scale);
  model.child("Shading", true);
  model.child("Culling", "CullingOff");
  scene.objects.keep(std::move(model), id);
  scene.objects.connect(id, parent);
  if (kind == FbxKind::kMesh) return id;

  FbxRecord attribute = scene.objects.make("NodeAttribute", name, "NodeAttribute", kind_name);
  attribute.child("TypeFlags", kind == FbxKind::kLimb ? "Skeleton" : "Null");
  scene.objects.connect(scene.objects.keep(std::move(attribute), scene.objects.last_id()), id);
  return id;
}

void add_fbx_models(FbxScene& scene) {
  const std::vector<int> parent = parents(scene.asset);
  for (const int n : parents_first(scene.asset, parent)) {
    FbxNode& node = scene.nodes[at(n)];
    if (node.kind == FbxKind::kLeftOut) continue;
    const FbxId above = parent[at(n)] < 0 ? kFbxRoot : scene.nodes[at(parent[at(n)])].model;
    node.model = add_fbx_model(scene, node.name, node.kind, scene.asset.nodes[at(n)].local.cast<double>(), node.before,
                               above < 0 ? kFbxRoot : above);
  }
}

std::string fbx_uv_set(std::size_t set) { return set == 0 ? "UVMap" : "UVMap_" + std::to_string(set); }

std::vector<double> fbx_matrix(const Affined& matrix) {
  std::vector<double> result;
  for (int c = 0; c < 3; ++c) {
    const Vec3d column = matrix.linear.column(c);
    result.insert(result.end(), {column.x, column.y, column.z, 0});
  }
  const Vec3d place = kFbxUnits * matrix.translation;
  result.insert(result.end(), {place.x, place.y, place.z, 1});
  return result;
}

}  // namespace limber::asset
