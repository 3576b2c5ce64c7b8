// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace limber {

/// FNV-1a of 64 bits, the same on every machine: against accidents, not against attacks.
/// `Checksum().add(points).add(normals).value()` is that of all their bytes in order.
class Checksum {
 public:
  Checksum() = default;
  /// Other seeds give other sums of the same bytes; 0 is plain FNV-1a.
  explicit Checksum(std::uint64_t seed) : value_(kStart ^ seed) {}

  /// The bytes of anything contiguous: a vector, a span, a string. Structs must have no padding.
  template <class Range>
  Checksum& add(const Range& values) {
    const std::span elements(values);
    static_assert(std::is_trivially_copyable_v<typename decltype(elements)::element_type>);
    for (const std::byte byte : std::as_bytes(elements)) {
      value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3ull;
    }
    return *this;
  }

  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kStart = 0xcbf29ce484222325ull;
  std::uint64_t value_ = kStart;
};

}  // namespace limber
