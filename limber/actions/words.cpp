// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/actions/words.h"

#include <algorithm>
#include <iterator>

namespace limber::actions {
namespace {

/// A character of UTF-8 at some place; of what is none the byte.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(at);
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  char32_t code = bytes == 1 ? first : first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80u) return {first, 1};
    code = (code << 6) | (byte(at + i) & 0x3fu);
  }
  return {code, bytes};
}

/// Marks and pictures of Unicode, which are no letters: spaces, quotation marks, dashes, arrows, emoji.
bool separates(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kMarks[]{{0xa0, 0xbf},     {0x2000, 0x2bff},   {0x2e00, 0x2e7f},  {0x3000, 0x303f},
                                  {0xfe00, 0xfe6f}, {0xff01, 0xff0f},   {0xff1a, 0xff20},  {0xff3b, 0xff40},
                                  {0xff5b, 0xff65}, {0x1f000, 0x1faff}, {0xe0000, 0xe01ef}};
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const Character character = character_at(text, at);
    const bool foreign = character.bytes > 1 ? !separates(character.code) : character.code > 127;
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || foreign, upper = c >= 'A' && c <= 'Z';
    const bool apostrophe = c == '\'' || character.code == 0x2019;
    if (lower || upper) {
      word += upper ? std::string(1, static_cast<char>(c - 'A' + 'a')) : std::string(text.substr(at, character.bytes));
    } else if (!apostrophe && !word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
    at += character.bytes;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
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

std::vector<Mention> mentions_in(const std::vector<std::string>& words, std::span<const ActionWords> actions) {
  struct Phrase {
    std::vector<std::string> words;
    const ActionWords* action;
  };
  // In words once, not at every place: a prompt may be long.
  std::vector<Phrase> phrases;
  for (const ActionWords& action : actions) {
    for (const std::string& known : action.words) phrases.push_back({words_of(known), &action});
  }
  std::vector<Mention> found;
  for (std::size_t at = 0; at < words.size();) {
    Mention best;
    for (const Phrase& phrase : phrases) {
      const std::size_t length = phrase.words.size();
      if (length <= best.length || at + length > words.size()) continue;
      if (std::equal(phrase.words.begin(), phrase.words.end(), words.begin() + static_cast<std::ptrdiff_t>(at))) {
        best = {at, length, phrase.action->name};
      }
    }
    if (best.length > 0) found.push_back(best);
    at += std::max<std::size_t>(best.length, 1);
  }
  return found;
}

}  // namespace limber::actions
