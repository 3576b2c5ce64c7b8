// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "limber/base/quote.h"

namespace limber::asset {
namespace {

constexpr std::size_t kMaxDepth = 512;
constexpr std::size_t kMaxKeys = 1024;  // outside extras: what is looked up often must be found quickly
constexpr std::size_t kManyKeys = 32;   // above this, an object's keys are looked up in a hash table

// What a value takes, with what is made of it: an object of two bytes becomes a node of hundreds.
constexpr std::uint64_t kObjectBytes = 512, kValueBytes = 64;
constexpr std::uint64_t kAskedAtOnce = 1 << 20;

/// Builds the document from the parser's events. Own code for three reasons: copying and printing a document recurse,
/// so its depth must be bounded before it exists; the stock builder takes quadratic time in the keys of an object; and
/// it does not tell when a key comes twice.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(const std::string& where, MemoryShare& memory) : where_(where), memory_(memory) {}

  Json document;
  std::string problem;
  ErrorKind kind = ErrorKind::kInput;  // of the problem

  bool null() override { return add(nullptr, kValueBytes); }
  bool boolean(bool value) override { return add(value, kValueBytes); }
  bool number_integer(number_integer_t value) override { return add(value, kValueBytes); }
  bool number_unsigned(number_unsigned_t value) override { return add(value, kValueBytes); }
  bool number_float(number_float_t value, const string_t&) override { return add(value, kValueBytes); }
  bool string(string_t& value) override {
    const std::uint64_t bytes = kValueBytes + value.size();
    return add(std::move(value), bytes);
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return stack_.pop_back(), true; }
  bool end_array() override { return stack_.pop_back(), true; }

  bool key(string_t& value) override {
    if (!afford(kValueBytes + value.size())) return false;
    Level& level = stack_.back();
    level.last_key = value;
    auto& members = *level.container->get_ptr<Json::object_t*>();
    if (Json* existing = find(level, members, value)) {
      if (level.is_attributes) {
        problem = "the attribute \"" + shortened(value) + "\" is there twice";
        return false;
      }
      level.slot = existing;
      return true;
    }
    if (members.size() >= kMaxKeys && !level.in_extras) {
      problem = "an object has more than " + std::to_string(kMaxKeys) + " keys";
      return false;
    }
    members.emplace_back(value, nullptr);
    if (members.size() > kManyKeys) index_keys(level, members);
    level.slot = &members.back().second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& exception) override {
    problem = "not valid JSON near byte " + std::to_string(position) + ": " + shortened(exception.what());
    return false;
  }

 private:
  struct Level {
    Json* container = nullptr;
    Json* slot = nullptr;  // where the value of the current key goes
    std::string last_key;
    bool is_attributes = false, in_extras = false;
    std::unordered_map<std::string, std::size_t> positions;
  };

  static Json* find(Level& level, Json::object_t& members, const std::string& key) {
    if (members.size() > kManyKeys) {
      const auto found = level.positions.find(key);
      return found == level.positions.end() ? nullptr
                                            : &(members.begin() + static_cast<std::ptrdiff_t>(found->second))->second;
    }
    for (auto& [name, value] : members) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  static void index_keys(Level& level, const Json::object_t& members) {
    for (std::size_t i = level.positions.size(); i < members.size(); ++i)
      level.positions.emplace((members.begin() + static_cast<std::ptrdiff_t>(i))->first, i);
  }

  Json& place(Json value) {
    if (stack_.empty()) return document = std::move(value);
    Level& level = stack_.back();
    if (level.slot != nullptr) return *level.slot = std::move(value);
    auto& elements = *level.container->get_ptr<Json::array_t*>();
    elements.push_back(std::move(value));
    return elements.back();
  }

  /// In steps, so that others who read at the same time are not asked at every number.
  bool afford(std::uint64_t bytes) {
    if (bytes <= granted_) return granted_ -= bytes, true;
    const Status taken = memory_.take(bytes + kAskedAtOnce, where_);
    if (!taken.ok()) return problem = taken.error().what, kind = taken.error().kind, false;
    granted_ += kAskedAtOnce;
    return true;
  }

  template <class T>
  bool add(T&& value, std::uint64_t bytes) {
    if (!afford(bytes)) return false;
    place(Json(std::forward<T>(value)));
    return true;
  }

  bool open(Json value) {
    if (!afford(value.is_object() ? kObjectBytes : kValueBytes)) return false;
    if (stack_.size() >= kMaxDepth) {
      problem = "nested more than " + std::to_string(kMaxDepth) + " deep";
      return false;
    }
    Level level;
    if (!stack_.empty()) {
      level.is_attributes = value.is_object() && stack_.back().last_key == "attributes";
      level.in_extras = stack_.back().in_extras || stack_.back().last_key == "extras";
    }
    level.container = &place(std::move(value));
    stack_.push_back(std::move(level));
    return true;
  }

  const std::string& where_;
  MemoryShare& memory_;
  std::uint64_t granted_ = 0;  // and not yet used
  std::vector<Level> stack_;
};

Result<float> to_float(const Json& json, const std::string& where) {
  if (!json.is_number()) return Error{"should be a number", where};
  const double value = json.get<double>();
  if (!(std::fabs(value) <= std::numeric_limits<float>::max())) return Error{"is not a finite number", where};
  return static_cast<float>(value);
}

/// Whole numbers only, though "3.0" is one too: some exporters write all numbers that way.
bool to_unsigned(const Json& json, std::uint64_t& out) {
  if (json.is_number_unsigned()) return out = json.get<std::uint64_t>(), true;
  if (!json.is_number()) return false;
  const double value = json.get<double>();
  if (!(value >= 0 && value <= 9007199254740992.0) || value != std::floor(value)) return false;
  return out = static_cast<std::uint64_t>(value), true;
}

Result<int> to_index(const Json& json, std::size_t count, const char* kind, const std::string& where) {
  std::uint64_t value = 0;
  if (!to_unsigned(json, value)) return Error{"should be an index", where};
  if (value >= count || value > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    return Error{
        "refers to " + std::string(kind) + " " + std::to_string(value) + ", but there are " + std::to_string(count),
        where};
  }
  return static_cast<int>(value);
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& name, MemoryShare& memory) {
  const std::string where = name + "#";
  DocumentBuilder builder(where, memory);
  if (!Json::sax_parse(text, &builder)) {
    return Error{builder.problem.empty() ? "not valid JSON" : builder.problem, where, builder.kind};
  }
  if (!builder.document.is_object()) return Error{"the JSON is not an object", name + "#"};
  return std::move(builder.document);
}

const Json* JsonAt::find(const char* key) const {
  if (!json_->is_object()) return nullptr;
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

Error JsonAt::type_error(const char* key, const char* expected) const {
  return {std::string("should be ") + expected, where(key)};
}

Result<JsonAt> JsonAt::object(const char* key) const {
  static const Json kEmpty = Json::object();
  const Json* found = find(key);
  if (found == nullptr) return JsonAt(kEmpty, where(key));
  if (!found->is_object()) return type_error(key, "an object");
  return JsonAt(*found, where(key));
}

Result<std::vector<JsonAt>> JsonAt::objects(const char* key) const {
  std::vector<JsonAt> result;
  const Json* found = find(key);
  if (found == nullptr) return result;
  if (!found->is_array()) return type_error(key, "an array");
  result.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    result.emplace_back((*found)[i], where(key) + "/" + std::to_string(i));
    if (!(*found)[i].is_object()) return result.back().error("should be an object");
  }
  return result;
}

Result<JsonAt> JsonAt::extension(const char* name) const {
  LIMBER_TRY(const JsonAt extensions, object("extensions"));
  return extensions.object(name);
}

bool JsonAt::has_extension(const char* name) const {
  const Json* extensions = find("extensions");
  return extensions != nullptr && extensions->is_object() && extensions->contains(name);
}

Status JsonAt::read(const char* key, bool& out) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  if (!found->is_boolean()) return type_error(key, "true or false");
  out = found->get<bool>();
  return Done{};
}

Status JsonAt::read(const char* key, float& out) const { return read_floats(key, &out, 1); }

Status JsonAt::read(const char* key, std::uint64_t& out) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  if (!to_unsigned(*found, out)) return type_error(key, "a whole number, not negative");
  return Done{};
}

