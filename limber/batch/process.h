// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "limber/base/result.h"

namespace limber::batch {

struct ProcessLimits {
  double seconds = 0;              ///< of wall clock; 0: any
  std::uint64_t memory_bytes = 0;  ///< of address space; 0: any
};

struct ProcessRequest {
  std::string program;                 ///< a path, or a name to look for in PATH
  std::vector<std::string> arguments;  ///< without the program's name
  std::filesystem::path folder;        ///< where it runs; empty: here
  std::filesystem::path printed;       ///< a file for its standard output; empty: with its messages
  std::filesystem::path messages;      ///< a file for its standard error, of a few MiB at most; empty: none
  ProcessLimits limits;
};

struct ProcessOutcome {
  enum class End { kExited, kSignalled, kTimedOut, kStopped };
  End end = End::kExited;
  int code = 0;                  ///< exit code, or number of the signal
  double seconds = 0;            ///< of wall clock
  double cpu_seconds = 0;        ///< of it and of all that it waited for
  std::uint64_t most_bytes = 0;  ///< of memory in use at once, by the largest process
  std::string tail;              ///< the end of its messages, 64 KiB at most

  bool good() const { return end == End::kExited && code == 0; }
};

/// Runs a program as a process group of its own and waits for it. The group is killed when the time is over, when
/// `stop` becomes other than 0, and when this process dies. An error only where the program could not be started.
Result<ProcessOutcome> run_process(const ProcessRequest& request, const std::atomic<int>& stop);

/// The same without anybody to stop it.
Result<ProcessOutcome> run_process(const ProcessRequest& request);

}  // namespace limber::batch
