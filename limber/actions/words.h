// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Words of prompts, and which of them name an action.
namespace limber::actions {

/// Lower-case words of a text; whatever is not a letter, a digit or a character of another script separates, and so do
/// emoji. An apostrophe is dropped.
std::vector<std::string> words_of(std::string_view text);

/// How unlike two words are: edits (insert, delete, replace, swap neighbours) over the longer one's length, 0 to 1.
double word_distance(std::string_view a, std::string_view b);

/// A word for what a body does, and how it may be said.
struct ActionWords {
  std::string name;                ///< "trot"
  std::vector<std::string> words;  ///< `kVerbForms` of each verb: "trot", "trots", "trotting" ...
};
inline constexpr std::size_t kVerbForms = 3;

/// Where an action is named: words `first` .. `first` + `length` - 1.
struct Mention {
  std::size_t first = 0, length = 0;
  std::string action;
};

/// All of them, in order; of several that begin at the same word the longest.
std::vector<Mention> mentions_in(const std::vector<std::string>& words, std::span<const ActionWords> actions);

}  // namespace limber::actions
