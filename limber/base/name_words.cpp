// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/name_words.h"

namespace limber {

std::vector<std::string> name_words(std::string_view name) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
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

}  // namespace limber
