// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/result.h"

/// Private to `training`: little-endian numbers, one after the other.
namespace limber::training {

static_assert(std::endian::native == std::endian::little);

/// Numbers between 0 and 1 are stored as 16-bit shares.
inline constexpr float kShares = 65535;

class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
  }
  void count(std::size_t value) { number(static_cast<std::uint32_t>(value)); }
  void text(const std::string& value) {
    count(value.size());
    const std::span<const std::byte> bytes = as_bytes(value);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  /// Floats and structs of floats, without their length.
  template <class T>
  void floats(std::span<const T> values) {
    const std::span<const std::byte> bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  template <class T>
  void floats(const T& value) {
    floats(std::span<const T>(&value, 1));
  }
  void share(float value) { number(static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * kShares))); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// Takes what is there; the first thing that is wrong is kept, and everything after it reads as nothing.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  template <class T>
  T number() {
    T value{};
    take(&value, sizeof(T));
    return value;
  }
  /// A list's length, each entry of which takes so many bytes at least.
  std::size_t count(std::size_t entry_bytes, std::size_t most = 1u << 24) {
    const auto value = number<std::uint32_t>();
    if (value > most || std::uint64_t{value} * entry_bytes > bytes_.size() - at_) {
      fail(fmt::format("a list of {}, for which there is no room", value));
      return 0;
    }
    return ok() ? value : 0;
  }
  std::string text() {
    std::string value(count(1, 4096), '\0');
    take(value.data(), value.size());
    return value;
  }
  /// Structs of floats, all of which must be finite and not beyond any use.
  template <class T>
  void floats(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(float) == 0);
    take(values.data(), values.size_bytes());
    const auto* numbers = reinterpret_cast<const float*>(values.data());
    for (std::size_t i = 0; i < values.size_bytes() / sizeof(float); ++i) {
      if (!(std::abs(numbers[i]) < 1e9f)) return fail("a number that is not finite or far too large");
    }
  }
  template <class T>
  T floats() {
    T value{};
    floats(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  std::vector<T> floats(std::size_t count) {
    std::vector<T> values;
    if (!ok() || std::uint64_t{count} * sizeof(T) > bytes_.size() - at_) {
      fail(fmt::format("the file ends before its {} numbers", count));
      return values;
    }
    values.resize(count);
    floats(std::span<T>(values));
    return values;
  }
  float share() { return static_cast<float>(number<std::uint16_t>()) / kShares; }

  void fail(std::string what) {
    if (ok()) error_ = Error{std::move(what), fmt::format("{} at byte {}", name_, at_)};
  }
  bool ok() const { return error_.what.empty(); }
  std::size_t left() const { return bytes_.size() - at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  const Error& error() const { return error_; }

 private:
  void take(void* to, std::size_t count) {
    if (!ok()) return;
    if (count > bytes_.size() - at_) return fail("the file ends too early");
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t at_ = 0;
  Error error_;
};

}  // namespace limber::training
