// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace limber {
namespace {

TEST(Checksum, IsFnv1a) {
  // From the authors' test vectors.
  EXPECT_EQ(Checksum().value(), 0xcbf29ce484222325ull);
  EXPECT_EQ(Checksum().add(std::string("a")).value(), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(Checksum().add(std::string("foobar")).value(), 0x85944171f73967e8ull);
}

TEST(Checksum, TakesWholeArraysInOrder) {
  const std::vector<float> first{1, 2}, second{3}, both{1, 2, 3};
  EXPECT_EQ(Checksum().add(first).add(second).value(), Checksum().add(both).value());
  EXPECT_NE(Checksum().add(second).add(first).value(), Checksum().add(both).value());
  EXPECT_NE(Checksum(1).add(both).value(), Checksum().add(both).value());
}

}  // namespace
}  // namespace limber
