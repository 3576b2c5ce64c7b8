// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/actions/words.h"

/// Prompts for the built-in prior: a bag of words, each a bag of its letter groups (as fastText has it), so that case,
/// punctuation, word order and endings matter little, and a word never seen still resembles those it shares letters
/// with.
namespace limber::prior {

using actions::words_of;

/// How many are looked at; the rest of a longer prompt is ignored, later letter groups of a longer word as well.
inline constexpr int kPromptWords = 16, kWordGroups = 24;

/// Numbers 1 .. buckets-1 of the letter groups of a prompt's words: the word itself, and its runs of three to five
/// letters with the ends marked; 0 where there is none. kPromptWords x kWordGroups.
std::vector<std::int32_t> prompt_groups(std::string_view text, int buckets);

}  // namespace limber::prior
