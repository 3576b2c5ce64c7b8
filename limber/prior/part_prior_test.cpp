// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_prior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/rng.h"
#include "limber/prior/part_trainer.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

PartModel tiny() {
  PartModel model;
  model.frames = 4, model.size = 16, model.patch = 4, model.patch_frames = 2;
  model.width = 48, model.layers = 2, model.heads = 2;
  model.buckets = 256, model.word_width = 16, model.word_heads = 2;
  model.actions = {{"left", {"left"}}, {"right", {"right"}}};
  return model;
}

Frames random_frames(int frames, std::uint64_t seed) {
  Frames video(2, frames, 16, 16);
  Rng rng(seed);
  for (float& value : video.values) value = static_cast<float>(rng.uniform());
  return video;
}

/// A model whose outputs are not zero, as those of a fresh one are.
std::unique_ptr<VideoPrior> random_prior() {
  nn::Weights weights = nn::Weights::random(3, {});
  PartTransformer(tiny(), weights.root());
  for (const auto& [name, tensor] : weights.tensors()) {
    at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
    generator.set_current_seed(name.size());
    if (tensor.abs().sum().item<float>() == 0) Tensor(tensor).normal_(0, 0.1, generator);
  }
  return std::make_unique<PartPrior>(tiny(), std::move(weights), "tiny");
}

Condition condition_for(VideoPrior& prior, const std::string& prompt) {
  const Frames rest = random_frames(1, 5);
  return prior.condition({prompt, ""}, &rest).value();
}

TEST(PartPrior, DrawsTheSameVideoForTheSameSeed) {
  const auto prior = random_prior();
  const Condition condition = condition_for(*prior, "a fox goes left");
  SampleSettings settings;
  settings.steps = 3, settings.seed = 4;
  const Frames a = prior->sample(condition, settings).value(), b = prior->sample(condition, settings).value();
  EXPECT_EQ(a.values, b.values);
  settings.seed = 5;
  EXPECT_NE(prior->sample(condition, settings)->values, a.values);
}

TEST(PartPrior, HearsThePromptButNotItsWordOrder) {
  const auto prior = random_prior();
  const Condition a = condition_for(*prior, "a fox goes left"), b = condition_for(*prior, "LEFT goes a fox!");
  const Condition other = condition_for(*prior, "a fox goes right");
  double same = 0, different = 0;
  for (std::size_t i = 0; i < a.text.size(); ++i) {
    same = std::max(same, std::abs(double(a.text[i]) - b.text[i]));
    different = std::max(different, std::abs(double(a.text[i]) - other.text[i]));
  }
  EXPECT_LT(same, 1e-5);
  EXPECT_GT(different, 1e-2);
}

TEST(PartPrior, SeesTheRestPose) {
  const auto prior = random_prior();
  SampleSettings settings;
  settings.steps = 2;
  Condition condition = condition_for(*prior, "left");
  const Frames with = prior->sample(condition, settings).value();
  condition.rest.reset();
  EXPECT_NE(prior->sample(condition, settings)->values, with.values);
}

TEST(PartPrior, ScoresTowardsWhatItSees) {
  const auto prior = random_prior();
  const Condition condition = condition_for(*prior, "left");
  const Frames frames = random_frames(4, 9);
  ScoreSettings settings;
  settings.timestep = 400, settings.guidance = 1;
  Frames gradient;
  settings.return_latent_gradient = true;
  const ScoreReport report = prior->score(frames, condition, settings, gradient).value();
  ASSERT_EQ(gradient.values.size(), frames.values.size());
  // Pixels are half of z.
  for (std::size_t i = 0; i < gradient.values.size(); ++i) {
    ASSERT_FLOAT_EQ(gradient.values[i], 2 * report.latent_gradient[i]);
  }
  EXPECT_EQ(report.draws.size(), 1u);
  EXPECT_DOUBLE_EQ(report.draws[0].sigma, 0.4);
  EXPECT_NEAR(report.draws[0].residual_norm, report.latent_gradient_norm, 1e-4 * report.latent_gradient_norm);

  // z - u - G (c - u) is linear in G.
  const auto at_guidance = [&](double guidance) {
    settings.guidance = guidance;
    Frames result;
    EXPECT_TRUE(prior->score(frames, condition, settings, result).ok());
    return result.values;
  };
  const auto g0 = at_guidance(0), g1 = at_guidance(1), g3 = at_guidance(3);
  for (std::size_t i = 0; i < g0.size(); i += 7) EXPECT_NEAR(g3[i], g0[i] + 3 * (g1[i] - g0[i]), 1e-4);
}

