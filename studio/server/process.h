// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"

/// A job's process: started without a shell, in a group of its own, with a limit on its memory. It dies with whoever
/// started it, and what it started dies with it.
namespace limber::studio {

struct ProcessOrder {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path folder;    ///< where it works
  std::uint64_t memory_bytes = 0;  ///< of address space; 0: no limit
};

struct ProcessEnd {
  int code = 0;        ///< what it exited with
  int signal = 0;      ///< by which it was killed, 0 where it was not
  std::string output;  ///< the first 64 MiB that it printed
};

/// Starts it and waits for its end; `on_line` gets every line that it says on stderr. When `stop` becomes true, the
/// group is asked to end and killed two seconds later. Call it from a thread that lives longer than the process.
Result<ProcessEnd> run_process(const ProcessOrder& order, const std::atomic<bool>& stop,
                               const std::function<void(std::string_view line)>& on_line);

}  // namespace limber::studio
