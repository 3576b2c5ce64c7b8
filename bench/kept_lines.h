// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "limber/base/result.h"

namespace limber::bench {

/// A file of runs that take long: a line of JSON each, written as soon as it is there, so that a bench that was stopped
/// goes on where it was.
class KeptLines {
 public:
  /// An empty path: nothing is kept.
  explicit KeptLines(std::filesystem::path file) : file_(std::move(file)) {}

  /// Shows all that is kept. What is no line, such as a last one that was cut off, or one that `visit` finds lacking by
  /// an exception of `nlohmann::json`, is left out; after a last one that was cut off a new line is begun.
  void visit(const std::function<void(const std::string& run, const nlohmann::json& line)>& visit) const;

  /// `run`: whatever tells one run from another.
  Status append(const std::string& run, nlohmann::json line) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

/// JSON has no NaN: it is written as null. Throws an exception of `nlohmann::json` where there is no number.
double kept_number(const nlohmann::json& line, const char* name);

}  // namespace limber::bench
