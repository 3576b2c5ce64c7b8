// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/part_agreement.h"

#include <gtest/gtest.h>

#include <vector>

#include "limber/base/expect.h"
#include "limber/base/rng.h"

namespace limber::metrics {
namespace {

using Labels = std::vector<int>;

TEST(PartAgreement, IsFullWhateverPartsAreCalled) {
  const PartAgreement a = part_agreement(Labels{7, 7, 3, 3, 9}, Labels{0, 0, 1, 1, 2});
  EXPECT_DOUBLE_EQ(a.miou, 1);
  EXPECT_DOUBLE_EQ(a.ari, 1);
  EXPECT_DOUBLE_EQ(a.f1, 1);
  EXPECT_DOUBLE_EQ(a.accuracy, 1);
  EXPECT_EQ(a.true_parts, 3);
}

TEST(PartAgreement, CountsWhatOneWouldByHand) {
  // Two true parts of four; one found part takes a quarter of the other.
  const PartAgreement a = part_agreement(Labels{0, 0, 0, 0, 0, 1, 1, 1}, Labels{0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_NEAR(a.miou, (4.0 / 5 + 3.0 / 4) / 2, 1e-12);
  EXPECT_NEAR(a.f1, (8.0 / 9 + 6.0 / 7) / 2, 1e-12);
  EXPECT_NEAR(a.accuracy, (1 + 0.75) / 2, 1e-12);
  // One found part for all: the best match of both, the own of one.
  const PartAgreement one = part_agreement(Labels{5, 5, 5, 5}, Labels{0, 0, 1, 1});
  EXPECT_NEAR(one.miou, 0.5, 1e-12);
  EXPECT_NEAR(one.ari, 0, 1e-12);
  EXPECT_NEAR(one.accuracy, 0.5, 1e-12);
}

TEST(PartAgreement, IsNothingByChance) {
  Rng rng(1);
  Labels found, truth;
  for (int i = 0; i < 20000; ++i)
    found.push_back(static_cast<int>(rng.below(5))), truth.push_back(static_cast<int>(rng.below(7)));
  EXPECT_NEAR(part_agreement(found, truth).ari, 0, 0.01);
}

TEST(PartAgreement, CountsByWeightAndLeavesOutWhatIsNoBody) {
  const Labels found{0, 0, 1, 1}, truth{0, 1, 1, -1};
  EXPECT_NEAR(part_agreement(found, truth, std::vector<double>{1, 0, 1, 5}).miou, 1, 1e-12);
  EXPECT_LT(part_agreement(found, truth, std::vector<double>{1, 1, 1, 5}).miou, 1);
  // A true part too small to count.
  EXPECT_EQ(part_agreement(found, truth, std::vector<double>{1, 1, 1000, 0}).true_parts, 1);
  // What is not found at all is a part of its own.
  EXPECT_EQ(part_agreement(Labels{-1, -5, 2}, Labels{0, 0, 1}).found_parts, 2);
  EXPECT_EQ(part_agreement({}, {}).true_parts, 0);
  EXPECT_THROW(part_agreement(Labels{1}, Labels{1, 2}), ContractError);
}

}  // namespace
}  // namespace limber::metrics
