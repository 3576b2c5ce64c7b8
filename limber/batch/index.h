// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/batch/results.h"

/// What a person looks at, made anew from the files each time: nothing here is remembered.
namespace limber::batch {

enum class State { kPending, kRunning, kDone, kFailed };
std::string_view name(State state);  ///< "pending"

struct Row {
  Item item;
  State state = State::kPending;
  std::optional<ItemStatus> status;  ///< of those that are finished
  bool asked = true;                 ///< false: no line of the last manifest asks for it any more
};

/// The items of the last manifest in its order, then what else has been finished in this folder.
Result<std::vector<Row>> survey(const Results& results);

struct Counts {
  int pending = 0, running = 0, done = 0, failed = 0;
  double cpu_seconds = 0;  ///< of all that are finished, their last attempts
  int all() const { return pending + running + done + failed; }
};
/// Of those that the last manifest asks for.
Counts count(const std::vector<Row>& rows);

/// One line of JSON each.
std::string index_text(const std::vector<Row>& rows);
/// Reasons, ends of logs, and commands to repeat what failed.
std::string failures_text(const Results& results, const std::vector<Row>& rows);
/// Pages with thumbnails, `index.html` first, so many rows on each.
inline constexpr int kRowsOfPage = 500;
std::vector<std::string> index_pages(const Results& results, const std::vector<Row>& rows);
std::string page_name(std::size_t page);  ///< "index.html", "index-2.html"

/// Writes index.jsonl, failures.md and the pages, and names outputs that have no name yet.
Status write_index(const Results& results, const std::vector<Row>& rows);

}  // namespace limber::batch
