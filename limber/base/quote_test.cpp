// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/quote.h"

#include <gtest/gtest.h>

namespace limber {
namespace {

TEST(Quote, LeavesShortTextAlone) {
  EXPECT_EQ(shortened(""), "");
  EXPECT_EQ(shortened("a fox", 5), "a fox");
}

TEST(Quote, EndsLongTextBetweenCharacters) {
  EXPECT_EQ(shortened("a fox", 4), "a fo...");
  EXPECT_EQ(shortened("aä", 2), "a...");
  EXPECT_EQ(shortened(std::string(1 << 20, 'x')).size(), kMostQuoted + 3);
  EXPECT_EQ(shortened(std::string(100, '\x80'), 50), "...");
}

}  // namespace
}  // namespace limber
