// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace limber {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{"odd number", "input#/n"};
  return n / 2;
}

Result<int> quarter(int n) {
  LIMBER_TRY(const int first, half(n));
  LIMBER_TRY(const int second, half(first));
  return second;
}

Status check_even(int n) {
  LIMBER_CHECK_OK(half(n));
  return Done{};
}

TEST(Result, CarriesAValueOrAnErrorWithItsAddress) {
  EXPECT_EQ(half(4).value(), 2);
  ASSERT_FALSE(half(3).ok());
  EXPECT_EQ(half(3).error().message(), "input#/n: odd number");
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_FALSE(quarter(6).ok());
  EXPECT_TRUE(check_even(2).ok());
  EXPECT_FALSE(check_even(1).ok());
}

TEST(Result, AskingForTheWrongOneBreaksAContract) {
  EXPECT_THROW(half(3).value(), ContractError);
  EXPECT_THROW(half(4).error(), ContractError);
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Expect, TellsConditionAndValues) {
  try {
    const int joints = -1;
    LIMBER_EXPECT(joints > 0, "joints = " + std::to_string(joints));
    FAIL();
  } catch (const ContractError& error) {
    EXPECT_NE(std::string(error.what()).find("joints > 0: joints = -1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace limber
