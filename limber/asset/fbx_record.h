// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/result.h"

/// The container of binary FBX 7.4: records with a name, typed properties and more records. Private to the module.
namespace limber::asset {

class FbxRecord {
 public:
  /// Every argument becomes a property: bool, 32- and 64-bit numbers, double, text, and arrays of numbers.
  template <class... Properties>
  explicit FbxRecord(std::string_view name, const Properties&... properties) : name_(name) {
    (add(properties), ...);
  }

  FbxRecord& add(bool value);
  FbxRecord& add(std::int32_t value);
  FbxRecord& add(std::int64_t value);
  FbxRecord& add(double value);
  FbxRecord& add(std::string_view text);
  FbxRecord& add(const std::string& text) { return add(std::string_view(text)); }
  FbxRecord& add(const char* text) { return add(std::string_view(text)); }
  FbxRecord& add(const Bytes& raw);
  // Arrays are zipped where that is worth it and zlib is there.
  FbxRecord& add(const std::vector<std::int32_t>& values);
  FbxRecord& add(const std::vector<std::int64_t>& values);
  FbxRecord& add(const std::vector<float>& values);
  FbxRecord& add(const std::vector<double>& values);

  /// A record inside this one; the reference holds until the next is added.
  FbxRecord& child(FbxRecord record);
  template <class... Properties>
  FbxRecord& child(std::string_view name, const Properties&... properties) {
    return child(FbxRecord(name, properties...));
  }

  const std::string& name() const { return name_; }
  void append_to(Bytes& file) const;

 private:
  FbxRecord& add_array(char type, std::span<const std::byte> bytes, std::size_t count);

  std::string name_;
  std::uint32_t count_ = 0;  // of properties
  Bytes properties_;
  std::vector<FbxRecord> children_;
};

/// A line of a Properties70 record: what most of an object's settings are. `flags` "A": can be animated.
template <class... Values>
FbxRecord fbx_property(std::string_view name, std::string_view type, std::string_view label, std::string_view flags,
                       const Values&... values) {
  return FbxRecord("P", name, type, label, flags, values...);
}

/// Every file says when it was made and by whom, in numbers that belong to each other. Ours all say the same, so that
/// the same asset gives the same bytes.
FbxRecord fbx_file_id();
inline constexpr std::string_view kFbxCreationTime = "1970-01-01 10:00:00:000";
inline constexpr std::int32_t kFbxVersion = 7400;

/// The whole file. Fails with kUnsupported beyond 4 GB, where 7.4 cannot count.
Result<Bytes> fbx_bytes(std::span<const FbxRecord> records);

}  // namespace limber::asset
