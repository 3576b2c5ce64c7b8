// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/extras.h"

#include <gtest/gtest.h>

namespace limber::asset {
namespace {

TEST(ExtrasNumbers, ReadArraysRowByRow) {
  const std::string extras = R"({"a": {"b": [[1, 2.5], [-3e2]], "c": [4]}, "d": "x"})";
  EXPECT_EQ(extras_numbers(extras, "/a/b"), (std::vector<double>{1, 2.5, -300}));
  EXPECT_EQ(extras_numbers(extras, "/a/c"), (std::vector<double>{4}));
}

TEST(ExtrasNumbers, AreNoneWhereThereAreNone) {
  EXPECT_FALSE(extras_numbers("", "/a"));
  EXPECT_FALSE(extras_numbers("{\"a\": ", "/a"));
  EXPECT_FALSE(extras_numbers("3", "/a"));
  EXPECT_FALSE(extras_numbers(R"({"a": 3})", "/a"));
  EXPECT_FALSE(extras_numbers(R"({"a": [1, "2"]})", "/a"));
  EXPECT_FALSE(extras_numbers(R"({"a": [[1, [2]]]})", "/a"));
  EXPECT_FALSE(extras_numbers(R"({"a": [1]})", "/b"));
}

}  // namespace
}  // namespace limber::asset
