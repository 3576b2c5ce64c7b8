// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/split.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace limber::bench {

std::vector<std::string> split_list(const std::filesystem::path& file, const std::string& list) {
  std::vector<std::string> names;
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains(list)) return names;
  for (const auto& entry : json[list]) {
    if (entry.is_string()) names.push_back(entry.get<std::string>());
  }
  return names;
}

}  // namespace limber::bench
