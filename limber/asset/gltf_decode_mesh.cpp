// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "limber/asset/gltf_decode.h"

namespace limber::asset {
namespace {

constexpr const char* kDraco = "KHR_draco_mesh_compression";
constexpr int kMaxSets = 32;  // of texture coordinates, colours and influences

/// The attributes of one primitive, or of one of its morph targets, wherever they are stored.
class Attributes {
 public:
  Attributes(DecodeContext& context, JsonAt at, const DracoPrimitive* draco)
      : context_(context), at_(std::move(at)), draco_(draco) {}

  bool has(const std::string& name) const { return at_.has(name.c_str()); }
  std::string where(const std::string& name) const { return at_.where(name); }

  /// As many components as a Vector has floats. Empty where the attribute is absent. What is not finite is mended.
  template <class Vector>
  Result<std::vector<Vector>> read(const std::string& name, StandIn by) {
    if (!has(name)) return std::vector<Vector>();
    LIMBER_TRY(const int accessor, index(name));
    const DracoAttribute* compressed = find(name);
    LIMBER_TRY(auto values,
               compressed != nullptr ? from_draco<Vector>(*compressed) : context_.accessors.vectors<Vector>(accessor));
    context_.warn(accessor, mend(values, by));
    return values;
  }

  Result<std::vector<std::uint32_t>> integers(const std::string& name, std::uint64_t components) {
    if (const DracoAttribute* compressed = find(name)) {
      if (compressed->layout.components != components) return wrong_size(name);
      std::vector<std::uint32_t> result(compressed->layout.count * components);
      LIMBER_CHECK_OK(convert(elements(*compressed), compressed->layout, result.data(), where(name)));
      return result;
    }
    LIMBER_TRY(const int accessor, index(name));
    return context_.accessors.integers(accessor, components);
  }

  Result<std::uint64_t> components(const std::string& name) const {
    LIMBER_TRY(const int accessor, index(name));
    LIMBER_TRY(const AccessorLayout layout, context_.accessors.layout(accessor));
    return layout.components;
  }

  Result<int> index(const std::string& name) const {
    return at_.need_index(name.c_str(), context_.accessors.size(), "accessor");
  }

  /// Where a complaint about the values belongs.
  Result<std::string> where_values(const std::string& name) const {
    LIMBER_TRY(const int accessor, index(name));
    return context_.accessors.where(accessor);
  }

 private:
  const DracoAttribute* find(const std::string& name) const {
    if (draco_ == nullptr) return nullptr;
    for (const DracoAttribute& attribute : draco_->attributes) {
      if (attribute.name == name) return &attribute;
    }
    return nullptr;
  }
  static Elements elements(const DracoAttribute& attribute) {
    return {attribute.bytes, attribute.layout.element_size()};
  }
  Error wrong_size(const std::string& name) const { return {"has the wrong number of components", where(name)}; }

  template <class Vector>
  Result<std::vector<Vector>> from_draco(const DracoAttribute& compressed) {
    if (compressed.layout.components * sizeof(float) != sizeof(Vector)) return wrong_size(compressed.name);
    LIMBER_CHECK_OK(context_.budget.take(compressed.layout.count, sizeof(Vector), where(compressed.name)));
    std::vector<Vector> result(compressed.layout.count);
    convert(elements(compressed), compressed.layout, reinterpret_cast<float*>(result.data()));
    return result;
  }

  DecodeContext& context_;
  JsonAt at_;
  const DracoPrimitive* draco_;
};

Status check_count(std::size_t count, const Primitive& primitive, const std::string& where) {
  if (count == 0 || count == primitive.positions.size()) return Done{};
  return Error{
      "has " + std::to_string(count) + " elements, but POSITION has " + std::to_string(primitive.positions.size()),
      where};
}

Result<std::vector<Vec4>> read_colors(DecodeContext& context, Attributes& attributes, const std::string& name) {
  LIMBER_TRY(const std::uint64_t components, attributes.components(name));
  if (components != 3) return attributes.read<Vec4>(name, StandIn::kOne);
  LIMBER_TRY(const std::vector<Vec3> rgb, attributes.read<Vec3>(name, StandIn::kOne));
  LIMBER_CHECK_OK(context.budget.take(rgb.size(), sizeof(Vec4), attributes.where(name)));
  std::vector<Vec4> result(rgb.size());
  for (std::size_t i = 0; i < rgb.size(); ++i) result[i] = {rgb[i].x, rgb[i].y, rgb[i].z, 1};
  return result;
}

Result<InfluenceSet> read_influences(Attributes& attributes, const std::string& suffix) {
  InfluenceSet set;
  LIMBER_TRY(const auto joints, attributes.integers("JOINTS_" + suffix, 4));
  LIMBER_TRY(set.weights, attributes.read<Vec4>("WEIGHTS_" + suffix, StandIn::kZero));
  set.joints.resize(joints.size() / 4);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i] > std::numeric_limits<std::uint16_t>::max()) {
      LIMBER_TRY(const std::string where_joints, attributes.where_values("JOINTS_" + suffix));
      return Error{"joint " + std::to_string(joints[i]) + " of element " + std::to_string(i / 4) + " is too large",
                   where_joints};
    }
    set.joints[i / 4][i % 4] = static_cast<std::uint16_t>(joints[i]);
  }
  return set;
}

