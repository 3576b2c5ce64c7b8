// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_lesson.h"

#include <gtest/gtest.h>

#include "limber/parts/parts_testing.h"

namespace limber::parts {
namespace {

PartsExamples some_examples(std::int64_t count) {
  PartsExamples examples = PartsExamples::empty(small_model(), count);
  for (std::int64_t i = 0; i < count; ++i)
    EXPECT_TRUE(examples.put(i, cross_example(small_model(), static_cast<std::uint64_t>(i))).ok());
  return examples;
}

double most(const Tensor& tensor) { return tensor.abs().max().item<double>(); }

TEST(PartsLesson, TellsWhatAUseKnowsAndNoMore) {
  const PartsModel model = small_model();
  const PartsLesson lesson =
      make_parts_lesson(model, some_examples(kUseCount), at::arange(kUseCount, at::kLong), false);
  const auto known = [&](std::int64_t use, std::int64_t bit) {
    return lesson.known.bits[use].select(-1, bit).sum().item<int>();
  };
  EXPECT_EQ(known(kMesh, 0), 4);
  EXPECT_EQ(known(kMesh, 1), 4);
  EXPECT_NEAR(lesson.known.bits[kMesh][0][2].item<double>(), 2 * 0.25, 1e-6);
  EXPECT_EQ(known(kPlain, 0), 4);
  EXPECT_EQ(known(kVideo, 0), 2);
  EXPECT_EQ(known(kPicture, 0), 1);
  EXPECT_EQ(known(kNothing, 0), 0);
  for (const std::int64_t use : {kPlain, kVideo, kPicture, kNothing}) {
    EXPECT_EQ(known(use, 1), 0);
    EXPECT_EQ(known(use, 2), 0);
    EXPECT_EQ(most(lesson.known.places[use]) + most(lesson.known.normals[use]), 0);
  }
  EXPECT_EQ(most(lesson.known.colors[kNothing]), 0);
  EXPECT_EQ(most(lesson.known.colors[kPicture].narrow(0, 1, 3)), 0);
  EXPECT_EQ(most(lesson.known.colors[kVideo].narrow(0, 0, 2) - lesson.colors[kVideo].narrow(0, 0, 2)), 0);
}

TEST(PartsLesson, PutsBackgroundsBehindPicturesAndNeverIntoWhatIsToBeDrawn) {
  const PartsModel model = small_model();
  at::manual_seed(1);
  const PartsExamples examples = some_examples(16);
  const Tensor uses =
      at::cat({at::full({8}, std::int64_t{kPicture}, at::kLong), at::full({8}, std::int64_t{kMesh}, at::kLong)});
  const PartsLesson lesson = make_parts_lesson(model, examples, uses, true);
  const Tensor first = lesson.known.colors.select(1, 0), truth = lesson.colors.select(1, 0);
  const Tensor body = lesson.body.select(1, 0), apart = (first - truth).abs() > 1e-6;
  EXPECT_EQ(apart.logical_and(body).sum().item<int>(), 0);
  EXPECT_EQ(apart.narrow(0, 8, 8).sum().item<int>(), 0);
  const int behind = apart.narrow(0, 0, 8).flatten(1).any(1).sum().item<int>();
  EXPECT_GT(behind, 0);
  EXPECT_LT(behind, 8);
  // Those without a body: nothing is to be drawn there.
  const Tensor empty = lesson.body.flatten(1).any(1).logical_not();
  EXPECT_EQ(lesson.labels.flatten(1).any(1).logical_and(empty).sum().item<int>(), 0);
  EXPECT_EQ(lesson.parts.masked_select(lesson.body.logical_not()).max().item<double>(), -1);
  EXPECT_EQ(lesson.colors.masked_select(lesson.body.logical_not()).max().item<double>(), -1);
}

TEST(PartsLesson, DrawsUsesByTheirShares) {
  at::manual_seed(3);
  const Tensor still = at::zeros({4000}, at::kBool);
  const Tensor uses = draw_uses(still, PartsStage::kBoth);
  EXPECT_NEAR((uses == kPicture).to(at::kFloat).mean().item<double>(), 0.4, 0.05);
  EXPECT_NEAR((uses == kNothing).to(at::kFloat).mean().item<double>(), 0.08, 0.02);
  EXPECT_GE(draw_uses(still, PartsStage::kRgb).min().item<std::int64_t>(), kVideo);
  // Nobody but a mesh knows where cameras that orbit stand.
  EXPECT_EQ(draw_uses(at::ones({100}, at::kBool), PartsStage::kBoth).max().item<std::int64_t>(), kMesh);
}

TEST(PartsLesson, HidesAllColoursAndKeepsPlaces) {
  PartsLesson lesson = make_parts_lesson(small_model(), some_examples(2), at::zeros({2}, at::kLong), false);
  hide_colors(lesson);
  EXPECT_EQ(most(lesson.known.colors) + most(lesson.known.bits.select(-1, 0)), 0);
  EXPECT_EQ(lesson.given.sum().item<int>(), 0);
  EXPECT_GT(most(lesson.known.places), 0.5);
  EXPECT_EQ(lesson.known.bits.select(-1, 1).min().item<double>(), 1);
}

TEST(PartsLesson, CountsPixelsOfTheRightColour) {
  const PartsExamples examples = some_examples(3);
  const PartsLesson lesson = make_parts_lesson(small_model(), examples, at::zeros({3}, at::kLong), false);
  const PixelCounts all = count_right(examples, lesson.parts);
  EXPECT_TRUE(at::equal(all.body, all.right));
  EXPECT_GT(all.body.min().item<int>(), 10);
  const PixelCounts none = count_right(examples, at::full_like(lesson.parts, 0.9));
  EXPECT_LT(none.right.sum().item<double>(), none.body.sum().item<double>());
}

/// Features that say which part a patch shows are told apart; those that say the other part are not.
TEST(PartsContrast, IsSmallWherePartsHaveFeaturesOfTheirOwn) {
  const PartsModel model = small_model();
  const PartsExamples examples = some_examples(4);
  const std::int64_t side = model.side(), p = model.patch;
  const Tensor upright = (examples.labels == 1).to(at::kFloat).view({4, 4, side, p, side, p}).sum({3, 5});
  const Tensor level = (examples.labels == 2).to(at::kFloat).view({4, 4, side, p, side, p}).sum({3, 5});
  const auto features = [&](const Tensor& one, const Tensor& other) {
    Tensor all = at::zeros({4, model.tokens(), model.width});
    all.select(2, 0).copy_(one.flatten(1)), all.select(2, 1).copy_(other.flatten(1));
    return all;
  };
  const Tensor times = at::zeros({4});
  const Tensor good = features(upright, level);
  Tensor swapped = good.view({4, 4, -1, model.width}).clone();
  swapped.select(1, 1).copy_(features(level, upright).view({4, 4, -1, model.width}).select(1, 1));
  const double told = contrast_of(model, good, examples.labels, times, 0, 1).item<double>();
  const double mistaken = contrast_of(model, swapped.flatten(1, 2), examples.labels, times, 0, 1).item<double>();
  EXPECT_LT(told, 0.1);
  EXPECT_GT(mistaken, 1);
  EXPECT_EQ(contrast_of(model, good, examples.labels, at::ones({4}), 0, 1).item<double>(), 0);  // nothing but noise
  const double noisy =
      contrast_of(model, swapped.flatten(1, 2), examples.labels, at::full({4}, 0.75), 0, 1).item<double>();
  EXPECT_NEAR(noisy, 0.25 * mistaken, 1e-4);
}

}  // namespace
}  // namespace limber::parts
