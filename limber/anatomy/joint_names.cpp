// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/joint_names.h"

#include <algorithm>

namespace limber::anatomy {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool open = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c)) {
      open = false;
      continue;
    }
    const bool after_lower = i > 0 && is_lower(name[i - 1]);
    const bool before_lower = i + 1 < name.size() && is_lower(name[i + 1]);
    if (!open || (is_upper(c) && (after_lower || before_lower))) words.emplace_back();
    words.back() += is_upper(c) ? static_cast<char>(c + 32) : c;
    open = true;
  }
  return words;
}

bool has_word(const std::vector<std::string>& words, std::initializer_list<std::string_view> any) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return std::find(any.begin(), any.end(), word) != any.end(); });
}

int named_side(const std::vector<std::string>& words) {
  return (has_word(words, {"l", "left"}) ? 1 : 0) - (has_word(words, {"r", "right"}) ? 1 : 0);
}

}  // namespace limber::anatomy
