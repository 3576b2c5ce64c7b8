// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_accessor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "limber/asset/gltf_meshopt.h"

namespace limber::asset {
namespace {

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;  // keeps count * stride below 2^63

/// `count` elements of `size` bytes, `stride` apart, in `available` bytes.
bool fits(std::uint64_t count, std::uint64_t stride, std::uint64_t size, std::uint64_t available) {
  if (count == 0) return true;
  if (size > available || stride > std::numeric_limits<std::uint32_t>::max() || count > kMaxCount) return false;
  return (count - 1) * stride <= available - size;
}

template <class T>
float to_float(T value, bool normalized) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else if (!normalized) {
    return static_cast<float>(value);
  } else {
    const float unit = static_cast<float>(value) / static_cast<float>(std::numeric_limits<T>::max());
    return std::is_signed_v<T> ? std::max(unit, -1.0f) : unit;
  }
}

template <class T>
void convert_as(const Elements& from, const AccessorLayout& layout, float* to) {
  const std::size_t components = layout.components;
  if (std::is_same_v<T, float> && from.stride == layout.element_size()) {
    if (layout.count > 0) std::memcpy(to, from.bytes.data(), layout.count * from.stride);
    return;
  }
  const std::byte* element = from.bytes.data();
  for (std::uint64_t i = 0; i < layout.count; ++i, element += from.stride) {
    for (std::size_t c = 0; c < components; ++c) {
      T value;
      std::memcpy(&value, element + c * sizeof(T), sizeof(T));
      *to++ = to_float(value, layout.normalized);
    }
  }
}

template <class T>
void widen(const Elements& from, const AccessorLayout& layout, std::uint32_t* to) {
  const std::byte* element = from.bytes.data();
  for (std::uint64_t i = 0; i < layout.count; ++i, element += from.stride) {
    for (std::size_t c = 0; c < layout.components; ++c) {
      T value;
      std::memcpy(&value, element + c * sizeof(T), sizeof(T));
      *to++ = static_cast<std::uint32_t>(value);
    }
  }
}

Result<ComponentType> component_type(const JsonAt& at) {
  LIMBER_TRY(const std::uint64_t code, at.need_count("componentType"));
  switch (code) {
    case 5120:
    case 5121:
    case 5122:
    case 5123:
    case 5125:
    case 5126:
      return static_cast<ComponentType>(code);
    default:
      return Error{"unknown component type " + std::to_string(code), at.where("componentType")};
  }
}

Result<std::uint64_t> component_count(const JsonAt& at) {
  struct Named {
    const char* name;
    std::uint64_t components;
  };
  constexpr std::array<Named, 7> kTypes = {
      {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}}};
  std::string type;
  LIMBER_CHECK_OK(at.read("type", type));
  for (const Named& named : kTypes) {
    if (type == named.name) return named.components;
  }
  return Error{"unknown type \"" + type.substr(0, 40) + "\"", at.where("type")};
}

/// The compression extension of a view, if it has one.
const char* meshopt_extension(const JsonAt& view) {
  for (const char* name : {"KHR_meshopt_compression", "EXT_meshopt_compression"}) {
    if (view.has_extension(name)) return name;
  }
  return nullptr;
}

}  // namespace

std::size_t component_size(ComponentType type) {
  switch (type) {
    case ComponentType::kInt8:
    case ComponentType::kUint8:
      return 1;
    case ComponentType::kInt16:
    case ComponentType::kUint16:
      return 2;
    default:
      return 4;
  }
}

Budget::Budget(const Source& source, Counted counted) : counted_(counted) {
  const auto& limits = source.limits;
  const std::uint64_t bytes = std::min(source.file_bytes, std::numeric_limits<std::uint64_t>::max() / 4 /
                                                              std::max<std::uint64_t>(limits.max_expansion, 1));
  left_ = bytes * limits.max_expansion + std::min(limits.decoded_slack, std::numeric_limits<std::uint64_t>::max() / 4);
}

Status Budget::take(std::uint64_t count, std::uint64_t element_bytes, const std::string& where) {
  if (count > kMaxCount || count * element_bytes > left_) {
    return Error{"claims more data (" + std::to_string(count) + " elements) than a file of this size may hold", where,
                 ErrorKind::kOutOfMemory};
  }
  if (counted_ == Counted::kNow) LIMBER_CHECK_OK(memory_.take(count * element_bytes, where));
  left_ -= count * element_bytes;
  return Done{};
}

