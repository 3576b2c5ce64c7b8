// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/nesting.h"

#include <gtest/gtest.h>

#include <string>

namespace limber {
namespace {

TEST(Nesting, CountsBracketsWithinBrackets) {
  EXPECT_FALSE(nested_deeper("[[1],[2],{\"a\":[3]}]", 3));
  EXPECT_TRUE(nested_deeper("[[1],[2],{\"a\":[3]}]", 2));
  EXPECT_TRUE(nested_deeper(std::string(100'000, '[')));
  std::string row;
  for (int i = 0; i < 1000; ++i) row += "[],";
  EXPECT_FALSE(nested_deeper("[" + row + "1]", 2));
}

TEST(Nesting, LeavesTextAlone) {
  EXPECT_FALSE(nested_deeper(R"(["[[[[ \" [[[[ \\"])", 1));
  EXPECT_TRUE(nested_deeper(R"(["\\", [1]])", 1));
}

}  // namespace
}  // namespace limber
