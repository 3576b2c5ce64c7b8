// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "limber/doctor/checks.h"

namespace limber::doctor {
namespace {

void check_names(const asset::Asset& asset, Findings& findings) {
  std::map<std::string, std::size_t> counts;
  for (const asset::Node& node : asset.nodes) {
    if (!node.name.empty()) ++counts[node.name];
  }
  std::vector<Share> twice;
  for (const auto& [name, count] : counts) {
    if (count > 1) twice.emplace_back(name, count);
  }
  if (twice.empty()) return;
  findings.push_back({Severity::kWarning,
                      "names",
                      {"names_twice",
                       {{"names", static_cast<double>(twice.size())}},
                       {{"words", twice.size() == 1 ? "name is that of" : "names are those of"}}},
                      list_shares(twice)});
}

}  // namespace

void check_file(const asset::Asset& asset, Findings& findings) {
  for (const std::string& warning : asset.warnings) {
    // The words of asset/not_finite.h.
    const bool numbers = warning.find("not finite") != std::string::npos;
    findings.push_back(
        {Severity::kWarning, numbers ? "numbers" : "file",
         numbers ? Warning{"file_numbers", {}, {{"what", warning}}} : Warning{"file_mended", {}, {{"what", warning}}},
         ""});
  }
  check_names(asset, findings);
}

}  // namespace limber::doctor
