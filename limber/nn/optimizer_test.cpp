// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/nn/blocks.h"
#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

/// A small network that learns y = sin of a random projection, with one optimiser.
class Problem {
 public:
  explicit Problem(OptimizerSettings settings, at::ScalarType dtype = at::kFloat)
      : weights_(Weights::random(3, {at::kCPU, dtype})),
        up_(linear(weights_.root() / "up", 4, 32)),
        down_(linear(weights_.root() / "down", 32, 1)),
        optimizer(weights_.tensors(), settings) {}

  Tensor loss(std::int64_t step) const {
    Weights noise = Weights::random(static_cast<std::uint64_t>(step), {});
    const Tensor x = noise.get("x", {64, 4}, Init::normal(1));
    const Tensor target = at::sin(x.sum(1, /*keepdim=*/true));
    const Linear up{up_.weight.to(at::kFloat), up_.bias.to(at::kFloat)},
        down{down_.weight.to(at::kFloat), down_.bias.to(at::kFloat)};
    return (down(at::tanh(up(x))) - target).square().mean();
  }
  StepReport step() {
    loss(optimizer.step_count()).backward();
    return optimizer.step();
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }

 private:
  Weights weights_;
  Linear up_, down_;

 public:
  Optimizer optimizer;
};

OptimizerSettings full_settings() {
  OptimizerSettings settings;
  settings.learning_rate = 1e-2;
  settings.warmup_steps = 5;
  settings.steps = 60;
  settings.final_rate = 0.1;
  settings.weight_decay = 0.01;
  settings.max_gradient_norm = 1;
  settings.average_decay = 0.99;
  return settings;
}

