// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Prompts for the built-in prior: a bag of words, each a bag of its letter groups (as fastText has it), so that case,
/// punctuation, word order and endings matter little, and a word never seen still resembles those it shares letters
/// with.
namespace limber::prior {

/// Lower-case words of a text; whatever is not a letter, a digit or a character of another script separates, and so do
/// emoji. An apostrophe is dropped.
std::vector<std::string> words_of(std::string_view text);

/// How many are looked at; the rest of a longer prompt is ignored, later letter groups of a longer word as well.
inline constexpr int kPromptWords = 16, kWordGroups = 24;

/// Numbers 1 .. buckets-1 of the letter groups of a prompt's words: the word itself, and its runs of three to five
/// letters with the ends marked; 0 where there is none. kPromptWords x kWordGroups.
std::vector<std::int32_t> prompt_groups(std::string_view text, int buckets);

/// How unlike two words are: edits (insert, delete, replace, swap neighbours) over the longer one's length, 0 to 1.
double word_distance(std::string_view a, std::string_view b);

}  // namespace limber::prior
