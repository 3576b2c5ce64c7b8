// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/process_memory.h"

#include <sys/resource.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>

namespace limber {
namespace {

rlim_t g_before = RLIM_INFINITY;
bool g_capped = false;

}  // namespace

std::uint64_t process_memory_of(std::uint64_t budget) {
  constexpr std::uint64_t kTimes = 4, kBesides = std::uint64_t{1} << 30, kMost = ~std::uint64_t{0};
  return budget > (kMost - kBesides) / kTimes ? kMost : kTimes * budget + kBesides;
}

void cap_process_memory(std::uint64_t bytes) {
  uncap_process_memory();
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || bytes >= limit.rlim_cur) return;
  g_before = limit.rlim_cur;
  limit.rlim_cur = bytes;  // the soft limit alone, or it could not be had back
  g_capped = ::setrlimit(RLIMIT_DATA, &limit) == 0;
}

void uncap_process_memory() noexcept {
  if (!g_capped) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min(g_before, limit.rlim_max);
  g_capped = ::setrlimit(RLIMIT_DATA, &limit) != 0;
}

void give_memory_back() noexcept {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace limber
