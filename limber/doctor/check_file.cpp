// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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
  findings.push_back({Severity::kWarning, "names",
                      fmt::format("{} name{} several nodes each; engines find joints by name", twice.size(),
                                  twice.size() == 1 ? " is that of" : "s are those of"),
                      list_shares(twice),
                      "rename them where the model was made; limber convert MODEL -o unique.fbx adds _2, _3"});
}

}  // namespace

void check_file(const asset::Asset& asset, Findings& findings) {
  for (const std::string& warning : asset.warnings) {
    // The words of asset/not_finite.h.
    const bool numbers = warning.find("not finite") != std::string::npos;
    findings.push_back({Severity::kWarning, numbers ? "numbers" : "file", warning, "",
                        numbers ? "write the model anew where it was made; limber goes on with what stands in"
                                : "check that nothing you need was left out"});
  }
  check_names(asset, findings);
}

}  // namespace limber::doctor