TEST(LearningRate, WarmsUpAndFallsLikeACosine) {
  OptimizerSettings settings;
  settings.learning_rate = 2;
  settings.warmup_steps = 4;
  settings.steps = 104;
  settings.final_rate = 0.5;
  EXPECT_DOUBLE_EQ(learning_rate_at(settings, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_at(settings, 3), 2);
  EXPECT_DOUBLE_EQ(learning_rate_at(settings, 4), 2);
  EXPECT_NEAR(learning_rate_at(settings, 54), 1.5, 1e-12);
  EXPECT_NEAR(learning_rate_at(settings, 104), 1, 1e-12);
  EXPECT_NEAR(learning_rate_at(settings, 1000), 1, 1e-12);
  settings.steps = 0;
  EXPECT_DOUBLE_EQ(learning_rate_at(settings, 1000), 2);
}

TEST(Optimizer, FollowsTheFormulaOfAdamW) {
  OptimizerSettings settings;
  settings.learning_rate = 0.1;
  settings.weight_decay = 0.2;
  Tensor w = at::full({1, 1}, 2.0, at::kDouble), b = at::full({1}, 1.0, at::kDouble);
  Optimizer optimizer({{"w", w}, {"b", b}}, settings);
  double x = 2, m = 0, v = 0;
  for (int t = 1; t <= 20; ++t) {
    (0.5 * w * w * 3 + b.sum()).sum().backward();
    optimizer.step();
    const double g = 3 * x;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    x -= 0.1 * 0.2 * x;
    x -= 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
  EXPECT_NEAR(w.item<double>(), x, 1e-9);
  EXPECT_NEAR(b.item<double>(), 1 - 20 * 0.1, 1e-6)
      << "a bias does not decay; a constant gradient moves it by the rate";
}

TEST(Optimizer, LearnsAndItsAverageIsNotWorse) {
  Problem problem(full_settings());
  const float before = problem.loss(1000).item<float>();
  problem.run(60);
  EXPECT_LT(problem.loss(1000).item<float>(), 0.4f * before);
  EXPECT_EQ(problem.optimizer.averaged().size(), 4u);
  EXPECT_FALSE(at::equal(problem.optimizer.averaged()[0].second, problem.optimizer.parameters()[0].second));
}

TEST(Optimizer, ClipsTheCommonNorm) {
  OptimizerSettings settings;
  settings.max_gradient_norm = 1;
  settings.beta1 = settings.beta2 = 0.5;
  Tensor a = at::zeros({1}), b = at::zeros({1});
  Optimizer optimizer({{"a", a}, {"b", b}}, settings);
  (a * 3 + b * 4).sum().backward();
  const StepReport report = optimizer.step();
  EXPECT_NEAR(report.gradient_norm, 5, 1e-6);
  EXPECT_FALSE(a.grad().defined());
}

TEST(Optimizer, UndoesTheScaleOfTheLoss) {
  Problem plain(full_settings()), scaled(full_settings());
  LossScale scale;
  for (int i = 0; i < 5; ++i) {
    plain.step();
    (scaled.loss(i) * scale.value).backward();
    const StepReport report = scaled.optimizer.step(scale.value);
    EXPECT_LT(report.gradient_norm, 100);
    scale.update(report);
  }
  const Tensor expected = plain.optimizer.parameters()[0].second, got = scaled.optimizer.parameters()[0].second;
  EXPECT_LT((got - expected).abs().max().item<float>(), 1e-6f);
  EXPECT_EQ(scale.value, 65536);
  StepReport overflow;
  overflow.skipped = true;
  scale.update(overflow);
  EXPECT_EQ(scale.value, 32768);
  for (int i = 0; i < 2000; ++i) scale.update({});
  EXPECT_EQ(scale.value, 65536);
}

TEST(Optimizer, LeavesEverythingAloneWhenAGradientIsNotFinite) {
  Problem problem(full_settings());
  problem.run(3);
  const Tensor before = problem.optimizer.parameters()[0].second.detach().clone();
  (problem.loss(0) * std::numeric_limits<float>::infinity()).backward();
  const StepReport report = problem.optimizer.step();
  EXPECT_TRUE(report.skipped);
  EXPECT_TRUE(at::equal(before, problem.optimizer.parameters()[0].second));
  EXPECT_FALSE(problem.step().skipped);
  EXPECT_EQ(problem.optimizer.step_count(), 5);
}

TEST(Optimizer, MastersKeepWhatShortWeightsWouldLose) {
  OptimizerSettings settings;
  settings.learning_rate = 1e-4;  // far below the spacing of bf16 at 1
  Tensor w = at::ones({4}, at::kBFloat16);
  Optimizer optimizer({{"w", w}}, settings);
  for (int i = 0; i < 400; ++i) {
    w.sum().backward();
    optimizer.step();
  }
  EXPECT_NEAR(w[0].item<float>(), 1 - 400 * 1e-4, 4e-3);
  EXPECT_EQ(w.scalar_type(), at::kBFloat16);
  EXPECT_EQ(optimizer.averaged()[0].second.scalar_type(), at::kFloat);
}

TEST(Optimizer, ContinuesBitByBit) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "train.safetensors";
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    Problem whole(full_settings(), dtype), first(full_settings(), dtype), second(full_settings(), dtype);
    whole.run(20);
    first.run(9);
    ASSERT_TRUE(first.optimizer.save(file, {{"epoch", "4"}}).ok());
    second.run(2);  // whatever it was before is replaced
    const auto metadata = second.optimizer.resume(file);
    ASSERT_TRUE(metadata.ok()) << metadata.error().message();
    EXPECT_EQ(*metadata, (Metadata{{"epoch", "4"}}));
    EXPECT_EQ(second.optimizer.step_count(), 9);
    second.run(11);
    const TensorList expected = whole.optimizer.averaged(), got = second.optimizer.averaged();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(at::equal(got[i].second, expected[i].second)) << expected[i].first;
      EXPECT_TRUE(at::equal(whole.optimizer.parameters()[i].second, second.optimizer.parameters()[i].second));
    }
  }
}

TEST(Optimizer, RefusesForeignCheckpointsAndStaysAsItWas) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "train.safetensors";
  Problem problem(full_settings());
  problem.run(2);
  ASSERT_TRUE(problem.optimizer.save(file).ok());
  const Tensor before = problem.optimizer.parameters()[0].second.detach().clone();

  Tensor other = at::zeros({3});
  Optimizer small({{"up.weight", other}}, {});
  const auto wrong = small.resume(file);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message().find("weight/up.weight: F32 [32, 4], expected F32 [3]"), std::string::npos)
      << wrong.error().message();
  OptimizerSettings plain = full_settings();
  plain.average_decay = 0;
  EXPECT_NE(Problem(plain).optimizer.resume(file).error().message().find("average/"), std::string::npos);

  ASSERT_TRUE(save_tensors(file, {{"x", at::zeros({1})}}).ok());
  EXPECT_NE(problem.optimizer.resume(file).error().message().find("not a training checkpoint"), std::string::npos);
  EXPECT_FALSE(problem.optimizer.resume(folder.path() / "absent.safetensors").ok());
  EXPECT_TRUE(at::equal(before, problem.optimizer.parameters()[0].second));
  EXPECT_EQ(problem.optimizer.step_count(), 2);
}

}  // namespace
}  // namespace limber::nn
