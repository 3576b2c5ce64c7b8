// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/doctor/examine.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/doctor/checks.h"

namespace limber::doctor {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "";
}

std::string list_shares(const std::vector<Share>& shares) {
  constexpr std::size_t kListed = 3;
  std::vector<Share> some;
  std::copy_if(shares.begin(), shares.end(), std::back_inserter(some), [](const Share& s) { return s.second > 0; });
  std::stable_sort(some.begin(), some.end(), [](const Share& a, const Share& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < some.size() && i < kListed; ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", some[i].first, some[i].second);
  }
  if (some.size() > kListed) text += fmt::format(" and {} more", some.size() - kListed);
  return text;
}

std::string node_name(const asset::Asset& asset, std::size_t node) {
  const std::string& name = asset.nodes[node].name;
  return name.empty() ? fmt::format("node {}", node) : name;
}

Result<std::vector<Finding>> examine(const asset::Asset& asset, const ExamineSettings& settings,
                                     const Progress& progress) {
  Findings findings;
  const auto go_on = [&](const char* stage, double fraction) { return !progress || progress(stage, fraction); };
  const Error cancelled{"cancelled", asset.name, ErrorKind::kCancelled};
  if (!go_on("looking at the surface", 0)) return cancelled;
  check_file(asset, findings);
  check_surface(asset, findings);
  if (!go_on("looking at the rig", 0.2)) return cancelled;
  check_rig(asset, findings);
  if (!go_on("looking at the body", 0.4)) return cancelled;
  LIMBER_CHECK_OK(check_body(asset, settings, progress, findings));
  if (!go_on("looking at the clips", 0.7)) return cancelled;
  check_clips(asset, findings);
  return findings;
}

}  // namespace limber::doctor
