// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_draco.h"

#include <algorithm>
#include <cstring>

#include "limber/base/isolate.h"
#include "limber/base/memory_budget.h"
#include "limber/base/quote.h"

#ifdef LIMBER_WITH_DRACO
// The library's headers do not stand our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <draco/compression/decode.h>
#pragma GCC diagnostic pop
#endif

namespace limber::asset {

#ifdef LIMBER_WITH_DRACO
namespace {

void append(Bytes& bytes, const void* data, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

void append_count(Bytes& bytes, std::uint64_t count) { append(bytes, &count, sizeof(count)); }

template <class T>
bool append_values(const draco::PointAttribute& attribute, const draco::Mesh& mesh, std::uint64_t components,
                   Bytes& out) {
  std::vector<T> element(components);
  for (draco::PointIndex point(0); point < mesh.num_points(); ++point) {
    if (!attribute.ConvertValue<T>(attribute.mapped_index(point), static_cast<std::int8_t>(components),
                                   element.data())) {
      return false;
    }
    append(out, element.data(), sizeof(T) * components);
  }
  return true;
}

bool append_attribute(const draco::PointAttribute& attribute, const draco::Mesh& mesh, const AccessorLayout& layout,
                      Bytes& out) {
  switch (layout.component_type) {
    case ComponentType::kInt8:
      return append_values<std::int8_t>(attribute, mesh, layout.components, out);
    case ComponentType::kUint8:
      return append_values<std::uint8_t>(attribute, mesh, layout.components, out);
    case ComponentType::kInt16:
      return append_values<std::int16_t>(attribute, mesh, layout.components, out);
    case ComponentType::kUint16:
      return append_values<std::uint16_t>(attribute, mesh, layout.components, out);
    case ComponentType::kUint32:
      return append_values<std::uint32_t>(attribute, mesh, layout.components, out);
    case ComponentType::kFloat:
      return append_values<float>(attribute, mesh, layout.components, out);
  }
  return false;
}

/// Runs in the child. Writes the number of points, the number of indices, the indices and then the attributes.
Status append_primitive(const DracoPrimitive& primitive, Bytes& out) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(primitive.data.data()), primitive.data.size());
  draco::Decoder decoder;
  auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok()) {
    return Error{std::string("Draco: ") + decoded.status().error_msg(), primitive.where};
  }
  const draco::Mesh& mesh = *decoded.value();
  append_count(out, mesh.num_points());
  append_count(out, std::uint64_t{3} * mesh.num_faces());
  for (draco::FaceIndex face(0); face < mesh.num_faces(); ++face) {
    for (const draco::PointIndex& point : mesh.face(face)) {
      const std::uint32_t index = point.value();
      append(out, &index, sizeof(index));
    }
  }
  for (const DracoAttribute& wanted : primitive.attributes) {
    const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(wanted.id);
    if (attribute == nullptr || !append_attribute(*attribute, mesh, wanted.layout, out)) {
      return Error{"the Draco data has no attribute " + std::to_string(wanted.id) + " for " + wanted.name,
                   primitive.where};
    }
  }
  return Done{};
}

/// Reads what the child wrote.
class Answer {
 public:
  explicit Answer(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool read(void* to, std::uint64_t count, std::uint64_t size) {
    if (size != 0 && count > bytes_.size() / size) return false;
    const std::size_t total = count * size;
    if (total > 0) std::memcpy(to, bytes_.data(), total);
    bytes_ = bytes_.subspan(total);
    return true;
  }
  bool holds(std::uint64_t count, std::uint64_t size) const { return count <= bytes_.size() / size; }

 private:
  std::span<const std::byte> bytes_;
};

bool read_primitive(Answer& answer, DracoPrimitive& primitive) {
  std::uint64_t points = 0, indices = 0;
  if (!answer.read(&points, 1, sizeof(points)) || !answer.read(&indices, 1, sizeof(indices))) return false;
  if (!answer.holds(indices, sizeof(std::uint32_t))) return false;
  primitive.indices.resize(indices);
  if (!answer.read(primitive.indices.data(), indices, sizeof(std::uint32_t))) return false;
  for (DracoAttribute& attribute : primitive.attributes) {
    attribute.layout.count = points;
    if (!answer.holds(points, attribute.layout.element_size())) return false;
    attribute.bytes.resize(points * attribute.layout.element_size());
    if (!answer.read(attribute.bytes.data(), points, attribute.layout.element_size())) return false;
  }
  return true;
}

}  // namespace

bool draco_available() { return true; }

Status decode_draco(std::span<DracoPrimitive> primitives, Budget& budget) {
  if (primitives.empty()) return Done{};
  const auto work = [&]() -> Result<Bytes> {
    Bytes out;
    for (const DracoPrimitive& primitive : primitives) LIMBER_CHECK_OK(append_primitive(primitive, out));
    return out;
  };
  IsolationLimits limits;
  const std::uint64_t left = budget.left();
  // Else it is the child's own limit, or what a file of this size may claim.
  const bool asks_the_process = left < limits.memory_bytes && left == memory_budget_left();
  limits.memory_bytes = std::min(limits.memory_bytes, left);
  limits.result_bytes = std::min(limits.result_bytes, left);
  limits.seconds = 60;
  auto bytes = run_isolated(work, limits);
  if (!bytes.ok()) {
    Error error = std::move(bytes).error();
    if (error.kind == ErrorKind::kOutOfMemory && asks_the_process) {
      return beyond_memory_budget(limits.memory_bytes, primitives[0].where);
    }
    error.what = shortened(error.what), error.where = shortened(error.where);  // the child may have gone mad
    if (error.where.empty()) {
      error.what = "decoding KHR_draco_mesh_compression: " + error.what;
      error.where = primitives[0].where;
    }
    return error;
  }
  LIMBER_CHECK_OK(budget.take(bytes->size(), 2, primitives[0].where));  // as they came, and taken apart
  Answer answer(*bytes);
  for (DracoPrimitive& primitive : primitives) {
    if (!read_primitive(answer, primitive)) return Error{"the Draco data is damaged", primitive.where};
  }
  return Done{};
}
#else
bool draco_available() { return false; }

Status decode_draco(std::span<DracoPrimitive> primitives, Budget&) {
  if (primitives.empty()) return Done{};
  return Error{"needs KHR_draco_mesh_compression, and limber was built without draco", primitives[0].where,
               ErrorKind::kUnsupported};
}
#endif

}  // namespace limber::asset
