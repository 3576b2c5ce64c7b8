// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/index.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "limber/base/files.h"
#include "limber/batch/item_json.h"
#include "limber/batch/item_lock.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;

constexpr int kLogLines = 12;  // of the end of a log in the list of failures

Json row_to_json(const Row& row) {
  const Item& item = row.item;
  Json json{{"id", item.id}, {"line", item.line}, {"do", item.verb}, {"input", item.input}, {"state", name(row.state)}};
  if (!item.prompt.empty()) json["prompt"] = item.prompt;
  if (row.state == State::kDone) json["result"] = item.id + "/" + item.result;
  if (row.state == State::kDone && !item.output.empty()) json["output"] = item.output;
  if (row.status) {
    if (!row.status->done) json["reason"] = row.status->reason;
    json["attempts"] = row.status->attempts;
    json["seconds"] = row.status->seconds;
    json["cpu_seconds"] = row.status->cpu_seconds;
    json["most_bytes"] = row.status->most_bytes;
  }
  if (!row.asked) json["asked"] = false;
  return json;
}

/// The last lines of a text file, indented as Markdown wants code; what is not for terminals is left out.
std::string end_of_log(const fs::path& file) {
  const Result<Bytes> bytes = read_file(file, 8 << 20);
  if (!bytes.ok()) return "";
  std::string_view text = as_text(*bytes);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t start = text.size();
  for (int line = 0; line < kLogLines && start != std::string_view::npos && start > 0; ++line) {
    start = text.rfind('\n', start - 1);
  }
  text.remove_prefix(start == std::string_view::npos || start == 0 ? 0 : start + 1);
  std::string lines = "    ";
  for (const char c : text.substr(0, 4000)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    lines += c == '\n' ? std::string("\n    ") : std::string(1, plain ? c : '?');
  }
  return lines + "\n";
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

}  // namespace

std::string_view name(State state) {
  constexpr std::string_view kNames[] = {"pending", "running", "done", "failed"};
  return kNames[static_cast<int>(state)];
}

Result<std::vector<Row>> survey(const Results& results) {
  LIMBER_TRY(std::vector<Item> items, results.kept_items());
  const LockViewer locks(results.lock_file());
  std::vector<Row> rows;
  std::set<std::string> asked;
  for (Item& item : items) {
    Row row;
    LIMBER_TRY(row.status, results.told_status(item.id));
    if (row.status) {
      row.state = row.status->done ? State::kDone : State::kFailed;
    } else {
      row.state = locks.is_held(item.id) ? State::kRunning : State::kPending;
    }
    asked.insert(item.id);
    row.item = std::move(item);
    rows.push_back(std::move(row));
  }
  for (const std::string& id : results.ids()) {
    if (asked.count(id) > 0) continue;
    Result<std::pair<Item, ItemStatus>> finished = results.finished_item(id);
    if (!finished.ok()) continue;
    const State state = finished->second.done ? State::kDone : State::kFailed;
    rows.push_back({std::move(finished->first), state, std::move(finished->second), false});
  }
  return rows;
}

Counts count(const std::vector<Row>& rows) {
  Counts counts;
  for (const Row& row : rows) {
    if (!row.asked) continue;
    int* const places[] = {&counts.pending, &counts.running, &counts.done, &counts.failed};
    ++*places[static_cast<int>(row.state)];
    counts.cpu_seconds += row.status ? row.status->cpu_seconds : 0;
  }
  return counts;
}

std::string index_text(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) text += json_line(row_to_json(row)) + "\n";
  return text;
}

std::string failures_text(const Results& results, const std::vector<Row>& rows) {
  std::map<std::string, int> reasons;
  std::string sections;
  for (const Row& row : rows) {
    if (row.state != State::kFailed || !row.asked) continue;
    const Item& item = row.item;
    ++reasons[row.status->reason];
    sections += fmt::format("\n## line {}: {} {}\n{} ({} attempt{}, {:.1f} s, {:.0f} MB)\n\n{}\n    {}\n", item.line,
                            item.verb, file_name(item.input), row.status->reason, row.status->attempts,
                            row.status->attempts == 1 ? "" : "s", row.status->seconds,
                            static_cast<double>(row.status->most_bytes) / 1e6,
                            end_of_log(results.of(item.id) / "log.txt"), command_line("limber", item));
  }
  if (reasons.empty()) return "# Nothing failed\n";
  std::string text =
      "# What failed\n`limber batch` with `retry_failed` tries it again.\n\n| items | reason |\n|---|---|\n";
  for (const auto& [reason, items] : reasons) text += fmt::format("| {} | {} |\n", items, reason);
  return text + sections;
}

Status write_index(const Results& results, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.state == State::kDone && row.asked) LIMBER_CHECK_OK(results.name_output(row.item));
  }
  LIMBER_CHECK_OK(write_file(results.folder() / "index.jsonl", index_text(rows)));
  LIMBER_CHECK_OK(write_file(results.folder() / "failures.md", failures_text(results, rows)));
  const std::vector<std::string> pages = index_pages(results, rows);
  for (std::size_t k = 0; k < pages.size(); ++k) {
    LIMBER_CHECK_OK(write_file(results.folder() / page_name(k), pages[k]));
  }
  // Of a longer index before.
  std::error_code failed;
  for (std::size_t k = pages.size(); fs::remove(results.folder() / page_name(k), failed); ++k) {
  }
  return Done{};
}

}  // namespace limber::batch
