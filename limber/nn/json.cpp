// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/json.h"

#include <nlohmann/json.hpp>
#include <set>

#include "limber/base/quote.h"

namespace limber::nn {
namespace {

constexpr int kMaxDepth = 32;

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, const std::string& where, int unique_depth) {
  using Json = nlohmann::json;
  std::set<std::string> keys;
  std::string duplicate;
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start && depth == unique_depth - 1) keys.clear();
    if (event == Json::parse_event_t::key && depth == unique_depth &&
        !keys.insert(parsed.get_ref<const std::string&>()).second) {
      duplicate = parsed.get<std::string>();
    }
    too_deep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& e) {
    return Error{"bad JSON: " + shortened(e.what()), where};
  }
  if (too_deep) return Error{"the JSON is nested too deeply", where};
  if (!duplicate.empty()) return Error{"this name occurs twice", where + "#" + duplicate};
  if (!json.is_object()) return Error{"the JSON is not an object", where};
  return json;
}

}  // namespace limber::nn
