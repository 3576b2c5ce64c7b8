// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/process_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <vector>

#include "limber/base/fork.h"

namespace limber {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

std::uint64_t allowed() {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  return limit.rlim_cur;
}

/// The exit code of work in a child, so that no limit stays here.
int exit_code_of(int (*work)()) {
  const pid_t child = fork_child(Fate::kDiesWithThread);
  if (child == 0) ::_exit(work());
  int state = 0;
  ::waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST(ProcessMemory, IsFourTimesTheBudgetAndMore) {
  EXPECT_EQ(process_memory_of(0), 1024 * kMegabyte);
  EXPECT_EQ(process_memory_of(1024 * kMegabyte), 5 * 1024 * kMegabyte);
  EXPECT_EQ(process_memory_of(~std::uint64_t{0}), ~std::uint64_t{0});
}

// Sanitizers do not throw where memory ends.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__has_feature)
TEST(ProcessMemory, EndsWhereItIsCapped) {
  const auto work = [] {
    cap_process_memory(512 * kMegabyte);
    try {
      const std::vector<char> much(1024 * kMegabyte);
      return much[0] == 0 ? 1 : 2;
    } catch (const std::bad_alloc&) {
      const std::vector<char> little(64 * kMegabyte);
      return static_cast<int>(little[0]);
    }
  };
  EXPECT_EQ(exit_code_of(work), 0);
}
#endif

TEST(ProcessMemory, IsGivenBackAndNeverRaised) {
  const auto work = [] {
    const std::uint64_t before = allowed();
    cap_process_memory(4096 * kMegabyte);
    if (allowed() != 4096 * kMegabyte) return 1;
    cap_process_memory(8192 * kMegabyte);  // another cap takes the place of the first
    if (allowed() != 8192 * kMegabyte) return 2;
    uncap_process_memory();
    if (allowed() != before) return 3;
    const rlimit less{2048 * kMegabyte, 2048 * kMegabyte};
    ::setrlimit(RLIMIT_DATA, &less);
    cap_process_memory(4096 * kMegabyte);
    return allowed() == 2048 * kMegabyte ? 0 : 4;
  };
  EXPECT_EQ(exit_code_of(work), 0);
}

}  // namespace
}  // namespace limber
