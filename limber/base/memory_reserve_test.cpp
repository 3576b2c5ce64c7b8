// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/memory_reserve.h"

#include <gtest/gtest.h>

#include <new>

namespace limber {
namespace {

/// As `operator new` does it where there is nothing: whether it would try again.
bool tries_again() {
  try {
    std::get_new_handler()();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

TEST(MemoryReserve, IsSpentOnceAndThenPutAsideAnew) {
  const std::new_handler before = std::get_new_handler();
  keep_memory_reserve(1 << 16);
  EXPECT_TRUE(tries_again());
  EXPECT_FALSE(tries_again());
  keep_memory_reserve(1 << 16);
  keep_memory_reserve(1 << 16);  // of two only one is kept
  EXPECT_TRUE(tries_again());
  EXPECT_FALSE(tries_again());
  std::set_new_handler(before);
}

TEST(MemoryReserve, IsSpentBeforeTheProgramsOwnHandlerIsAsked) {
  static int asked = 0;
  const std::new_handler before = std::set_new_handler([] {
    ++asked;
    throw std::bad_alloc();
  });
  keep_memory_reserve(1 << 16);
  keep_memory_reserve(1 << 16);  // does not take its own handler for the program's
  EXPECT_TRUE(tries_again());
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(tries_again());
  EXPECT_EQ(asked, 1);
  std::set_new_handler(before);
}

}  // namespace
}  // namespace limber
