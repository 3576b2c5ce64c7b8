// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "limber/base/files.h"
#include "limber/base/result.h"

/// Memory for what files say. A small file can claim much: elements that are zeros, what is compressed, one buffer
/// under many names. Readers of models, motions, splats, pictures, whole videos, part labels and cameras therefore ask
/// here before they allocate, and share one sum: what they have in hand at a time, in the whole process. Others have
/// limits of their own (SECURITY.md lists them): children while they decode, templates, manifests, checkpoints,
/// requests of the studio. Models that ship, and what is computed from files, do not count.
namespace limber {

/// Unless somebody says otherwise.
inline constexpr std::uint64_t kDefaultMemoryBudget = std::uint64_t{4} << 30;

/// From now on; what was granted already stays. From any thread.
void set_memory_budget(std::uint64_t bytes);
std::uint64_t memory_budget();
/// The same in GB for `--max-memory` of another process: not below its least value, although bytes were rounded down.
double memory_budget_option();
/// What is still to be had of it.
std::uint64_t memory_budget_left();
/// Whether a request was ever refused: then more may be asked of whoever sets the budget.
bool memory_budget_exceeded();

/// Bytes that were granted; given back on destruction.
class MemoryShare {
 public:
  MemoryShare() = default;
  ~MemoryShare() { give_back(); }
  MemoryShare(MemoryShare&& other) noexcept;
  MemoryShare& operator=(MemoryShare&& other) noexcept;

  /// Asks for so many more. Refused (kOutOfMemory) in words that say how much was asked for and what is allowed.
  Status take(std::uint64_t bytes, const std::string& where);
  /// Takes over what another was granted.
  void add(MemoryShare&& other);
  void give_back();
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

/// What to answer where a child process was given `allowed` bytes of the budget, and needed more.
Error beyond_memory_budget(std::uint64_t allowed, const std::string& where);

/// read_file, once `share` was granted the file's size.
Result<Bytes> read_file(const std::filesystem::path& path, std::uint64_t max_bytes, MemoryShare& share);

}  // namespace limber
