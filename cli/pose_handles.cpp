// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "pose_handles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "command.h"

namespace limber::cli {
namespace {

constexpr std::size_t kNamed = 12;  // joints in an error

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// What somebody may have meant: joints whose names have the text in them, else the first ones.
std::string suggestions(const rig::Rig& rig, const std::string& asked) {
  std::vector<std::string> alike, all;
  for (const rig::Joint& joint : rig.joints()) {
    all.push_back(joint.name);
    if (lower(joint.name).find(lower(asked)) != std::string::npos) alike.push_back(joint.name);
  }
  std::vector<std::string>& shown = alike.empty() ? all : alike;
  const bool more = shown.size() > kNamed;
  if (more) shown.resize(kNamed);
  return printable(fmt::format("{}{}", fmt::join(shown, ", "), more ? " ..." : ""));
}

/// Exactly three numbers with commas between them.
bool parse_numbers(const std::string& text, Vec3& numbers) {
  const char* at = text.c_str();
  for (int k = 0; k < 3; ++k) {
    char* end = nullptr;
    numbers[k] = std::strtof(at, &end);
    if (end == at || !std::isfinite(numbers[k]) || *end != (k < 2 ? ',' : '\0')) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

Result<NamedPlace> parse_place(const std::string& text, const rig::Subject& subject) {
  const std::size_t split = text.rfind('=');
  Vec3 place;
  if (split == std::string::npos || !parse_numbers(text.substr(split + 1), place))
    return Error{"expected a joint and a place, such as head=0,1.5,0.2", text};  // not a joint: an example for a person
  const std::string name = text.substr(0, split);
  const int joint = subject.rig.find(name);
  if (joint < 0)
    return Error{fmt::format("there is no such joint; there are {}", suggestions(subject.rig, name)), name};
  return NamedPlace{joint, (1 / subject.asset_scale) * (place - subject.asset_offset)};
}

}  // namespace limber::cli
