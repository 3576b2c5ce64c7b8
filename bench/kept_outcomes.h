// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/creature_trial.h"

namespace limber::bench {

/// Outcomes of runs that take long, in a file: a line of JSON each, written as soon as it is there, so that a bench
/// that was stopped goes on where it was. What does not look like one, such as a last line that was cut off, is left
/// out.
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
  std::filesystem::path file_;
  std::map<std::string, Outcome> outcomes_;
};

}  // namespace limber::bench
