// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_draft.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace limber::asset {
namespace {

template <class T>
void append_as(Bytes& bytes, std::span<const std::uint32_t> numbers) {
  for (const std::uint32_t number : numbers) {
    const auto value = static_cast<T>(number);
    const auto* data = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof(T));
  }
}

/// Per component: the least or the greatest.
Json bound(std::span<const float> values, std::size_t components, bool greatest) {
  std::vector<float> result(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(components));
  for (std::size_t i = 0; i < values.size(); ++i) {
    float& known = result[i % components];
    known = greatest ? std::max(known, values[i]) : std::min(known, values[i]);
  }
  return numbers(result);
}

void append_all(Json& document, const char* key, std::vector<Json>& elements) {
  if (elements.empty()) return;
  Json& list = document[key];
  if (!list.is_array()) list = Json::array();
  for (Json& element : elements) list.push_back(std::move(element));
  elements.clear();
}

bool contains(const Json& list, const std::string& text) {
  return std::any_of(list.begin(), list.end(), [&](const Json& entry) { return entry == text; });
}

}  // namespace

Draft::Draft(const Source* source) {
  if (source != nullptr) {
    json = source->json;
    buffers = source->buffers;
    images = source->images;
    extra_chunks = source->extra_chunks;
    from_glb = source->is_glb;
  } else {
    json = {{"asset", {{"version", "2.0"}, {"generator", "limber"}}}};
  }
  first_accessor_ = array_size(json, "accessors");
  first_view_ = array_size(json, "bufferViews");
  first_sampler_ = array_size(json, "samplers");
}

int Draft::add_view(std::span<const std::byte> bytes, Target target) {
  while (added_.size() % 4 != 0) added_.push_back(std::byte{0});
  Json view = {{"buffer", 0}, {"byteOffset", added_.size()}, {"byteLength", bytes.size()}};
  if (target != Target::kNone) view["target"] = static_cast<int>(target);
  added_.insert(added_.end(), bytes.begin(), bytes.end());
  views_.push_back(std::move(view));
  return static_cast<int>(first_view_ + views_.size() - 1);
}

int Draft::add_accessor(Json accessor) {
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(first_accessor_ + accessors_.size() - 1);
}

int Draft::add_elements(std::span<const std::byte> bytes, const char* type, const AccessorLayout& layout,
                        Target target) {
  const int view = add_view(bytes, target);
  Json accessor = {{"bufferView", view},
                   {"componentType", static_cast<int>(layout.component_type)},
                   {"count", layout.count},
                   {"type", type}};
  if (layout.normalized) accessor["normalized"] = true;
  return add_accessor(std::move(accessor));
}

int Draft::add_floats(std::span<const float> values, const char* type, std::size_t components, Target target,
                      bool with_bounds) {
  const AccessorLayout layout{ComponentType::kFloat, false, components, values.size() / components};
  const int index = add_elements(std::as_bytes(values), type, layout, target);
  if (with_bounds && !values.empty()) {
    accessors_.back()["min"] = bound(values, components, /*greatest=*/false);
    accessors_.back()["max"] = bound(values, components, /*greatest=*/true);
  }
  return index;
}

int Draft::add_integers(std::span<const std::uint32_t> values, const char* type, std::size_t components,
                        ComponentType component_type, Target target) {
  Bytes bytes;
  bytes.reserve(values.size() * component_size(component_type));
  if (component_type == ComponentType::kUint8) append_as<std::uint8_t>(bytes, values);
  if (component_type == ComponentType::kUint16) append_as<std::uint16_t>(bytes, values);
  if (component_type == ComponentType::kUint32) append_as<std::uint32_t>(bytes, values);
  return add_elements(bytes, type, {component_type, false, components, values.size() / components}, target);
}

int Draft::add_times(const std::vector<float>& times) {
  const auto [entry, is_new] = times_.try_emplace(std::string(as_text(std::as_bytes(std::span(times)))), -1);
  if (is_new) entry->second = add_floats(times, "SCALAR", 1, Target::kNone, true);
  return entry->second;
}

int Draft::add_sampler(Json sampler) {
  const auto known = std::find(samplers_.begin(), samplers_.end(), sampler);
  if (known != samplers_.end())
    return static_cast<int>(first_sampler_ + static_cast<std::size_t>(known - samplers_.begin()));
  samplers_.push_back(std::move(sampler));
  return static_cast<int>(first_sampler_ + samplers_.size() - 1);
}

void Draft::use_extension(const std::string& name) {
  if (std::find(extensions_.begin(), extensions_.end(), name) == extensions_.end()) extensions_.push_back(name);
}

void Draft::drop_extension(const std::string& name) {
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
    const auto list = json.find(key);
    if (list == json.end() || !list->is_array()) continue;
    for (std::size_t i = list->size(); i-- > 0;) {
      if ((*list)[i] == name) list->erase(i);
    }
    if (list->empty()) json.erase(key);
  }
}

void Draft::finish() {
  append_all(json, "accessors", accessors_);
  append_all(json, "bufferViews", views_);
  append_all(json, "samplers", samplers_);
  for (const std::string& name : extensions_) {
    Json& list = json["extensionsUsed"];
    if (!list.is_array()) list = Json::array();
    if (!contains(list, name)) list.push_back(name);
  }
}

Json number(float value) {
  // Through the shortest decimal text, or 0.1 would be written as 0.10000000149011612.
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = value;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

Json numbers(std::span<const float> values) {
  Json result = Json::array();
  for (const float value : values) result.push_back(number(value));
  return result;
}

void patch_index(Json& object, const char* key, int before, int after) {
  if (before == after) return;
  if (after < 0) {
    object.erase(key);
  } else {
    object[key] = after;
  }
}

void patch_indices(Json& object, const char* key, const std::vector<int>& before, const std::vector<int>& after) {
  if (before == after) return;
  if (after.empty()) {
    object.erase(key);
  } else {
    object[key] = after;
  }
}

void patch_text(Json& object, const char* key, const std::string& before, const std::string& after) {
  if (before == after) return;
  if (after.empty()) {
    object.erase(key);
  } else {
    object[key] = after;
  }
}

Status patch_extras(Json& object, const std::string& before, const std::string& after, const std::string& where) {
  if (before == after) return Done{};
  object.erase("extras");
  if (after.empty()) return Done{};
  Json extras = Json::parse(after, nullptr, false);
  if (extras.is_discarded()) return Error{"the extras are not valid JSON", where};
  object["extras"] = std::move(extras);
  return Done{};
}

void erase_extension(Json& object, const char* name) {
  const auto extensions = object.find("extensions");
  if (extensions == object.end() || !extensions->is_object()) return;
  extensions->erase(name);
  if (extensions->empty()) object.erase("extensions");
}

}  // namespace limber::asset
