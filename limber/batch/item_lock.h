// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "limber/base/result.h"

namespace limber::batch {

/// Who holds it may do the item: a lock on one byte of a file that all runs share, far behind its end, at a place that
/// the id says. The system gives it back when the holder dies, however it dies; it holds across the machines of a
/// network file system that knows POSIX locks (NFS; Lustre mounted with `flock`), and leaves nothing behind.
class ItemLock {
 public:
  /// None where somebody else holds it, in this process or another.
  static Result<std::optional<ItemLock>> take(const std::filesystem::path& file, std::string_view id);
  ~ItemLock();
  ItemLock(ItemLock&& other) noexcept;
  ItemLock& operator=(ItemLock&&) = delete;

 private:
  explicit ItemLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Asks for many items who holds their locks, without taking any.
class LockViewer {
 public:
  explicit LockViewer(const std::filesystem::path& file);
  ~LockViewer();
  LockViewer(const LockViewer&) = delete;
  LockViewer& operator=(const LockViewer&) = delete;

  bool is_held(std::string_view id) const;

 private:
  int descriptor_;
};

}  // namespace limber::batch
