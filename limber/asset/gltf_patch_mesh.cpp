// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "limber/asset/gltf_draft.h"

namespace limber::asset {
namespace {

constexpr const char* kDraco = "KHR_draco_mesh_compression";

template <class Vector>
std::span<const float> as_floats(const std::vector<Vector>& values) {
  return {reinterpret_cast<const float*>(values.data()), values.size() * sizeof(Vector) / sizeof(float)};
}

const char* type_of(std::size_t components) {
  constexpr std::array<const char*, 4> kNames = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  return kNames[components - 1];
}

int add_indices(Draft& draft, const std::vector<std::uint32_t>& indices) {
  // 65535 is kept free: graphics cards take it as the restart of a strip.
  const bool is_short = *std::max_element(indices.begin(), indices.end()) < 65535;
  return draft.add_integers(indices, "SCALAR", 1, is_short ? ComponentType::kUint16 : ComponentType::kUint32,
                            Draft::Target::kIndices);
}

int add_joints(Draft& draft, const std::vector<std::array<std::uint16_t, 4>>& joints) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(joints.size() * 4);
  for (const auto& four : joints) numbers.insert(numbers.end(), four.begin(), four.end());
  const bool is_byte = *std::max_element(numbers.begin(), numbers.end()) < 256;
  return draft.add_integers(numbers, "VEC4", 4, is_byte ? ComponentType::kUint8 : ComponentType::kUint16,
                            Draft::Target::kVertices);
}

/// Patches the attributes of a primitive or of a morph target.
class AttributePatch {
 public:
  /// `rewrite`: write every attribute, changed or not.
  AttributePatch(Draft& draft, Json& attributes, bool rewrite)
      : draft_(draft), attributes_(attributes), rewrite_(rewrite) {}

  template <class Vector>
  void patch(const std::string& name, const std::vector<Vector>& before, const std::vector<Vector>& after) {
    patch_with(name, before, after, [&] {
      constexpr std::size_t kComponents = sizeof(Vector) / sizeof(float);
      return draft_.add_floats(as_floats(after), type_of(kComponents), kComponents, Draft::Target::kVertices,
                               name == "POSITION");
    });
  }
  void patch_joints(const std::string& name, const std::vector<std::array<std::uint16_t, 4>>& before,
                    const std::vector<std::array<std::uint16_t, 4>>& after) {
    patch_with(name, before, after, [&] { return add_joints(draft_, after); });
  }
  const std::set<std::string>& seen() const { return seen_; }

 private:
  template <class T, class Add>
  void patch_with(const std::string& name, const std::vector<T>& before, const std::vector<T>& after, Add add) {
    if (!after.empty()) seen_.insert(name);
    if (!rewrite_ && same(before, after)) return;
    if (after.empty()) {
      if (!before.empty()) attributes_.erase(name);
    } else {
      attributes_[name] = add();
    }
  }

