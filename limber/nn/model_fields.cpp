// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/model_fields.h"

#include <fmt/format.h>

#include <cstdint>

#include "limber/base/files.h"
#include "limber/base/nesting.h"

namespace limber::nn {

Result<nlohmann::ordered_json> parse_description(const std::string& text, const char* format, const char* what,
                                                 const std::string& name) {
  nlohmann::ordered_json json;
  if (!nested_deeper(text)) json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", nlohmann::ordered_json()) != format) {
    return Error{fmt::format("not the description of {}", what), name};
  }
  return json;
}

Result<int> read_field(const nlohmann::ordered_json& json, const char* key, int low, int high,
                       const std::string& name) {
  const auto value = json.find(key);
  if (value == json.end() || !value->is_number_integer()) return Error{"missing", name + "#/" + key};
  const auto number = value->get<std::int64_t>();
  if (number < low || number > high) {
    return Error{fmt::format("{} is not in {} .. {}", number, low, high), name + "#/" + key};
  }
  return static_cast<int>(number);
}

Result<std::string> read_description(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
  LIMBER_TRY(const Bytes bytes, read_file(file, kMostBytes));
  return std::string(as_text(bytes));
}

}  // namespace limber::nn