Status read_numbered_attributes(DecodeContext& context, Attributes& attributes, Primitive& primitive) {
  for (int n = 0; n < kMaxSets; ++n) {
    const std::string suffix = std::to_string(n);
    const auto slot = static_cast<std::size_t>(n);
    if (const std::string name = "TEXCOORD_" + suffix; attributes.has(name)) {
      primitive.texcoords.resize(slot + 1);
      LIMBER_TRY(primitive.texcoords[slot], attributes.read<Vec2>(name, StandIn::kZero));
      LIMBER_CHECK_OK(check_count(primitive.texcoords[slot].size(), primitive, attributes.where(name)));
    }
    if (const std::string name = "COLOR_" + suffix; attributes.has(name)) {
      primitive.colors.resize(slot + 1);
      LIMBER_TRY(primitive.colors[slot], read_colors(context, attributes, name));
      LIMBER_CHECK_OK(check_count(primitive.colors[slot].size(), primitive, attributes.where(name)));
    }
    const bool has_joints = attributes.has("JOINTS_" + suffix), has_weights = attributes.has("WEIGHTS_" + suffix);
    if (has_joints != has_weights) {
      context.warn(attributes.where(has_joints ? "JOINTS_" + suffix : "WEIGHTS_" + suffix),
                   "joints and weights come in pairs; left out");
    } else if (has_joints) {
      primitive.influences.resize(slot + 1);
      LIMBER_TRY(primitive.influences[slot], read_influences(attributes, suffix));
      LIMBER_CHECK_OK(
          check_count(primitive.influences[slot].joints.size(), primitive, attributes.where("JOINTS_" + suffix)));
      LIMBER_CHECK_OK(
          check_count(primitive.influences[slot].weights.size(), primitive, attributes.where("WEIGHTS_" + suffix)));
    }
  }
  return Done{};
}

Status read_targets(DecodeContext& context, const JsonAt& at, Primitive& primitive) {
  LIMBER_TRY(const auto targets, at.objects("targets"));
  for (const JsonAt& target_at : targets) {
    Attributes attributes(context, target_at, nullptr);
    MorphTarget target;
    LIMBER_TRY(target.positions, attributes.read<Vec3>("POSITION", StandIn::kZero));
    LIMBER_TRY(target.normals, attributes.read<Vec3>("NORMAL", StandIn::kZero));
    LIMBER_TRY(target.tangents, attributes.read<Vec3>("TANGENT", StandIn::kZero));
    LIMBER_CHECK_OK(check_count(target.positions.size(), primitive, attributes.where("POSITION")));
    LIMBER_CHECK_OK(check_count(target.normals.size(), primitive, attributes.where("NORMAL")));
    LIMBER_CHECK_OK(check_count(target.tangents.size(), primitive, attributes.where("TANGENT")));
    primitive.targets.push_back(std::move(target));
  }
  return Done{};
}

Status read_indices(DecodeContext& context, const JsonAt& at, const DracoPrimitive* draco, Primitive& primitive) {
  std::string where = at.where("indices");
  if (draco != nullptr) {
    primitive.indices = draco->indices;
  } else if (at.has("indices")) {
    LIMBER_TRY(const int accessor, at.need_index("indices", context.accessors.size(), "accessor"));
    where = context.accessors.where(accessor);
    LIMBER_TRY(primitive.indices, context.accessors.integers(accessor, 1));
  }
  std::uint32_t largest = 0;
  for (const std::uint32_t index : primitive.indices) largest = std::max(largest, index);
  if (!primitive.indices.empty() && largest >= primitive.positions.size()) {
    return Error{"index " + std::to_string(largest) + " is past the " + std::to_string(primitive.positions.size()) +
                     " vertices of " + at.where(),
                 where};
  }
  return Done{};
}

