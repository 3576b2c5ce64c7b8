// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/role.h"

#include <algorithm>
#include <array>

namespace limber::rig {
namespace {

constexpr std::array<std::string_view, kLimbKindCount> kLimbNames{"trunk", "neck", "head",    "tail",     "leg",
                                                                  "arm",   "wing", "fin",     "tentacle", "finger",
                                                                  "ear",   "horn", "antenna", "jaw",      "prop"};
constexpr std::array<std::string_view, 3> kSideNames{"middle", "left", "right"};

template <class Enum, std::size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name(LimbKind kind) { return kLimbNames[static_cast<std::size_t>(kind)]; }
std::optional<LimbKind> limb_kind_named(std::string_view name) { return find_name<LimbKind>(kLimbNames, name); }

std::string_view name(Side side) { return kSideNames[static_cast<std::size_t>(side)]; }
std::optional<Side> side_named(std::string_view name) { return find_name<Side>(kSideNames, name); }

Side mirrored(Side side) {
  return side == Side::kLeft ? Side::kRight : side == Side::kRight ? Side::kLeft : Side::kMiddle;
}

}  // namespace limber::rig
