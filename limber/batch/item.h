// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"

/// Thousands of models at once: a manifest becomes items, each of which is one run of the program in a folder of its
/// own. Whether an item is finished is told by its folder alone, so that any run can be stopped and started again.
namespace limber::batch {

/// One thing to do: a line of the manifest, with all that it depends on looked up.
struct Item {
  std::string id;      ///< 16 hexadecimal digits: what it is made from, how, and by which version and weights
  int line = 0;        ///< of the manifest, from 1
  std::string verb;    ///< "animate"
  std::string input;   ///< absolute path
  std::string prompt;  ///< for pages and reports; empty for none
  std::vector<std::string> arguments;  ///< of the program, which runs in the item's folder
  std::string result;                  ///< the file that it must write there: "result.glb"
  std::string output;                  ///< a second name for the result, below the folder of results; empty for none
  int tried = 0;                       ///< attempts that failed before this run and do not count as finished
};

/// Whether the result is a model that can be drawn.
bool is_drawable(const Item& item);

/// `limber animate /models/fox.glb '--prompt=a fox trots' ...`, for a shell in the item's folder.
std::string command_line(const std::string& program, const Item& item);

/// A word as a shell takes it literally.
std::string shell_quoted(std::string_view word);

/// Items as lines of JSON and back.
std::string items_to_text(const std::vector<Item>& items);
Result<std::vector<Item>> items_from_text(std::string_view text, const std::string& where);

/// Whether a text is an item's id: it becomes part of paths.
bool is_id(std::string_view text);
std::string make_id(std::uint64_t checksum);
std::uint64_t id_number(std::string_view id);  ///< what `make_id` was given

}  // namespace limber::batch