Result<Primitive> decode_primitive(DecodeContext& context, const JsonAt& at, const DracoPrimitive* draco) {
  Primitive primitive;
  std::uint64_t mode = 4;
  LIMBER_CHECK_OK(at.read("mode", mode));
  if (mode > 6) return Error{"unknown mode " + std::to_string(mode), at.where("mode")};
  primitive.mode = static_cast<PrimitiveMode>(mode);
  LIMBER_CHECK_OK(at.read_index("material", context.decoded.asset.materials.size(), "material", primitive.material));

  LIMBER_TRY(const JsonAt attributes_at, at.object("attributes"));
  Attributes attributes(context, attributes_at, draco);
  if (!attributes.has("POSITION")) {
    context.warn(at.where(), "has no POSITION; left empty");
    return primitive;
  }
  LIMBER_TRY(primitive.positions, attributes.read<Vec3>("POSITION", StandIn::kPrevious));
  LIMBER_TRY(primitive.normals, attributes.read<Vec3>("NORMAL", StandIn::kUp));
  LIMBER_CHECK_OK(check_count(primitive.normals.size(), primitive, attributes.where("NORMAL")));
  LIMBER_TRY(primitive.tangents, attributes.read<Vec4>("TANGENT", StandIn::kTangent));
  LIMBER_CHECK_OK(check_count(primitive.tangents.size(), primitive, attributes.where("TANGENT")));
  LIMBER_CHECK_OK(read_numbered_attributes(context, attributes, primitive));
  LIMBER_CHECK_OK(read_targets(context, at, primitive));
  LIMBER_CHECK_OK(read_indices(context, at, draco, primitive));
  return primitive;
}

/// What of a primitive is under KHR_draco_mesh_compression; its attributes are decoded to what their accessors promise.
Result<DracoPrimitive> draco_primitive(DecodeContext& context, const JsonAt& at) {
  DracoPrimitive result;
  LIMBER_TRY(const JsonAt extension, at.extension(kDraco));
  result.where = extension.where();
  LIMBER_TRY(const int view, extension.need_index("bufferView", context.accessors.view_count(), "buffer view"));
  LIMBER_TRY(result.data, context.accessors.view_bytes(view));
  LIMBER_TRY(const JsonAt compressed, extension.object("attributes"));
  LIMBER_TRY(const JsonAt attributes_at, at.object("attributes"));
  for (const auto& [name, id] : compressed.json().items()) {
    if (!attributes_at.has(name.c_str())) continue;
    DracoAttribute attribute;
    attribute.name = name;
    LIMBER_TRY(const std::uint64_t unique_id, compressed.need_count(name.c_str()));
    attribute.id = static_cast<std::uint32_t>(std::min<std::uint64_t>(unique_id, 0xffffffffu));
    LIMBER_TRY(const int accessor, attributes_at.need_index(name.c_str(), context.accessors.size(), "accessor"));
    LIMBER_TRY(attribute.layout, context.accessors.layout(accessor));
    if (attribute.layout.components > 4) return Error{"matrices cannot be compressed", compressed.where(name)};
    result.attributes.push_back(std::move(attribute));
  }
  return result;
}

using PrimitiveKey = std::pair<int, int>;

Status decode_all_draco(DecodeContext& context, const std::vector<std::vector<JsonAt>>& primitives) {
  std::vector<DracoPrimitive> compressed;
  std::vector<PrimitiveKey> keys;
  for (std::size_t m = 0; m < primitives.size(); ++m) {
    for (std::size_t p = 0; p < primitives[m].size(); ++p) {
      const JsonAt& at = primitives[m][p];
      if (!at.has_extension(kDraco)) continue;
      // Without the library, the plain accessors have to do; a file that requires the extension has none.
      if (!draco_available() && at.has("indices") && !requires_extension(context.source.json, kDraco)) continue;
      LIMBER_TRY(DracoPrimitive primitive, draco_primitive(context, at));
      compressed.push_back(std::move(primitive));
      keys.emplace_back(static_cast<int>(m), static_cast<int>(p));
    }
  }
  LIMBER_CHECK_OK(decode_draco(compressed, context.budget));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    compressed[i].data = {};  // it does not outlive the reader
    context.decoded.draco.emplace(keys[i], std::move(compressed[i]));
  }
  return Done{};
}

}  // namespace

Status decode_meshes(DecodeContext& context) {
  LIMBER_TRY(const auto meshes, context.document.objects("meshes"));
  std::vector<std::vector<JsonAt>> primitives;
  for (const JsonAt& at : meshes) {
    LIMBER_TRY(auto list, at.objects("primitives"));
    primitives.push_back(std::move(list));
  }
  LIMBER_CHECK_OK(decode_all_draco(context, primitives));
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    Mesh mesh;
    LIMBER_CHECK_OK(meshes[m].read("name", mesh.name));
    LIMBER_CHECK_OK(meshes[m].read("weights", mesh.weights));
    for (std::size_t p = 0; p < primitives[m].size(); ++p) {
      const auto draco = context.decoded.draco.find({static_cast<int>(m), static_cast<int>(p)});
      LIMBER_TRY(
          Primitive primitive,
          decode_primitive(context, primitives[m][p], draco == context.decoded.draco.end() ? nullptr : &draco->second));
      mesh.primitives.push_back(std::move(primitive));
    }
    context.decoded.asset.meshes.push_back(std::move(mesh));
  }
  return Done{};
}

}  // namespace limber::asset
