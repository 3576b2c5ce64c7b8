// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/training_loop.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/nn/blocks.h"
#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

constexpr int kInputs = 4;

/// Points of a plane: inputs, and the height that is to be learned.
Result<TensorRun> draw_plane(std::uint64_t first, std::int64_t count) {
  const Tensor inputs = at::empty({count, kInputs}), heights = at::empty({count, 1});
  for (std::int64_t i = 0; i < count; ++i) {
    Rng rng(first + static_cast<std::uint64_t>(i), 1);
    float height = 0.5f;
    for (int k = 0; k < kInputs; ++k) {
      const auto x = static_cast<float>(rng.normal());
      inputs.data_ptr<float>()[i * kInputs + k] = x;
      height += static_cast<float>(k) * x;
    }
    heights.data_ptr<float>()[i] = height;
  }
  return TensorRun{inputs, heights};
}

TrainingPlan small_plan() {
  TrainingPlan plan;
  plan.device = "cpu", plan.max_steps = 200, plan.batch = 16;
  plan.pool = plan.max_examples = plan.first_examples = 64;
  plan.learning_rate = 0.1, plan.warmup_steps = 5, plan.weight_decay = 0, plan.average_decay = 0.9;
  plan.report_steps = 20, plan.validation_steps = 100;
  return plan;
}

/// A training of one linear layer, and what the loop asked of it.
struct Plane {
  testing::TemporaryFolder folder;
  std::vector<TrainingStep> told;
  int validations = 0, saves = 0;
  TensorList saved;
  TensorPool::Draw draw = draw_plane;
  std::int64_t stop_at = 0;  ///< 0: never

  Result<TrainingReport> train(const TrainingPlan& plan) {
    const auto open = [&] { return Weights::open(plan.from, {}); };
    const auto describe = [](const WeightScope& scope) { linear(scope, kInputs, 1); };
    LIMBER_TRY(Weights weights, first_weights(plan, {}, open, describe));
    const Linear layer = linear(weights.root(), kInputs, 1);
    TrainingTask task;
    task.run = 48, task.stream = 5, task.draw = draw;
    task.loss = [&](const TensorRun& batch) { return (layer(batch[0]) - batch[1]).square().mean(); };
    task.validate = [&](const TensorList&) { ++validations; };
    task.save = [&](const TensorList& averaged) -> Status {
      ++saves, saved.clear();
      for (const auto& [name, tensor] : averaged) saved.emplace_back(name, tensor.clone());
      return Done{};
    };
    task.report = [&](const TrainingStep& step) {
      told.push_back(step);
      return step.step != stop_at;
    };
    return nn::train(weights, plan, folder.path(), task);
  }
};

TEST(TrainingLoop, LearnsReportsAndValidates) {
  Plane plane;
  const auto report = plane.train(small_plan());
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->steps, 200);
  EXPECT_EQ(report->examples, 64);
  EXPECT_EQ(report->parameters, kInputs + 1);
  EXPECT_EQ(report->device, "cpu");
  ASSERT_EQ(plane.told.size(), 10u);
  EXPECT_EQ(plane.told[0].step, 20);
  EXPECT_FALSE(plane.told[0].validated);
  EXPECT_TRUE(plane.told[4].validated);
  EXPECT_EQ(plane.validations, 2);
  EXPECT_EQ(plane.saves, 2);
  EXPECT_LT(plane.told[9].loss, 0.01 * plane.told[0].loss);
  EXPECT_EQ(report->loss, plane.told[9].loss);
  EXPECT_LT(plane.told[9].learning_rate, 0.1 * small_plan().learning_rate);
  for (int k = 0; k < kInputs; ++k) EXPECT_NEAR(plane.saved[0].second[0][k].item<double>(), k, 0.05) << k;
}

