// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

// Where the linker put the counters of edges that libFuzzer looks at.
extern "C" __attribute__((visibility("hidden"))) char __start___sancov_cntrs[], __stop___sancov_cntrs[];

namespace limber {

/// From now on what child processes reach counts, too: their memory is a copy, but for the counters, which are shared.
/// Without this whatever is decoded in a child is fuzzed blindly. Those that share a page with other data are left out.
inline void share_coverage_with_children() {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(__start___sancov_cntrs) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(__stop___sancov_cntrs) / page * page;
  if (begin >= end) return;
  void* const counters = reinterpret_cast<void*>(begin);
  const std::vector<char> before(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end));
  if (::mmap(counters, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
      counters) {
    std::abort();
  }
  std::memcpy(counters, before.data(), before.size());
}

}  // namespace limber
