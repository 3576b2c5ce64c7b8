// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "shared_coverage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

// Where the linker put the counters, and the table of edges that follows them. What names these must not have counters
// of its own: there the compiler's names for the same would become others, which nobody defines, and libFuzzer would be
// told of no counters at all.
extern "C" __attribute__((visibility("hidden"))) char __start___sancov_cntrs[], __stop___sancov_cntrs[];
extern "C" __attribute__((visibility("hidden"))) char __start___sancov_pcs[], __stop___sancov_pcs[];

// Memory is shared by pages, so the counters begin with one: nothing, but aligned, before those of all other files.
asm(".pushsection __sancov_cntrs, \"aw\", @progbits\n.p2align 12\n.popsection");

namespace limber {
namespace {

std::uintptr_t address(const char* place) { return reinterpret_cast<std::uintptr_t>(place); }

}  // namespace

void share_coverage_with_children() {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = address(__start___sancov_cntrs), stop = address(__stop___sancov_cntrs);
  const std::uintptr_t end = (stop + page - 1) / page * page;
  // What is left of the last page belongs to the table, which nobody changes.
  const bool apart = begin % page == 0 && address(__start___sancov_pcs) >= stop && address(__stop___sancov_pcs) >= end;
  if (!apart || begin == stop) std::abort();
  const std::vector<char> before(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end));
  void* const counters = reinterpret_cast<void*>(begin);
  if (::mmap(counters, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
      counters) {
    std::abort();
  }
  std::memcpy(counters, before.data(), before.size());
}

}  // namespace limber
