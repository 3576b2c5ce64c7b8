// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/memory_budget.h"
#include "limber/base/result.h"

namespace limber::asset {

/// Keeps the order of keys, so that a document is written in the order it was read.
using Json = nlohmann::ordered_json;

/// Parses the text of a document. Nesting is bounded, and an attribute named twice is an error (elsewhere the last of
/// two equal keys counts). `name` is the file, for errors.
/// `memory` is asked for what the document takes, and for what is made of it.
Result<Json> parse_json(std::string_view text, const std::string& name, MemoryShare& memory);

/// A value of the document together with its address, so that every complaint can say where. Reading a field of the
/// wrong type is an error; a field that is absent (or null) leaves the output as it is.
class JsonAt {
 public:
  JsonAt(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

  const Json& json() const { return *json_; }
  const std::string& where() const { return where_; }
  Error error(std::string what) const { return {std::move(what), where_}; }
  std::string where(std::string_view key) const { return where_ + "/" + std::string(key); }

  /// The member `key`, or null where there is none or this is no object.
  const Json* find(const char* key) const;
  bool has(const char* key) const { return find(key) != nullptr; }

  /// The member `key`, which must be an object; an empty object where it is absent.
  Result<JsonAt> object(const char* key) const;
  /// The elements of the array `key`, all of which must be objects; none where it is absent.
  Result<std::vector<JsonAt>> objects(const char* key) const;
  /// The extension `name` of this object; an empty object where it is absent.
  Result<JsonAt> extension(const char* name) const;
  bool has_extension(const char* name) const;

  Status read(const char* key, bool& out) const;
  Status read(const char* key, float& out) const;
  Status read(const char* key, std::uint64_t& out) const;
  Status read(const char* key, std::string& out) const;
  Status read(const char* key, std::vector<float>& out) const;
  Status read(const char* key, Vec2& out) const;
  Status read(const char* key, Vec3& out) const;
  Status read(const char* key, Vec4& out) const;
  Status read(const char* key, Quat& out) const;

  /// An index into a list of `count` elements; `kind` names them in the error.
  Status read_index(const char* key, std::size_t count, const char* kind, int& out) const;
  Status read_indices(const char* key, std::size_t count, const char* kind, std::vector<int>& out) const;
  /// A field that must be there.
  Result<std::uint64_t> need_count(const char* key) const;
  Result<int> need_index(const char* key, std::size_t count, const char* kind) const;

 private:
  Error type_error(const char* key, const char* expected) const;
  Status read_floats(const char* key, float* out, std::size_t count) const;

  const Json* json_;
  std::string where_;
};

/// The length of the top-level array `key`; 0 where there is none.
std::size_t array_size(const Json& document, const char* key);

/// Whether the document says that it cannot be read without the extension.
bool requires_extension(const Json& document, std::string_view name);

}  // namespace limber::asset
