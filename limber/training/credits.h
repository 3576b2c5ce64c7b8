// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"

/// Whom models owe their data to.
namespace limber::training {

/// A line that a collection wants in every card, and the file that it is owed for.
struct Credit {
  std::string file;  ///< relative to the collection's folder; empty: owed for everything in it
  std::string line;
};

/// What a collection's page asks for: the items under a heading that begins with "Attribution", each a file, a colon
/// and whom to name; and what follows "Credit to copy into cards:" in quotation marks.
std::vector<Credit> read_credits(std::string_view page);

/// Lines owed for files below `root`: of the pages (*.md) in their folders and all above, up to `root`. Sorted, each
/// once.
Result<std::vector<std::string>> credits_for(const std::vector<std::filesystem::path>& files,
                                             const std::filesystem::path& root);

/// Both lists, each line once.
std::vector<std::string> joined_credits(std::vector<std::string> a, const std::vector<std::string>& b);

/// A model card with a section of credits at its end, instead of the one that it has.
std::string card_with_credits(std::string_view card, const std::vector<std::string>& credits);

}  // namespace limber::training