void convert(const Elements& from, const AccessorLayout& layout, float* to) {
  switch (layout.component_type) {
    case ComponentType::kInt8:
      return convert_as<std::int8_t>(from, layout, to);
    case ComponentType::kUint8:
      return convert_as<std::uint8_t>(from, layout, to);
    case ComponentType::kInt16:
      return convert_as<std::int16_t>(from, layout, to);
    case ComponentType::kUint16:
      return convert_as<std::uint16_t>(from, layout, to);
    case ComponentType::kUint32:
      return convert_as<std::uint32_t>(from, layout, to);
    case ComponentType::kFloat:
      return convert_as<float>(from, layout, to);
  }
}

Status convert(const Elements& from, const AccessorLayout& layout, std::uint32_t* to, const std::string& where) {
  switch (layout.component_type) {
    case ComponentType::kUint8:
      widen<std::uint8_t>(from, layout, to);
      return Done{};
    case ComponentType::kUint16:
      widen<std::uint16_t>(from, layout, to);
      return Done{};
    case ComponentType::kUint32:
      widen<std::uint32_t>(from, layout, to);
      return Done{};
    default:
      return Error{"must hold unsigned integers", where};
  }
}

Status AccessorReader::open() {
  const JsonAt document(source_.json, source_.name + "#");
  LIMBER_TRY(accessors_, document.objects("accessors"));
  LIMBER_TRY(views_, document.objects("bufferViews"));
  return Done{};
}

Result<AccessorLayout> AccessorReader::layout(int accessor) const {
  const JsonAt& at = accessors_[static_cast<std::size_t>(accessor)];
  AccessorLayout layout;
  LIMBER_TRY(layout.component_type, component_type(at));
  LIMBER_TRY(layout.components, component_count(at));
  LIMBER_TRY(layout.count, at.need_count("count"));
  LIMBER_CHECK_OK(at.read("normalized", layout.normalized));
  return layout;
}

Result<AccessorLayout> AccessorReader::checked_layout(int accessor, std::uint64_t components) const {
  LIMBER_TRY(AccessorLayout found, layout(accessor));
  if (found.components != components) {
    return Error{"has " + std::to_string(found.components) + " components per element, but its use needs " +
                     std::to_string(components),
                 where(accessor)};
  }
  return found;
}

Result<std::span<const std::byte>> AccessorReader::stored_bytes(const JsonAt& view) {
  LIMBER_TRY(const int buffer, view.need_index("buffer", source_.buffers.size(), "buffer"));
  LIMBER_TRY(const std::uint64_t length, view.need_count("byteLength"));
  std::uint64_t offset = 0;
  LIMBER_CHECK_OK(view.read("byteOffset", offset));
  const Resource& resource = source_.buffers[static_cast<std::size_t>(buffer)];
  if (!resource.data) return view.error("buffer " + std::to_string(buffer) + " has no data");
  const auto bytes = resource.bytes();
  if (offset > bytes.size() || length > bytes.size() - offset) {
    return view.error("bytes " + std::to_string(offset) + " + " + std::to_string(length) +
                      " reach past the end of buffer " + std::to_string(buffer) + ", which has " +
                      std::to_string(bytes.size()));
  }
  return bytes.subspan(offset, length);
}

Result<std::span<const std::byte>> AccessorReader::decompressed(int view, const JsonAt& extension) {
  const auto known = decompressed_.find(view);
  if (known != decompressed_.end()) return std::span<const std::byte>(known->second);
  MeshoptView compressed;
  compressed.filter = "NONE";
  LIMBER_CHECK_OK(extension.read("mode", compressed.mode));
  LIMBER_CHECK_OK(extension.read("filter", compressed.filter));
  LIMBER_TRY(compressed.count, extension.need_count("count"));
  LIMBER_TRY(compressed.stride, extension.need_count("byteStride"));
  LIMBER_TRY(compressed.data, stored_bytes(extension));
  LIMBER_CHECK_OK(check_meshopt_view(compressed, extension.where()));
  LIMBER_CHECK_OK(budget_.take(compressed.count, compressed.stride, extension.where()));
  LIMBER_TRY(Bytes bytes, decode_meshopt_view(compressed, extension.where()));
  return std::span<const std::byte>(decompressed_.emplace(view, std::move(bytes)).first->second);
}

Result<std::span<const std::byte>> AccessorReader::view_bytes(int view) {
  const JsonAt& at = views_[static_cast<std::size_t>(view)];
  const char* name = meshopt_extension(at);
  if (name == nullptr) return stored_bytes(at);
  // A file that does not insist on the extension holds the plain data as well.
  if (!meshopt_available()) {
    auto plain = stored_bytes(at);
    if (plain.ok()) return plain;
  }
  LIMBER_TRY(const JsonAt extension, at.extension(name));
  return decompressed(view, extension);
}

