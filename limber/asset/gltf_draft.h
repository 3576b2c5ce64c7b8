// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/gltf_accessor.h"
#include "limber/asset/gltf_decode.h"
#include "limber/asset/source.h"

namespace limber::asset {

/// A document on its way to a file: the source's JSON and data, plus what has been added. Nothing of the source's data
/// is ever changed or moved; new accessors, views and bytes go at the end.
class Draft {
 public:
  /// From a source, or from nothing.
  explicit Draft(const Source* source);

  Json json;
  std::vector<Resource> buffers, images;  ///< as in Source
  std::vector<ExtraChunk> extra_chunks;
  bool from_glb = false;

  /// A vertex attribute, or other data where `target` is kNone.
  enum class Target { kNone = 0, kVertices = 34962, kIndices = 34963 };

  /// Adds an accessor and returns its index. `with_bounds`: min and max, which POSITION and key times must have.
  int add_floats(std::span<const float> numbers, const char* type, std::size_t components, Target target,
                 bool with_bounds = false);
  int add_integers(std::span<const std::uint32_t> numbers, const char* type, std::size_t components,
                   ComponentType component_type, Target target);
  /// Bytes that are already in the accessor's form.
  int add_elements(std::span<const std::byte> bytes, const char* type, const AccessorLayout& layout, Target target);
  /// Key times, of which equal ones are stored once.
  int add_times(const std::vector<float>& times);
  int add_sampler(Json sampler);
  /// A view of new data; returns its index.
  int add_view(std::span<const std::byte> bytes, Target target);
  void use_extension(const std::string& name);
  void drop_extension(const std::string& name);

  /// Enters what was added into the JSON, except that the new views still lack a buffer: they count from `first_view`
  /// and their offsets are into `added`. To be called once, at the end.
  void finish();
  const Bytes& added() const { return added_; }
  std::size_t first_view() const { return first_view_; }

 private:
  int add_accessor(Json accessor);

  Bytes added_;
  std::vector<Json> accessors_, views_, samplers_;
  std::vector<std::string> extensions_;
  std::size_t first_accessor_ = 0, first_view_ = 0, first_sampler_ = 0;
  std::unordered_map<std::string, int> times_;
};

/// What a patch needs to know.
struct PatchContext {
  Draft& draft;
  const Decoded& before;
  const Asset& after;
};

// Each compares a part of the asset with what its source decodes to and enters the differences into the draft.
Status patch_meshes(PatchContext& context);
Status patch_materials(PatchContext& context);
Status patch_nodes(PatchContext& context);
Status patch_clips(PatchContext& context);

// --- comparing and setting fields -----------------------------------------------------------------------------------

/// Bit by bit: NaN equals itself. For structs of numbers without gaps.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_trivially_copyable_v<T> && !std::is_integral_v<T> && !std::is_enum_v<T>) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  } else {
    return a == b;
  }
}

/// The shortest decimal number that reads back as the same float.
Json number(float value);
Json numbers(std::span<const float> values);
inline Json to_json(float value) { return number(value); }
inline Json to_json(const Vec2& v) { return numbers({{v.x, v.y}}); }
inline Json to_json(const Vec3& v) { return numbers({{v.x, v.y, v.z}}); }
inline Json to_json(const Vec4& v) { return numbers({{v.x, v.y, v.z, v.w}}); }
inline Json to_json(const Quat& v) { return numbers({{v.x, v.y, v.z, v.w}}); }
inline Json to_json(const std::vector<float>& v) { return numbers(v); }
inline Json to_json(bool value) { return value; }
inline Json to_json(const std::string& value) { return value; }

/// Sets `object[key]` where the two differ.
template <class T>
void patch_field(Json& object, const char* key, const T& before, const T& after) {
  if (!same(before, after)) object[key] = to_json(after);
}
/// The same for references and lists, where none and empty mean that the key is absent.
void patch_index(Json& object, const char* key, int before, int after);
void patch_indices(Json& object, const char* key, const std::vector<int>& before, const std::vector<int>& after);
void patch_text(Json& object, const char* key, const std::string& before, const std::string& after);
/// JSON text.
Status patch_extras(Json& object, const std::string& before, const std::string& after, const std::string& where);
/// Removes an extension, and the "extensions" object with the last of them.
void erase_extension(Json& object, const char* name);

/// Patches the elements of `parent[key]` that the source has, and appends the others:
/// `patch(element, before, after, index, is_new)`. A shorter list is an error.
template <class T, class Patch>
Status patch_list(Json& parent, const char* key, const std::vector<T>& before, const std::vector<T>& after,
                  const std::string& where, Patch patch) {
  if (after.size() < before.size()) {
    return Error{"the asset has " + std::to_string(after.size()) + " of the " + std::to_string(before.size()) +
                     " in the file it came from; drop `source` to write it anew",
                 where + "/" + key};
  }
  if (after.empty()) return Done{};
  // Looked up once: an object may have very many keys.
  Json& list = parent[key];
  const T none{};
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool is_new = i >= before.size();
    if (is_new) list.push_back(Json::object());
    LIMBER_CHECK_OK(patch(list[i], is_new ? none : before[i], after[i], i, is_new));
  }
  return Done{};
}

}  // namespace limber::asset
