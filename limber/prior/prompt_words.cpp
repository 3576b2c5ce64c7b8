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

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte > 127, upper = c >= 'A' && c <= 'Z';
    if (lower || upper) {
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (c != '\'' && !word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

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

double word_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment, three rows at a time.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  const std::size_t longest = std::max(a.size(), b.size());
  return longest == 0 ? 0 : static_cast<double>(last[b.size()]) / static_cast<double>(longest);
}

}  // namespace limber::prior