Result<Elements> AccessorReader::elements(const JsonAt& at, const AccessorLayout& layout, bool use_stride) {
  LIMBER_TRY(const int view, at.need_index("bufferView", views_.size(), "buffer view"));
  LIMBER_TRY(const auto bytes, view_bytes(view));
  std::uint64_t offset = 0, stride = 0;
  LIMBER_CHECK_OK(at.read("byteOffset", offset));
  LIMBER_CHECK_OK(views_[static_cast<std::size_t>(view)].read("byteStride", stride));
  if (stride == 0 || !use_stride) stride = layout.element_size();
  if (offset > bytes.size() || !fits(layout.count, stride, layout.element_size(), bytes.size() - offset)) {
    return at.error("its " + std::to_string(layout.count) + " elements reach past the end of buffer view " +
                    std::to_string(view));
  }
  return Elements{bytes.subspan(offset), stride};
}

Result<AccessorReader::Sparse> AccessorReader::sparse(const JsonAt& accessor, const AccessorLayout& layout) {
  Sparse result;
  if (!accessor.has("sparse")) return result;
  LIMBER_TRY(const JsonAt at, accessor.object("sparse"));
  AccessorLayout index_layout, value_layout = layout;
  LIMBER_TRY(index_layout.count, at.need_count("count"));
  value_layout.count = index_layout.count;
  LIMBER_TRY(const JsonAt indices, at.object("indices"));
  LIMBER_TRY(const JsonAt values, at.object("values"));
  LIMBER_TRY(index_layout.component_type, component_type(indices));
  LIMBER_TRY(const Elements positions, elements(indices, index_layout, /*use_stride=*/false));
  LIMBER_TRY(result.values, elements(values, value_layout, /*use_stride=*/false));
  LIMBER_CHECK_OK(budget_.take(index_layout.count, sizeof(std::uint32_t), at.where()));
  result.positions.resize(index_layout.count);
  LIMBER_CHECK_OK(convert(positions, index_layout, result.positions.data(), indices.where()));
  for (const std::uint32_t position : result.positions) {
    if (position >= layout.count) {
      return indices.error("index " + std::to_string(position) + " is past the accessor's " +
                           std::to_string(layout.count) + " elements");
    }
  }
  return result;
}

Status AccessorReader::read_floats(int accessor, const AccessorLayout& layout, float* to) {
  const JsonAt& at = accessors_[static_cast<std::size_t>(accessor)];
  // Without a view the elements are zero, which the caller's memory already is.
  if (at.has("bufferView")) {
    LIMBER_TRY(const Elements dense, elements(at, layout, /*use_stride=*/true));
    convert(dense, layout, to);
  }
  LIMBER_TRY(const Sparse overlay, sparse(at, layout));
  AccessorLayout one = layout;
  one.count = 1;
  for (std::size_t i = 0; i < overlay.positions.size(); ++i) {
    convert({overlay.values.bytes.subspan(i * overlay.values.stride), overlay.values.stride}, one,
            to + overlay.positions[i] * layout.components);
  }
  return Done{};
}

Result<std::vector<float>> AccessorReader::floats(int accessor, std::uint64_t components) {
  LIMBER_TRY(const AccessorLayout found, checked_layout(accessor, components));
  LIMBER_CHECK_OK(budget_.take(found.count, components * sizeof(float), where(accessor)));
  std::vector<float> result(found.count * components);
  LIMBER_CHECK_OK(read_floats(accessor, found, result.data()));
  return result;
}

Result<std::vector<std::uint32_t>> AccessorReader::integers(int accessor, std::uint64_t components) {
  LIMBER_TRY(const AccessorLayout found, checked_layout(accessor, components));
  LIMBER_CHECK_OK(budget_.take(found.count, components * sizeof(std::uint32_t), where(accessor)));
  const JsonAt& at = accessors_[static_cast<std::size_t>(accessor)];
  std::vector<std::uint32_t> result(found.count * components);
  if (at.has("bufferView")) {
    LIMBER_TRY(const Elements dense, elements(at, found, /*use_stride=*/true));
    LIMBER_CHECK_OK(convert(dense, found, result.data(), at.where()));
  }
  LIMBER_TRY(const Sparse overlay, sparse(at, found));
  AccessorLayout one = found;
  one.count = 1;
  for (std::size_t i = 0; i < overlay.positions.size(); ++i) {
    LIMBER_CHECK_OK(convert({overlay.values.bytes.subspan(i * overlay.values.stride), overlay.values.stride}, one,
                            result.data() + overlay.positions[i] * components, at.where()));
  }
  return result;
}

}  // namespace limber::asset
