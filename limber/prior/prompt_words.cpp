// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/prompt_words.h"

#include <algorithm>

#include "limber/base/expect.h"

namespace limber::prior {
namespace {

/// FNV-1a.
std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h ^ (h >> 15);
}

}  // namespace

std::vector<std::int32_t> prompt_groups(std::string_view text, int buckets) {
  LIMBER_EXPECT(buckets > 1, std::to_string(buckets));
  std::vector<std::int32_t> groups(static_cast<std::size_t>(kPromptWords) * kWordGroups);
  const std::vector<std::string> words = words_of(text);
  for (std::size_t w = 0; w < std::min<std::size_t>(words.size(), kPromptWords); ++w) {
    const std::string marked = "<" + words[w] + ">";
    std::size_t count = 0;
    const auto add = [&](std::string_view group) {
      if (count == kWordGroups) return;
      const std::uint32_t bucket = 1 + hash(group) % static_cast<std::uint32_t>(buckets - 1);
      groups[w * kWordGroups + count++] = static_cast<std::int32_t>(bucket);
    };
    add(marked);
    for (std::size_t length = 3; length <= 5; ++length) {
      for (std::size_t at = 0; at + length <= marked.size() && length < marked.size(); ++at) {
        add(std::string_view(marked).substr(at, length));
      }
    }
  }
  return groups;
}

}  // namespace limber::prior
