// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/skin_metrics.h"

#include <gtest/gtest.h>

#include "limber/testing/toy_assets.h"

namespace limber::metrics {
namespace {

TEST(SkinMetrics, FiltersAndRescalesRows) {
  const SkinRow row = filtered({{0, 0.8f}, {1, 0.1f}, {2, 0.2f}, {3, 0.0005f}});
  ASSERT_EQ(row.size(), 2u);  // 0.1 is below 0.15 x 0.8
  EXPECT_FLOAT_EQ(row[0].weight, 0.8f);
  EXPECT_EQ(row[1].bone, 2);
  EXPECT_FLOAT_EQ(row[1].weight, 0.2f);
  EXPECT_TRUE(filtered({}).empty());
}

TEST(SkinMetrics, MatchesHandComputedScores) {
  const std::vector<SkinRow> truth{{{0, 1.0f}}, {{0, 0.5f}, {1, 0.5f}}, {{0, 0.9f}, {1, 0.1f}}, {{0, 0.5f}}};
  const std::vector<SkinRow> predicted{{{0, 0.75f}, {1, 0.25f}}, {{1, 1.0f}}, {{0, 0.9f}, {1, 0.1f}}, {{1, 1.0f}}};
  // The last vertex is left out: its reference sums to 0.5. The third loses its small weight to the filter.
  const SkinScores scores = skin_scores(predicted, truth);
  EXPECT_EQ(scores.vertices, 3u);
  EXPECT_NEAR(scores.precision, 3.0 / 4, 1e-9);  // (0,0) (0,1) (1,1) (2,0) of which (0,1) is wrong
  EXPECT_NEAR(scores.recall, 3.0 / 5, 1e-9);
  EXPECT_NEAR(scores.l1, (0.5 + 1.0 + 0.2) / 3, 1e-6);

  SkinScoreSettings alike;
  alike.filter_truth = true;
  const SkinScores both = skin_scores(predicted, truth, alike);
  EXPECT_NEAR(both.recall, 3.0 / 4, 1e-9);
  EXPECT_NEAR(both.l1, (0.5 + 1.0) / 3, 1e-6);
}

TEST(SkinMetrics, APerfectCopyLosesRecallOnlyWhereTheTruthIsNotFiltered) {
  const std::vector<SkinRow> truth{{{0, 0.95f}, {1, 0.05f}}, {{0, 1.0f}}};
  SkinScoreSettings alike;
  alike.filter_truth = true;
  EXPECT_NEAR(skin_scores(truth, truth).recall, 2.0 / 3, 1e-9);
  EXPECT_EQ(skin_scores(truth, truth, alike).recall, 1);
  EXPECT_EQ(skin_scores(truth, truth, alike).l1, 0);
}

TEST(SkinMetrics, AMissingRowCountsInFull) {
  const SkinScores scores = skin_scores(std::vector<SkinRow>{{}}, std::vector<SkinRow>{{{0, 1.0f}}});
  EXPECT_NEAR(scores.l1, 1, 1e-9);
  EXPECT_EQ(scores.recall, 0);
}

TEST(SkinMetrics, DeformationIsZeroForTheSameWeights) {
  const rig::Subject subject = rig::subject_from_asset(testing::tube_asset(3)).value();
  EXPECT_EQ(deformation_error(subject, subject.weights).max, 0);
  rig::SkinWeights stiff = subject.weights;
  std::fill(stiff.bones.begin(), stiff.bones.end(), std::uint16_t{0});
  const DeformationError error = deformation_error(subject, stiff);
  EXPECT_GT(error.mean, 0.01);
  EXPECT_GT(error.max, error.mean);
  EXPECT_LT(error.max, 1);
}

}  // namespace
}  // namespace limber::metrics
