// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>

#include "limber/base/process.h"
#include "limber/batch/results.h"

namespace limber::batch {

struct RunSettings {
  std::string program;   ///< an absolute path
  int jobs = 1;          ///< items at once
  int threads = 1;       ///< of each
  ProcessLimits limits;  ///< of each attempt
  int retries = 0;       ///< further attempts after one that failed
  bool thumbnails = true;
};

struct RunReport {
  int done = 0, failed = 0;
  int found = 0;  ///< finished by somebody else meanwhile
};

/// Called by any worker, one at a time, when an item is finished.
using OnFinished = std::function<void(const Item& item, const ItemStatus& status)>;

/// Does the items that are not finished, each under its lock; those that another run holds are waited for. `stop`
/// other than 0: kills what runs, leaves what is finished, answers `kCancelled`. An item that fails is no error; not to
/// be able to write is.
Result<RunReport> run_items(const Results& results, std::span<const Item> items, const RunSettings& settings,
                            const std::atomic<int>& stop, const OnFinished& on_finished = {});

}  // namespace limber::batch
