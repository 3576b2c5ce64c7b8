// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Where motions take place, as plain data: `actions` knows it of words, `physics` asks for it.
namespace limber {

enum class Habitat : std::uint8_t {
  kGround,  ///< on feet that bear weight and stay where they are
  kCrawl,   ///< on its belly, which slides
  kFree     ///< in water or air: nothing bears weight
};

inline constexpr std::array<std::string_view, 3> kHabitatNames{"ground", "crawl", "free"};
inline std::string_view name(Habitat habitat) { return kHabitatNames[static_cast<std::size_t>(habitat)]; }
inline std::optional<Habitat> habitat_named(std::string_view name) {
  for (std::size_t i = 0; i < kHabitatNames.size(); ++i) {
    if (kHabitatNames[i] == name) return static_cast<Habitat>(i);
  }
  return std::nullopt;
}

/// What the words for a motion tell of where it takes place: its name or its prompt.
struct HabitatHint {
  std::optional<Habitat> habitat;  ///< none: they do not say
  std::string word;                ///< that says so: "flies"
  bool goes = false;               ///< it is said to get on by its legs, or to leap
};

}  // namespace limber