  Draft& draft_;
  Json& attributes_;
  bool rewrite_;
  std::set<std::string> seen_;
};

template <class T>
const T& element_or(const std::vector<T>& list, std::size_t i, const T& none) {
  return i < list.size() ? list[i] : none;
}

void patch_attributes(AttributePatch& patch, const Primitive& before, const Primitive& after) {
  patch.patch("POSITION", before.positions, after.positions);
  patch.patch("NORMAL", before.normals, after.normals);
  patch.patch("TANGENT", before.tangents, after.tangents);
  const std::vector<Vec2> no_texcoords;
  for (std::size_t n = 0; n < std::max(before.texcoords.size(), after.texcoords.size()); ++n) {
    patch.patch("TEXCOORD_" + std::to_string(n), element_or(before.texcoords, n, no_texcoords),
                element_or(after.texcoords, n, no_texcoords));
  }
  const std::vector<Vec4> no_colors;
  for (std::size_t n = 0; n < std::max(before.colors.size(), after.colors.size()); ++n) {
    patch.patch("COLOR_" + std::to_string(n), element_or(before.colors, n, no_colors),
                element_or(after.colors, n, no_colors));
  }
  const InfluenceSet no_influences;
  for (std::size_t n = 0; n < std::max(before.influences.size(), after.influences.size()); ++n) {
    const InfluenceSet& old = element_or(before.influences, n, no_influences);
    const InfluenceSet& now = element_or(after.influences, n, no_influences);
    patch.patch_joints("JOINTS_" + std::to_string(n), old.joints, now.joints);
    patch.patch("WEIGHTS_" + std::to_string(n), old.weights, now.weights);
  }
}

/// Whether an attribute that Draco holds, or the indices, are no longer what it holds.
bool changes_compressed_data(const DracoPrimitive& draco, const Primitive& before, const Primitive& after) {
  if (!same(before.indices, after.indices) || before.mode != after.mode) return true;
  // A dry run into nothing tells which attributes differ.
  Draft scratch(nullptr);
  Json attributes = Json::object();
  for (const DracoAttribute& attribute : draco.attributes) attributes[attribute.name] = -1;
  AttributePatch patch(scratch, attributes, /*rewrite=*/false);
  patch_attributes(patch, before, after);
  return std::any_of(draco.attributes.begin(), draco.attributes.end(), [&](const DracoAttribute& attribute) {
    return !attributes.contains(attribute.name) || attributes[attribute.name] != -1;
  });
}

/// Attributes that Draco holds and that asset.h has no place for: as they were.
void add_other_attributes(Draft& draft, const DracoPrimitive& draco, const std::set<std::string>& seen,
                          std::size_t vertex_count, Json& attributes) {
  for (const DracoAttribute& attribute : draco.attributes) {
    if (seen.count(attribute.name) != 0 || attribute.layout.count != vertex_count) continue;
    attributes[attribute.name] = draft.add_elements(attribute.bytes, type_of(attribute.layout.components),
                                                    attribute.layout, Draft::Target::kVertices);
  }
}

Status patch_targets(Draft& draft, Json& json, const Primitive& before, const Primitive& after,
                     const std::string& where) {
  return patch_list(json, "targets", before.targets, after.targets, where,
                    [&](Json& target, const MorphTarget& old, const MorphTarget& now, std::size_t, bool) -> Status {
                      AttributePatch patch(draft, target, /*rewrite=*/false);
                      patch.patch("POSITION", old.positions, now.positions);
                      patch.patch("NORMAL", old.normals, now.normals);
                      patch.patch("TANGENT", old.tangents, now.tangents);
                      return Done{};
                    });
}

/// Patches the attributes and indices, and takes them out of Draco's hands where it no longer holds what is wanted.
void patch_geometry(Draft& draft, Json& json, const Primitive& before, const Primitive& after,
                    const DracoPrimitive* draco) {
  const bool leaves_draco = draco != nullptr && changes_compressed_data(*draco, before, after);
  Json attributes = json.contains("attributes") ? json["attributes"] : Json::object();
  AttributePatch patch(draft, attributes, leaves_draco);
  patch_attributes(patch, before, after);
  if (before.positions.size() != after.positions.size()) {
    // Attributes that we do not know have the old number of vertices.
    Json known = Json::object();
    for (const auto& [name, accessor] : attributes.items()) {
      if (patch.seen().count(name) != 0) known[name] = accessor;
    }
    attributes = std::move(known);
  }
  if (leaves_draco) {
    add_other_attributes(draft, *draco, patch.seen(), after.positions.size(), attributes);
    erase_extension(json, kDraco);
  }
  if (leaves_draco || !same(before.indices, after.indices)) {
    json.erase("indices");
    if (!after.indices.empty()) json["indices"] = add_indices(draft, after.indices);
  }
  if (json.contains("attributes") || !attributes.empty()) json["attributes"] = std::move(attributes);
}

Status patch_primitive(Draft& draft, Json& json, const Primitive& before, const Primitive& after,
                       const DracoPrimitive* draco, const std::string& where) {
  patch_geometry(draft, json, before, after, draco);
  if (before.mode != after.mode) json["mode"] = static_cast<int>(after.mode);
  patch_index(json, "material", before.material, after.material);
  return patch_targets(draft, json, before, after, where);
}

bool uses_draco(const Json& document) {
  if (!document.contains("meshes")) return false;
  for (const Json& mesh : document["meshes"]) {
    if (!mesh.contains("primitives")) continue;
    for (const Json& primitive : mesh["primitives"]) {
      if (primitive.contains("extensions") && primitive["extensions"].contains(kDraco)) return true;
    }
  }
  return false;
}

}  // namespace

Status patch_meshes(PatchContext& context) {
  Draft& draft = context.draft;
  const auto& known_draco = context.before.draco;
  const std::string where = context.after.name + "#";
  LIMBER_CHECK_OK(patch_list(draft.json, "meshes", context.before.asset.meshes, context.after.meshes, where,
                             [&](Json& json, const Mesh& before, const Mesh& after, std::size_t m, bool) -> Status {
                               const std::string mesh_where = where + "/meshes/" + std::to_string(m);
                               patch_text(json, "name", before.name, after.name);
                               patch_field(json, "weights", before.weights, after.weights);
                               return patch_list(
                                   json, "primitives", before.primitives, after.primitives, mesh_where,
                                   [&](Json& element, const Primitive& old, const Primitive& now, std::size_t p, bool) {
                                     const auto draco = known_draco.find({static_cast<int>(m), static_cast<int>(p)});
                                     return patch_primitive(draft, element, old, now,
                                                            draco == known_draco.end() ? nullptr : &draco->second,
                                                            mesh_where + "/primitives/" + std::to_string(p));
                                   });
                             }));
  if (!known_draco.empty() && !uses_draco(draft.json)) draft.drop_extension(kDraco);
  return Done{};
}

}  // namespace limber::asset
