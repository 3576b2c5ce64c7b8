// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "limber/asset/fbx_scene.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

using Triangle = std::array<std::uint32_t, 3>;
using Indices = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

void append(Numbers& numbers, Vec3d v) { numbers.insert(numbers.end(), {v.x, v.y, v.z}); }

/// Normals go along with the cofactor matrix, whose sign follows the determinant.
Vec3d moved_normal(const Affined& there_from_here, Vec3d normal) {
  const double sign = determinant(there_from_here.linear) < 0 ? -1 : 1;
  return normalized(sign * (cofactor(there_from_here.linear) * normal), normal);
}

/// The triangles of a mesh, all primitives one after the other, in FBX's numbers.
class Geometry {
 public:
  Geometry(const Mesh& mesh, const FbxPlacement& placement) : mesh_(mesh), placement_(placement) {
    for (const Primitive& primitive : mesh.primitives) {
      if (triangles(primitive).empty()) continue;
      has_normals_ = has_normals_ || !primitive.normals.empty();
      uv_sets_ = std::max(uv_sets_, primitive.texcoords.size());
      color_sets_ = std::max(color_sets_, primitive.colors.size());
    }
    uv_.resize(uv_sets_), colors_.resize(color_sets_);
    std::int32_t start = 0;
    for (const Primitive& primitive : mesh.primitives) {
      add_vertices(primitive);
      add_triangles(primitive, start);
      start += static_cast<std::int32_t>(primitive.positions.size());
    }
  }

  bool empty() const { return corners_.empty(); }
  const std::vector<int>& materials() const { return slots_; }  ///< of the asset; -1 for none

  void describe(FbxRecord& record) const {
    record.child("GeometryVersion", std::int32_t{124});
    record.child("Vertices", positions_);
    record.child("PolygonVertexIndex", ended_corners());
    if (has_normals_) add_normals(record);
    for (std::size_t set = 0; set < uv_sets_; ++set) {
      add_layer_element(record, "LayerElementUV", set, fbx_uv_set(set), "UV", uv_[set], "UVIndex");
    }
    for (std::size_t set = 0; set < color_sets_; ++set) {
      add_layer_element(record, "LayerElementColor", set, "Col", "Colors", colors_[set], "ColorIndex");
    }
    FbxRecord& materials = record.child("LayerElementMaterial", std::int32_t{0});
    const bool one = slots_.size() == 1;
    add_heading(materials, "", one ? "AllSame" : "ByPolygon", "IndexToDirect");
    materials.child("Materials", one ? Indices{0} : slot_of_polygon_);
    add_layers(record);
  }

 private:
  void add_vertices(const Primitive& primitive) {
    const std::size_t count = primitive.positions.size();
    for (std::size_t v = 0; v < count; ++v) {
      append(positions_, kFbxUnits * (placement_.of(primitive, v) * primitive.positions[v].cast<double>()));
    }
    // Where another primitive has coordinates or colours and this one does not, something must stand in.
    for (std::size_t set = 0; set < uv_sets_; ++set) {
      const bool given = set < primitive.texcoords.size();
      for (std::size_t v = 0; v < count; ++v) {
        const Vec2 uv = given ? primitive.texcoords[set][v] : Vec2{};
        uv_[set].insert(uv_[set].end(), {static_cast<double>(uv.x), 1 - static_cast<double>(uv.y)});
      }
    }
    for (std::size_t set = 0; set < color_sets_; ++set) {
      const bool given = set < primitive.colors.size();
      for (std::size_t v = 0; v < count; ++v) {
        const Vec4 c = given ? primitive.colors[set][v] : Vec4{1, 1, 1, 1};
        for (int k = 0; k < 4; ++k) colors_[set].push_back(c[k]);
      }
    }
  }

