// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "limber/asset/source.h"

namespace limber::asset {

enum class ComponentType : std::uint16_t {
  kInt8 = 5120,
  kUint8 = 5121,
  kInt16 = 5122,
  kUint16 = 5123,
  kUint32 = 5125,
  kFloat = 5126
};
std::size_t component_size(ComponentType type);

/// When the memory budget of the process is asked about a document. `kBefore`: that it fits was found on reading it,
/// and it is decoded once more for a moment, to be compared with what became of it.
enum class Counted : std::uint8_t { kNow, kBefore };

/// What all decoded data together may take: a small file must not make us allocate gigabytes.
class Budget {
 public:
  explicit Budget(const Source& source, Counted counted = Counted::kNow);
  Status take(std::uint64_t count, std::uint64_t element_bytes, const std::string& where);
  std::uint64_t left() const { return counted_ == Counted::kNow ? std::min(left_, memory_budget_left()) : left_; }
  /// What was granted, for whoever keeps the data.
  MemoryShare hand_over() { return std::move(memory_); }

 private:
  Counted counted_;
  std::uint64_t left_;
  MemoryShare memory_;
};

/// What an accessor says about itself.
struct AccessorLayout {
  ComponentType component_type = ComponentType::kFloat;
  bool normalized = false;
  std::uint64_t components = 1, count = 0;
  std::size_t element_size() const { return component_size(component_type) * components; }
};

/// Elements in memory: tightly packed or with a stride.
struct Elements {
  std::span<const std::byte> bytes;
  std::size_t stride = 0;
};

/// Components as floats, integers mapped as `normalized` says. `bytes` must hold `layout.count` elements.
void convert(const Elements& from, const AccessorLayout& layout, float* to);
/// Unsigned integers as they are; an error if they are of another type.
Status convert(const Elements& from, const AccessorLayout& layout, std::uint32_t* to, const std::string& where);

/// Decodes accessors: strides, sparse overlays, zeros where there is no view, normalised integers, compressed views.
class AccessorReader {
 public:
  AccessorReader(const Source& source, Budget& budget) : source_(source), budget_(budget) {}
  /// Must be called once, before all else.
  Status open();

  std::size_t size() const { return accessors_.size(); }
  std::string where(int accessor) const { return accessors_[static_cast<std::size_t>(accessor)].where(); }
  Result<AccessorLayout> layout(int accessor) const;

  /// All components in order. `components` is how many an element must have.
  Result<std::vector<float>> floats(int accessor, std::uint64_t components);
  /// As floats, for a `Vector` that is made of nothing but floats.
  template <class Vector>
  Result<std::vector<Vector>> vectors(int accessor) {
    constexpr std::size_t kComponents = sizeof(Vector) / sizeof(float);
    LIMBER_TRY(const AccessorLayout found, checked_layout(accessor, kComponents));
    LIMBER_CHECK_OK(budget_.take(found.count, sizeof(Vector), where(accessor)));
    std::vector<Vector> result(found.count);
    LIMBER_CHECK_OK(read_floats(accessor, found, reinterpret_cast<float*>(result.data())));
    return result;
  }
  /// Unsigned integers as they are; `components` as above.
  Result<std::vector<std::uint32_t>> integers(int accessor, std::uint64_t components);

  /// The bytes of a view, decompressed if need be. Valid as long as the reader.
  Result<std::span<const std::byte>> view_bytes(int view);
  std::size_t view_count() const { return views_.size(); }

 private:
  Result<AccessorLayout> checked_layout(int accessor, std::uint64_t components) const;
  Status read_floats(int accessor, const AccessorLayout& layout, float* to);
  Result<Elements> elements(const JsonAt& at, const AccessorLayout& layout, bool use_stride);
  struct Sparse {
    std::vector<std::uint32_t> positions;
    Elements values;
  };
  Result<Sparse> sparse(const JsonAt& accessor, const AccessorLayout& layout);
  Result<std::span<const std::byte>> stored_bytes(const JsonAt& view);
  Result<std::span<const std::byte>> decompressed(int view, const JsonAt& extension);

  const Source& source_;
  Budget& budget_;
  std::vector<JsonAt> accessors_, views_;
  std::unordered_map<int, Bytes> decompressed_;
};

}  // namespace limber::asset