TEST(TrainingLoop, GivesTheSameBitsForTheSameSeedAndOthersForAnother) {
  TrainingPlan plan = small_plan();
  plan.max_steps = 30;
  Plane first, again, other;
  ASSERT_TRUE(first.train(plan).ok());
  ASSERT_TRUE(again.train(plan).ok());
  plan.seed = 1;
  ASSERT_TRUE(other.train(plan).ok());
  EXPECT_TRUE(at::equal(first.saved[0].second, again.saved[0].second));
  EXPECT_FALSE(at::equal(first.saved[0].second, other.saved[0].second));
}

TEST(TrainingLoop, KeepsWhatWasLearnedWhenItIsStopped) {
  Plane plane;
  plane.stop_at = 20;
  const auto report = plane.train(small_plan());
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->steps, 20);
  EXPECT_EQ(plane.validations, 0);
  EXPECT_EQ(plane.saves, 1);
  EXPECT_TRUE(std::filesystem::exists(plane.folder.path() / "training_state.safetensors"));
}

TEST(TrainingLoop, ResumesItsWeightsAndItsSchedule) {
  Plane plane;
  TrainingPlan plan = small_plan();
  plan.resume = true;
  ASSERT_TRUE(plane.train(plan).ok()) << "nothing to resume is a start";
  const double reached = plane.told.back().loss;
  plane.told.clear();
  plan.max_steps = 20;
  const auto report = plane.train(plan);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->steps, 20);
  EXPECT_LT(plane.told.back().loss, 2 * reached + 1e-6) << "did not begin again";
  EXPECT_LT(plane.told.back().learning_rate, small_plan().learning_rate) << "the warm-up is over";
}

TEST(TrainingLoop, EndsWhenTheTimeIsUp) {
  Plane plane;
  TrainingPlan plan = small_plan();
  plan.max_steps = 0, plan.seconds = 0.3, plan.report_steps = 1000000, plan.validation_steps = 1000000;
  const auto report = plane.train(plan);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_GE(report->seconds, 0.3);
  EXPECT_GT(report->steps, 1);
  EXPECT_EQ(plane.validations, 1);
  ASSERT_EQ(plane.told.size(), 1u);
  EXPECT_TRUE(plane.told[0].validated);
}

TEST(TrainingLoop, StartsFromGivenWeightsAndRefusesThoseOfAnotherModel) {
  Plane plane;
  TrainingPlan plan = small_plan();
  const testing::TemporaryFolder folder;
  plan.from = folder.path() / "weights.safetensors";
  const TensorList known{{"weight", at::tensor({0.f, 1.f, 2.f, 3.f}).view({1, 4})}, {"bias", at::tensor({0.5f})}};
  ASSERT_TRUE(save_tensors(plan.from, known).ok());
  plan.max_steps = 20, plan.learning_rate = 1e-6;
  ASSERT_TRUE(plane.train(plan).ok());
  EXPECT_LT(plane.told[0].loss, 1e-6);
  ASSERT_TRUE(save_tensors(plan.from, {known[0]}).ok());
  const auto refused = plane.train(plan);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("bias"), std::string::npos) << refused.error().message();
}

TEST(TrainingLoop, EndsWithTheErrorOfAnExampleThatCannotBeDrawn) {
  Plane plane;
  plane.draw = [](std::uint64_t, std::int64_t) -> Result<TensorRun> { return Error{"no such plane", "7"}; };
  const auto report = plane.train(small_plan());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message(), "7: no such plane");
  EXPECT_EQ(plane.saves, 0);
}

TEST(TensorPool, HandsOutExamplesThatBelongTogether) {
  const TensorPool pool({64, 48, 0, 3}, at::kCPU, draw_plane);
  ASSERT_TRUE(pool.wait_for(64).ok());
  const TensorRun batch = pool.batch(200);
  ASSERT_EQ(batch[0].sizes(), (at::IntArrayRef{200, kInputs}));
  const Tensor heights = at::matmul(batch[0], at::arange(kInputs, at::kFloat)) + 0.5;
  EXPECT_LT((heights - batch[1].view({-1})).abs().max().item<double>(), 1e-5);
}

}  // namespace
}  // namespace limber::nn
