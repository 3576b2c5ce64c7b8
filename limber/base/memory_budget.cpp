// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/memory_budget.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <system_error>
#include <utility>

namespace limber {
namespace {

std::atomic<std::uint64_t> g_budget{kDefaultMemoryBudget}, g_taken{0};
std::atomic<bool> g_exceeded{false};

/// "1.5 GB", "300 MB"
std::string in_words(std::uint64_t bytes) {
  std::array<char, 32> text{};
  const double megabytes = static_cast<double>(bytes) / (1 << 20);
  if (megabytes >= 1000) {
    std::snprintf(text.data(), text.size(), "%.3g GB", megabytes / 1024);
  } else {
    std::snprintf(text.data(), text.size(), "%.3g MB", megabytes);
  }
  return text.data();
}

}  // namespace

void set_memory_budget(std::uint64_t bytes) { g_budget = bytes; }
std::uint64_t memory_budget() { return g_budget; }
double memory_budget_option() {
  constexpr double kLeast = 0.001;  // as cli/program.cpp has it
  return std::max(static_cast<double>(memory_budget()) / (1 << 30), kLeast);
}
bool memory_budget_exceeded() { return g_exceeded; }

std::uint64_t memory_budget_left() {
  const std::uint64_t budget = g_budget, taken = g_taken;
  return budget > taken ? budget - taken : 0;
}

MemoryShare::MemoryShare(MemoryShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}

MemoryShare& MemoryShare::operator=(MemoryShare&& other) noexcept {
  if (this != &other) {
    give_back();
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Status MemoryShare::take(std::uint64_t bytes, const std::string& where) {
  const std::uint64_t budget = g_budget;
  std::uint64_t taken = g_taken;
  do {
    if (taken > budget || bytes > budget - taken) {
      g_exceeded = true;
      return Error{"needs " + in_words(bytes) + " of memory, where " + in_words(taken) + " of the " + in_words(budget) +
                       " that are allowed for reading files are taken",
                   where, ErrorKind::kOutOfMemory};
    }
  } while (!g_taken.compare_exchange_weak(taken, taken + bytes));
  bytes_ += bytes;
  return Done{};
}

void MemoryShare::add(MemoryShare&& other) { bytes_ += std::exchange(other.bytes_, 0); }

void MemoryShare::give_back() { g_taken -= std::exchange(bytes_, 0); }

Error beyond_memory_budget(std::uint64_t allowed, const std::string& where) {
  g_exceeded = true;
  return {"needs more than " + in_words(allowed) + " of memory, which is what it may have of the " +
              in_words(g_budget) + " that are allowed for reading files",
          where, ErrorKind::kOutOfMemory};
}

Result<Bytes> read_file(const std::filesystem::path& path, std::uint64_t max_bytes, MemoryShare& share) {
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  // What has no size, or too large a one, is refused by the other in its own words.
  if (failed || size > max_bytes) return read_file(path, max_bytes);
  LIMBER_CHECK_OK(share.take(size, path.string()));
  return read_file(path, size);
}

}  // namespace limber
