// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/result.h"

namespace limber {

struct IsolationLimits {
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< beyond what the process has now (not under sanitizers)
  std::uint64_t result_bytes = std::uint64_t{2} << 30;
  double seconds = 120;                         ///< of wall clock
  std::vector<std::filesystem::path> readable;  ///< files, and folders with what is below; no others are
};

/// Runs `work` in a child process and returns what it returned. For third-party code that hostile files can crash or
/// make allocate without bound: then the child dies, and the answer is an Error. The child has a copy of this process's
/// memory and one thread; what it changes is lost, what it prints is dropped, and what else it had open is closed. It
/// is kept in a sandbox (sandbox.h) where the kernel has one.
Result<Bytes> run_isolated(const std::function<Result<Bytes>()>& work, const IsolationLimits& limits = {});

}  // namespace limber