Status JsonAt::read(const char* key, std::string& out) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  if (!found->is_string()) return type_error(key, "a string");
  out = found->get_ref<const std::string&>();
  return Done{};
}

Status JsonAt::read(const char* key, std::vector<float>& out) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  if (!found->is_array()) return type_error(key, "an array of numbers");
  out.clear();
  out.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    LIMBER_TRY(const float value, to_float((*found)[i], where(key) + "/" + std::to_string(i)));
    out.push_back(value);
  }
  return Done{};
}

Status JsonAt::read_floats(const char* key, float* out, std::size_t count) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  if (count == 1) {
    LIMBER_TRY(*out, to_float(*found, where(key)));
    return Done{};
  }
  if (!found->is_array() || found->size() != count) {
    return type_error(key, ("an array of " + std::to_string(count) + " numbers").c_str());
  }
  for (std::size_t i = 0; i < count; ++i) {
    LIMBER_TRY(out[i], to_float((*found)[i], where(key) + "/" + std::to_string(i)));
  }
  return Done{};
}

Status JsonAt::read(const char* key, Vec2& out) const { return read_floats(key, &out.x, 2); }
Status JsonAt::read(const char* key, Vec3& out) const { return read_floats(key, &out.x, 3); }
Status JsonAt::read(const char* key, Vec4& out) const { return read_floats(key, &out.x, 4); }
Status JsonAt::read(const char* key, Quat& out) const { return read_floats(key, &out.x, 4); }

Status JsonAt::read_index(const char* key, std::size_t count, const char* kind, int& out) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  LIMBER_TRY(out, to_index(*found, count, kind, where(key)));
  return Done{};
}

Status JsonAt::read_indices(const char* key, std::size_t count, const char* kind, std::vector<int>& out) const {
  const Json* found = find(key);
  if (found == nullptr) return Done{};
  if (!found->is_array()) return type_error(key, "an array of indices");
  out.clear();
  out.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    LIMBER_TRY(const int index, to_index((*found)[i], count, kind, where(key) + "/" + std::to_string(i)));
    out.push_back(index);
  }
  return Done{};
}

Result<std::uint64_t> JsonAt::need_count(const char* key) const {
  std::uint64_t value = 0;
  if (!has(key)) return error(std::string("has no \"") + key + "\"");
  LIMBER_CHECK_OK(read(key, value));
  return value;
}

Result<int> JsonAt::need_index(const char* key, std::size_t count, const char* kind) const {
  int index = -1;
  if (!has(key)) return error(std::string("has no \"") + key + "\"");
  LIMBER_CHECK_OK(read_index(key, count, kind, index));
  return index;
}

std::size_t array_size(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found == document.end() || !found->is_array() ? 0 : found->size();
}

bool requires_extension(const Json& document, std::string_view name) {
  const auto found = document.find("extensionsRequired");
  if (found == document.end() || !found->is_array()) return false;
  return std::any_of(found->begin(), found->end(),
                     [&](const Json& entry) { return entry.is_string() && entry == name; });
}

}  // namespace limber::asset
