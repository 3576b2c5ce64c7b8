// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/extras.h"

#include <nlohmann/json.hpp>

namespace limber::asset {

std::optional<std::vector<double>> extras_numbers(std::string_view extras, const std::string& pointer) {
  using Json = nlohmann::json;
  const Json root = Json::parse(extras, nullptr, /*allow_exceptions=*/false);
  const Json::json_pointer place(pointer);
  if (root.is_discarded() || !root.contains(place) || !root.at(place).is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const Json& entry : root.at(place)) {
    if (entry.is_number()) {
      numbers.push_back(entry.get<double>());
      continue;
    }
    if (!entry.is_array()) return std::nullopt;
    for (const Json& number : entry) {
      if (!number.is_number()) return std::nullopt;
      numbers.push_back(number.get<double>());
    }
  }
  return numbers;
}

}  // namespace limber::asset