  void add_triangles(const Primitive& primitive, std::int32_t start) {
    const std::vector<Triangle> faces = triangles(primitive);
    if (faces.empty()) return;
    const auto slot = std::find(slots_.begin(), slots_.end(), primitive.material) - slots_.begin();
    if (at(static_cast<int>(slot)) == slots_.size()) slots_.push_back(primitive.material);
    for (Triangle face : faces) {
      if (determinant(placement_.of(primitive, face[0]).linear) < 0) std::swap(face[1], face[2]);
      for (const std::uint32_t v : face) corners_.push_back(start + static_cast<std::int32_t>(v));
      if (has_normals_) add_corner_normals(primitive, face);
      slot_of_polygon_.push_back(static_cast<std::int32_t>(slot));
    }
  }

  /// Triangles without normals are flat, as glTF has it.
  void add_corner_normals(const Primitive& primitive, const Triangle& face) {
    const std::size_t last = positions_.size() - 3 * primitive.positions.size();
    const auto place = [&](std::uint32_t v) {
      const double* p = positions_.data() + last + 3 * std::size_t{v};
      return Vec3d{p[0], p[1], p[2]};
    };
    const Vec3d flat = normalized(cross(place(face[1]) - place(face[0]), place(face[2]) - place(face[0])));
    for (const std::uint32_t v : face) {
      const bool given = !primitive.normals.empty();
      append(normals_, given ? moved_normal(placement_.of(primitive, v), primitive.normals[v].cast<double>()) : flat);
    }
  }

  /// The last corner of a polygon is negative.
  Indices ended_corners() const {
    Indices ended = corners_;
    for (std::size_t c = 2; c < ended.size(); c += 3) ended[c] = -1 - ended[c];
    return ended;
  }

  static void add_heading(FbxRecord& element, std::string_view name, std::string_view mapping,
                          std::string_view reference) {
    element.child("Version", std::int32_t{101});
    element.child("Name", name);
    element.child("MappingInformationType", mapping);
    element.child("ReferenceInformationType", reference);
  }

  void add_normals(FbxRecord& record) const {
    FbxRecord& element = record.child("LayerElementNormal", std::int32_t{0});
    add_heading(element, "", "ByPolygonVertex", "Direct");
    element.child("Normals", normals_);
  }

  void add_layer_element(FbxRecord& record, std::string_view type, std::size_t set, std::string_view name,
                         std::string_view values_name, const Numbers& values, std::string_view index_name) const {
    FbxRecord& element = record.child(type, static_cast<std::int32_t>(set));
    add_heading(element, name, "ByPolygonVertex", "IndexToDirect");
    element.child(values_name, values);
    element.child(index_name, corners_);
  }

  /// Which of the elements make up which layer: the first of each kind the first, and so on.
  void add_layers(FbxRecord& record) const {
    const std::size_t count = std::max({std::size_t{1}, uv_sets_, color_sets_});
    for (std::size_t set = 0; set < count; ++set) {
      FbxRecord& layer = record.child("Layer", static_cast<std::int32_t>(set));
      layer.child("Version", std::int32_t{100});
      const auto add = [&](std::string_view type, bool there) {
        if (!there) return;
        FbxRecord& element = layer.child("LayerElement");
        element.child("Type", type);
        element.child("TypedIndex", static_cast<std::int32_t>(set));
      };
      add("LayerElementNormal", set == 0 && has_normals_);
      add("LayerElementMaterial", set == 0);
      add("LayerElementUV", set < uv_sets_);
      add("LayerElementColor", set < color_sets_);
    }
  }

  const Mesh& mesh_;
  const FbxPlacement& placement_;
  bool has_normals_ = false;
  std::size_t uv_sets_ = 0, color_sets_ = 0;
  Numbers positions_, normals_;       // normals per corner
  std::vector<Numbers> uv_, colors_;  // per set, per vertex
  Indices corners_, slot_of_polygon_;
  std::vector<int> slots_;  // materials in the order of their first use
};

/// What a mesh became, for the models that show it.
struct AddedGeometry {
  FbxId id = -1;  ///< -1: it has no triangles
  std::vector<int> materials;
};

