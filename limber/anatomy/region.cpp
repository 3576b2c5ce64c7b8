// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/region.h"

#include <array>

namespace limber::anatomy {
namespace {

constexpr std::array<std::string_view, kRegionCount> kRegionNames{"trunk",
                                                                  "neck",
                                                                  "head",
                                                                  "tail",
                                                                  "front upper left",
                                                                  "front upper right",
                                                                  "front lower left",
                                                                  "front lower right",
                                                                  "front end left",
                                                                  "front end right",
                                                                  "hind upper left",
                                                                  "hind upper right",
                                                                  "hind lower left",
                                                                  "hind lower right",
                                                                  "hind end left",
                                                                  "hind end right",
                                                                  "middle left",
                                                                  "middle right",
                                                                  "wing left",
                                                                  "wing right",
                                                                  "fin",
                                                                  "other"};
constexpr std::array<std::string_view, kBodyKindCount> kKindNames{
    "humanoid", "quadruped", "lizard", "bird", "theropod", "hexapod", "octopod", "fish", "snake", "other"};

}  // namespace

Region mirrored(Region region) {
  const int value = static_cast<int>(region);
  const bool sided = region >= Region::kFrontUpperLeft && region <= Region::kWingRight;
  return sided ? static_cast<Region>(value ^ 1) : region;
}

std::string_view name(Region region) { return kRegionNames[static_cast<std::size_t>(region)]; }
std::string_view name(BodyKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<BodyKind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<BodyKind>(i);
  }
  return std::nullopt;
}

}  // namespace limber::anatomy
