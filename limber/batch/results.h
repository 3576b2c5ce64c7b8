// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limber/batch/item.h"

namespace limber::batch {

/// How an item ended. An item without one is not finished.
struct ItemStatus {
  bool done = false;   ///< false: it failed
  std::string reason;  ///< why, in one sentence
  int attempts = 0;    ///< in all runs
  double seconds = 0;  ///< of wall clock, the last attempt
  double cpu_seconds = 0;
  std::uint64_t most_bytes = 0;  ///< of memory
};

/// The folder that a batch writes to.
///
///     ID/status.json     how it ended, written last; with result.glb, report.json, log.txt, thumbnail.png
///     NAME               results that the manifest names: the same files
///     index.jsonl, failures.md, index.html    what a person looks at, made from the above (index.h)
///     .batch/lock        item_lock.h
///     .batch/work/ID/    an item that is being done; renamed to ID when it is whole
///     .batch/plans/      lists of items that were given to Slurm, and scripts
class Results {
 public:
  /// Makes what is missing of it.
  static Result<Results> open(const std::filesystem::path& folder);
  /// The same without looking whether it is there.
  static Results at(const std::filesystem::path& folder);
  /// One that is there.
  static Result<Results> find(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path of(const std::string& id) const { return folder_ / id; }
  std::filesystem::path work(const std::string& id) const { return own() / "work" / id; }
  std::filesystem::path lock_file() const { return own() / "lock"; }
  std::filesystem::path plans() const { return own() / "plans"; }
  std::filesystem::path logs() const { return own() / "logs"; }

  /// Nothing where the item is not finished.
  std::optional<ItemStatus> status(const std::string& id) const;
  /// The same for who counts: an error where the disk does not give what is there.
  Result<std::optional<ItemStatus>> told_status(const std::string& id) const;
  /// The same with the item that the status was written for.
  Result<std::pair<Item, ItemStatus>> finished_item(const std::string& id) const;
  /// Ids of all folders that look like an item's.
  std::vector<std::string> ids() const;

  /// Whether nothing is left to do for it: done, or failed more often than before.
  bool is_finished(const Item& item) const;

  /// An empty folder to work in, but for what a run that was stopped can resume from. Only with the item's lock.
  Result<std::filesystem::path> start_work(const std::string& id) const;
  /// Writes the status and renames the folder of work to the item's own. Only with the item's lock.
  Status finish(const Item& item, const ItemStatus& status) const;
  /// Gives the result of a finished item the name that the manifest asks for.
  Status name_output(const Item& item) const;

  /// All items of the manifest that was started last.
  Status keep_items(const std::vector<Item>& items) const;
  Result<std::vector<Item>> kept_items() const;

 private:
  explicit Results(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path own() const { return folder_ / ".batch"; }

  std::filesystem::path folder_;  // absolute
};

/// Those that are not finished; with `retry_failed` those that failed, too.
std::vector<Item> unfinished_items(const Results& results, const std::vector<Item>& items, bool retry_failed);

}  // namespace limber::batch
