// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/files.h"
#include "limber/prior/sketch_testing.h"
#include "limber/prior/sketch_trainer.h"
#include "limber/prior/sketch_weights.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

/// As it ships: from a folder, in bytes, without LibTorch.
std::unique_ptr<VideoPrior> random_prior(int version = 2) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(save_sketch_prior(tiny(version), random_weights(tiny(version)).tensors(), folder.path()).ok());
  return load_prior(folder.path()).value();
}

Condition condition_for(VideoPrior& prior, const std::string& prompt) {
  const Frames rest = random_frames(1, 5);
  return prior.condition({prompt, ""}, &rest).value();
}

TEST(SketchPrior, DrawsTheSameVideoForTheSameSeed) {
  const auto prior = random_prior();
  const Condition condition = condition_for(*prior, "a fox goes left");
  SampleSettings settings;
  settings.steps = 3, settings.seed = 4;
  const Frames a = prior->sample(condition, settings).value(), b = prior->sample(condition, settings).value();
  EXPECT_EQ(a.values, b.values);
  settings.seed = 5;
  EXPECT_NE(prior->sample(condition, settings)->values, a.values);
}

TEST(SketchPrior, HearsThePromptButNotItsWordOrder) {
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

TEST(SketchPrior, SeesTheRestPose) {
  const auto prior = random_prior();
  SampleSettings settings;
  settings.steps = 2;
  Condition condition = condition_for(*prior, "left");
  const Frames with = prior->sample(condition, settings).value();
  condition.rest.reset();
  EXPECT_NE(prior->sample(condition, settings)->values, with.values);
}

TEST(SketchPrior, SeesSeveralVideosAsEachAlone) {
  const SketchModel model = tiny(2);
  const TorchSketchNetwork network(model, random_weights(model));
  const std::vector<float> left = network.read("left").value(), right = network.read("right").value();
  const std::vector<Frames> videos{random_frames(4, 9), random_frames(4, 10)};
  const Frames rest = random_frames(1, 5);
  std::vector<std::vector<float>> shares;
  for (const float share : {0.3f, 0.8f}) shares.emplace_back(static_cast<std::size_t>(model.tubes()), share);
  const std::vector<SketchQuery> queries{{{videos[0].values, shares[0], {}, rest.values, {}, {}}, {left, right}},
                                         {{videos[1].values, shares[1], {}, {}, {}, {}}, {right}}};
  const auto together = network.denoise_all(queries).value();
  ASSERT_EQ(together.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto alone = network.denoise(queries[i].input, queries[i].texts).value();
    ASSERT_EQ(together[i].size(), alone.size());
    for (std::size_t text = 0; text < alone.size(); ++text) {
      ASSERT_EQ(together[i][text].size(), alone[text].size());
      for (std::size_t k = 0; k < alone[text].size(); ++k) ASSERT_NEAR(together[i][text][k], alone[text][k], 1e-4);
    }
  }
  EXPECT_NE(together[0][0], together[1][0]);
  EXPECT_TRUE(network.denoise_all({})->empty());
}

TEST(SketchPrior, ScoresTowardsWhatItSees) {
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

TEST(SketchPrior, RefusesOtherSizesAndOtherModelsConditions) {
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

TEST(SketchPrior, PassesThroughKnownFramesExactly) {
  for (const int version : {1, 2}) {
    const auto prior = random_prior(version);
    const Condition condition = condition_for(*prior, "left");
    SampleSettings settings;
    settings.steps = 3;
    const Frames free = prior->sample(condition, settings).value();
    // The first tube, and one frame of the second.
    settings.known = KnownFrames{random_frames(4, 21), {1, 1, 0, 1}};
    const Frames known = settings.known->frames;
    settings.known->frames.values[2 * 3 * 16 * 16] = std::nanf("");  // of a frame that is not known
    const Frames drawn = prior->sample(condition, settings).value();
    const std::size_t frame = 3 * 16 * 16;
    for (std::size_t i = 0; i < drawn.values.size(); ++i) {
      ASSERT_TRUE(std::isfinite(drawn.values[i]));
      if (i / frame % 4 == 2) continue;
      ASSERT_EQ(drawn.values[i], known.values[i]) << i;
    }
    // And what is drawn between them heeds them.
    const auto open = [&](const Frames& frames) {
      const auto begin = frames.values.begin() + static_cast<std::ptrdiff_t>(2 * frame);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(frame));
    };
    EXPECT_NE(open(drawn), open(free)) << "version " << version;
    settings.known->known = {1, 1, 0};
    EXPECT_FALSE(prior->sample(condition, settings).ok());
  }
}

TEST(SketchPrior, OfTheFirstVersionTakesNoKnownChannels) {
  nn::Weights weights = nn::Weights::plan();
  SketchTransformer(tiny(1), weights.root());
  for (const auto& [name, tensor] : weights.tensors()) EXPECT_EQ(name.find("known"), std::string::npos) << name;
}

/// What a network sees in a noisy video of which half is known.
Tensor seen_by(const SketchModel& model, nn::Weights& weights, const Tensor& sigma, bool with_known) {
  const at::NoGradGuard no_gradients;
  const SketchTransformer network(model, weights.root());
  at::manual_seed(4);
  const Tensor video = at::randn({2, 2, 4, 3, 16, 16}), known = at::randn_like(video);
  SketchCondition condition{at::randn({2, model.width}), at::randn({2, 2, 3, 16, 16}), at::ones({2}), {}, {}};
  if (with_known) condition.known = known, condition.is_known = at::tensor({1, 1, 0, 1, 0, 0, 1, 0}).view({2, 4});
  return network.denoised(video, sigma, condition);
}

TEST(SketchPrior, StartsTheSecondVersionAsTheFirstOne) {
  const testing::TemporaryFolder folder;
  nn::Weights old = random_weights(tiny(1));
  ASSERT_TRUE(save_sketch_prior(tiny(1), old.tensors(), folder.path()).ok());
  nn::Weights first = open_first_weights(folder.path(), 1, {}).value();
  nn::Weights second = open_first_weights(folder.path(), 2, {}).value();
  const Tensor sigma = at::tensor({0.3, 0.8}).to(at::kFloat);
  const Tensor before = seen_by(tiny(1), first, sigma, false);
  const Tensor after = seen_by(tiny(2), second, sigma.unsqueeze(1).repeat({1, 2}), true);
  ASSERT_TRUE(second.finish().ok()) << second.finish().error().message();
  EXPECT_LT((before - after).abs().max().item<double>(), 1e-5);
  EXPECT_GT(before.abs().max().item<double>(), 0.1);
  // For use nothing may be missing.
  ASSERT_TRUE(write_file(folder.path() / kSketchModelFile, sketch_model_to_json(tiny(2))).ok());
  EXPECT_FALSE(load_prior(folder.path()).ok());
}

TEST(SketchPrior, TellsTubesApartByTheirNoise) {
  nn::Weights weights = random_weights(tiny());
  const Tensor even = seen_by(tiny(), weights, at::full({2, 2}, 0.5), false);
  Tensor sigma = at::full({2, 2}, 0.5);
  sigma[1][1] = 0;
  const Tensor odd = seen_by(tiny(), weights, sigma, false);
  EXPECT_EQ((even[0] - odd[0]).abs().max().item<double>(), 0);
  EXPECT_GT((even[1] - odd[1]).abs().max().item<double>(), 1e-3);
}

TEST(SketchPrior, InBytesSaysNearlyTheSame) {
  const testing::TemporaryFolder folder;
  nn::Weights weights = random_weights(tiny());
  ASSERT_TRUE(save_sketch_prior(tiny(), weights.tensors(), folder.path()).ok());
  EXPECT_LT(std::filesystem::file_size(folder.path() / kSketchWeightsFile),
            0.8 * static_cast<double>(std::filesystem::file_size(folder.path() / "averaged.safetensors")));
  nn::Weights small = open_sketch_weights(folder.path(), {}).value();
  const Tensor sigma = at::full({2, 2}, 0.5);
  const Tensor a = seen_by(tiny(), weights, sigma, true), b = seen_by(tiny(), small, sigma, true);
  ASSERT_TRUE(small.finish().ok());
  EXPECT_LT(((a - b).norm() / a.norm()).item<double>(), 0.02);
}

TEST(SketchPrior, StopsWhenAsked) {
  const auto prior = random_prior();
  SampleSettings settings;
  settings.progress = [](std::string_view, double) { return false; };
  EXPECT_FALSE(prior->sample(condition_for(*prior, "left"), settings).ok());
}

TEST(SketchTrainer, LearnsAndWritesAModelThatLoads) {
  const testing::TemporaryFolder folder;
  TrainSettings settings;
  settings.model = tiny();
  nn::TrainingPlan& plan = settings.plan;
  plan.batch = 16, plan.pool = plan.max_examples = plan.first_examples = 256, plan.validation_examples = 8;
  plan.max_steps = 120, plan.seconds = 600, plan.warmup_steps = 10, plan.learning_rate = 3e-3;
  plan.average_decay = 0.9, plan.report_steps = 20, plan.validation_steps = 20;
  std::vector<double> losses;
  settings.on_report = [&](const TrainStep& step) {
    losses.push_back(step.validation_loss);
    return true;
  };
  const Result<TrainReport> report = train_sketch_prior(bar_clip, folder.path() / "model", settings);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->steps, 120);
  ASSERT_GE(losses.size(), 6u);
  EXPECT_LT(losses.back(), 0.6 * losses.front());

  // What was written is what was measured, nearly; and training goes on from it.
  const auto prior = load_prior(folder.path() / "model");
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  EXPECT_EQ((*prior)->info().actions.size(), 2u);
  plan.from = folder.path() / "model";
  plan.max_steps = 20, plan.warmup_steps = 0, plan.learning_rate = 1e-5;
  losses.clear();
  ASSERT_TRUE(train_sketch_prior(bar_clip, folder.path() / "again", settings).ok());
  EXPECT_LT(losses.back(), 1.1 * report->validation_loss);
}

TEST(SketchTrainer, ReportsAClipThatCannotBeDrawn) {
  const testing::TemporaryFolder folder;
  TrainSettings settings;
  settings.model = tiny();
  settings.plan.pool = 16, settings.plan.first_examples = 16, settings.plan.validation_examples = 2;
  const auto source = [](std::uint64_t index) -> Result<SketchClip> {
    if (index < kValidationClips) return Error{"no such creature", std::to_string(index)};
    return bar_clip(index);
  };
  const Result<TrainReport> report = train_sketch_prior(source, folder.path() / "model", settings);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message().find("no such creature"), std::string::npos);
}

}  // namespace
}  // namespace limber::prior
