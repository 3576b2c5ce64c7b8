// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/creature_trial.h"
#include "bench/kept_lines.h"

namespace limber::bench {

/// Outcomes of runs that take long, in a file.
class KeptOutcomes {
 public:
  /// An empty path: nothing is kept.
  explicit KeptOutcomes(std::filesystem::path file);

  /// Null where there is none. `run`: whatever tells one run from another.
  const Outcome* find(const std::string& run) const;
  Status keep(const std::string& run, const Outcome& outcome);

  /// Where a run that is not done may keep what it has so far; empty where nothing is kept.
  std::filesystem::path checkpoint(const std::string& run) const;

 private:
  KeptLines lines_;
  std::map<std::string, Outcome> outcomes_;
};

}  // namespace limber::bench