AddedGeometry add_geometry(FbxScene& scene, const Mesh& mesh, const std::string& name, const FbxPlacement& placement) {
  const Geometry geometry(mesh, placement);
  if (geometry.empty()) return {};
  FbxRecord record = scene.objects.make("Geometry", mesh.name.empty() ? name : mesh.name, "Geometry", "Mesh");
  const FbxId id = scene.objects.last_id();
  geometry.describe(record);
  return {scene.objects.keep(std::move(record), id), geometry.materials()};
}

void show(FbxScene& scene, const AddedGeometry& geometry, FbxId model) {
  if (geometry.id < 0) return;
  scene.objects.connect(geometry.id, model);
  for (const int material : geometry.materials) {
    scene.objects.connect(material < 0 ? scene.materials.back() : scene.materials[at(material)], model);
  }
}

/// The models that show the mesh of a node that no joints move: its own, one below a joint, or one per instance.
std::vector<FbxId> models_of(FbxScene& scene, std::size_t n) {
  const FbxNode& node = scene.nodes[n];
  if (node.kind == FbxKind::kMesh) return {node.model};
  std::vector<Transform> places = scene.asset.nodes[n].instances;
  if (places.empty()) places.emplace_back();
  std::vector<FbxId> models;
  for (const Transform& place : places) {
    models.push_back(add_fbx_model(scene, scene.names.unique(node.name + "_mesh", {}), FbxKind::kMesh,
                                   place.cast<double>(), {}, node.model));
  }
  return models;
}

void add_skinned(FbxScene& scene, std::size_t n, FbxBindPose& pose) {
  const Node& node = scene.asset.nodes[n];
  const FbxPlacement placement = find_bind_placement(scene, n);
  const std::string name = scene.nodes[n].kind == FbxKind::kLeftOut
                               ? scene.nodes[n].name
                               : scene.names.unique(scene.nodes[n].name + "_mesh", {});
  const AddedGeometry geometry = add_geometry(scene, scene.asset.meshes[at(node.mesh)], name, placement);
  const FbxId model = add_fbx_model(scene, name, FbxKind::kMesh, {}, {}, placement.parent);
  show(scene, geometry, model);
  if (geometry.id < 0) return;
  add_fbx_skin(scene, node, placement, geometry.id, pose);
  add_fbx_shapes(scene, n, placement, geometry.id);
  pose.meshes.emplace_back(model, placement.world_from_mesh);
}

}  // namespace

Affined FbxPlacement::of(const Primitive& primitive, std::size_t vertex) const {
  for (const InfluenceSet& set : primitive.influences) {
    for (int k = 0; k < 4; ++k) {
      if (set.weights[vertex][k] > 0) return mesh_from_bind;
    }
  }
  return mesh_from_node;
}

void add_fbx_meshes(FbxScene& scene) {
  FbxBindPose pose;
  std::unordered_map<int, AddedGeometry> shared;  // by mesh: those that look the same in every node
  const std::vector<bool> shown = shown_nodes(scene.asset);
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const Node& node = scene.asset.nodes[n];
    if (!shown[n] || node.mesh < 0) continue;
    if (is_skinned(scene.asset, node)) {
      add_skinned(scene, n, pose);
      continue;
    }
    const Mesh& mesh = scene.asset.meshes[at(node.mesh)];
    const bool morphs = std::any_of(mesh.primitives.begin(), mesh.primitives.end(),
                                    [](const Primitive& p) { return !p.targets.empty(); });
    AddedGeometry geometry;
    if (const auto known = shared.find(node.mesh); known != shared.end()) {
      geometry = known->second;
    } else {
      const FbxPlacement in_place;
      geometry = add_geometry(scene, mesh, scene.nodes[n].name, in_place);
      if (morphs && geometry.id >= 0) add_fbx_shapes(scene, n, in_place, geometry.id);
      if (!morphs) shared.emplace(node.mesh, geometry);
    }
    for (const FbxId model : models_of(scene, n)) show(scene, geometry, model);
  }
  if (!pose.meshes.empty()) add_fbx_bind_pose(scene, pose);
}

}  // namespace limber::asset