TEST(PartPrior, RefusesOtherSizesAndOtherModelsConditions) {
  const auto prior = random_prior();
  Condition condition = condition_for(*prior, "left");
  Frames gradient;
  EXPECT_FALSE(prior->score(random_frames(3, 1), condition, {}, gradient).ok());
  SampleSettings settings;
  settings.size = VideoSize{8, 16, 16};
  EXPECT_FALSE(prior->sample(condition, settings).ok());
  const Frames two_frames = random_frames(2, 1);
  EXPECT_FALSE(prior->condition({"left", ""}, &two_frames).ok());
  condition.text.pop_back();
  EXPECT_FALSE(prior->sample(condition, {}).ok());
}

TEST(PartPrior, StopsWhenAsked) {
  const auto prior = random_prior();
  SampleSettings settings;
  settings.progress = [](std::string_view, double) { return false; };
  EXPECT_FALSE(prior->sample(condition_for(*prior, "left"), settings).ok());
}

/// A bright bar that moves left or right, in both views.
Result<PartClip> bar_clip(std::uint64_t index) {
  const PartModel model = tiny();
  Rng rng(index, 3);
  const bool left = rng.chance(0.5);
  const int start = 4 + static_cast<int>(rng.below(8));
  PartClip clip;
  clip.video.assign(static_cast<std::size_t>(2 * 4 * 3 * 16 * 16), 40);
  clip.rest.assign(static_cast<std::size_t>(2 * 3 * 16 * 16), 40);
  for (int view = 0; view < 2; ++view) {
    for (int frame = 0; frame < 4; ++frame) {
      for (int i = 0; i < 3 * 16 * 4; ++i) {
        const int row = i / 4, x = std::clamp(start + i % 4 + (left ? -2 : 2) * frame, 0, 15);
        clip.video[static_cast<std::size_t>(((view * 4 + frame) * 48 + row) * 16 + x)] = 230;
        if (frame == 0) clip.rest[static_cast<std::size_t>((view * 48 + row) * 16 + x)] = 230;
      }
    }
  }
  clip.captions.assign(kClipCaptions, left ? "it goes left" : "a bar moves right");
  return clip;
}

TEST(PartTrainer, LearnsAndWritesAModelThatLoads) {
  const testing::TemporaryFolder folder;
  TrainSettings settings;
  settings.model = tiny();
  nn::TrainingPlan& plan = settings.plan;
  plan.batch = 16, plan.pool = plan.max_examples = plan.first_examples = 256, plan.validation_examples = 8;
  plan.max_steps = 120, plan.seconds = 60, plan.warmup_steps = 10, plan.learning_rate = 3e-3;
  plan.average_decay = 0.9, plan.report_steps = 20, plan.validation_steps = 20;
  std::vector<double> losses;
  settings.on_report = [&](const TrainStep& step) {
    losses.push_back(step.validation_loss);
    return true;
  };
  const Result<TrainReport> report = train_part_prior(bar_clip, folder.path() / "model", settings);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->steps, 120);
  ASSERT_GE(losses.size(), 6u);
  EXPECT_LT(losses.back(), 0.6 * losses.front());

  // What was written is what was measured, to 16 bits; and training goes on from it.
  const auto prior = load_prior(folder.path() / "model");
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  EXPECT_EQ((*prior)->info().actions.size(), 2u);
  plan.from = folder.path() / "model";
  plan.max_steps = 20, plan.warmup_steps = 0, plan.learning_rate = 1e-5;
  losses.clear();
  ASSERT_TRUE(train_part_prior(bar_clip, folder.path() / "again", settings).ok());
  EXPECT_LT(losses.back(), 1.1 * report->validation_loss);
}

TEST(PartTrainer, ReportsAClipThatCannotBeDrawn) {
  const testing::TemporaryFolder folder;
  TrainSettings settings;
  settings.model = tiny();
  settings.plan.pool = 16, settings.plan.first_examples = 16, settings.plan.validation_examples = 2;
  const auto source = [](std::uint64_t index) -> Result<PartClip> {
    if (index < kValidationClips) return Error{"no such creature", std::to_string(index)};
    return bar_clip(index);
  };
  const Result<TrainReport> report = train_part_prior(source, folder.path() / "model", settings);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message().find("no such creature"), std::string::npos);
}

}  // namespace
}  // namespace limber::prior
