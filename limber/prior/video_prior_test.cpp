// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/video_prior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/prior/random_prior.h"

namespace limber::prior {
namespace {

/// A small random CogVideoX, a condition, and a video of two encoder chunks.
struct Scene {
  explicit Scene(bool offload = false) {
    LoadSettings load;
    load.device = "cpu";
    load.offload = offload;
    prior = std::move(random_prior("tiny", load).value());
    condition = random_condition(*published_checkpoint("tiny"), prior->info().text_length);
    const std::vector<float> noise = normal_noise(frames.values.size(), 3, 0, 0);
    for (std::size_t i = 0; i < noise.size(); ++i) frames.values[i] = std::clamp(0.5f + 0.2f * noise[i], 0.0f, 1.0f);
  }

  /// The gradient on the pixels; the report is kept.
  std::vector<float> score(const ScoreSettings& settings) {
    Frames gradient;
    auto result = prior->score(frames, condition, settings, gradient);
    EXPECT_TRUE(result.ok()) << result.error().message();
    report = *result;
    return gradient.values;
  }
  std::vector<float> latent_score(ScoreSettings settings) {
    settings.return_latent_gradient = true;
    score(settings);
    return report.latent_gradient;
  }
  std::size_t latent_count() const { return 5 * 16 * 2 * 4; }

  std::unique_ptr<VideoPrior> prior;
  Condition condition;
  Frames frames{1, 17, 16, 32};
  ScoreReport report;
};

double relative_error(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double error = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += std::pow(static_cast<double>(a[i]) - b[i], 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(error / size);
}

std::vector<float> combined(double x, const std::vector<float>& a, double y, const std::vector<float>& b) {
  std::vector<float> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = static_cast<float>(x * a[i] + y * b[i]);
  return result;
}

TEST(Score, DependsOnTheSeedAlone) {
  Scene scene;
  ScoreSettings settings;
  settings.seed = 5;
  const std::vector<float> first = scene.score(settings);
  EXPECT_GT(scene.report.gradient_norm, 0);
  EXPECT_EQ(scene.report.not_finite, 0);
  EXPECT_EQ(scene.score(settings), first);
  settings.iteration = 1;
  EXPECT_GT(relative_error(scene.score(settings), first), 0.1);
  settings.iteration = 0, settings.seed = 6;
  EXPECT_GT(relative_error(scene.score(settings), first), 0.1);
}

TEST(Score, IsTheSameWithBlocksOffloaded) {
  Scene scene, offloaded(true);
  EXPECT_EQ(offloaded.score({}), scene.score({}));
}

TEST(Score, GoesThroughTheEncoderInSeveralWays) {
  Scene scene;
  ScoreSettings settings;
  settings.encoder = EncoderGradient::kKept;
  const std::vector<float> kept = scene.score(settings);
  settings.encoder = EncoderGradient::kRecomputed;
  EXPECT_LT(relative_error(scene.score(settings), kept), 1e-5);
  settings.encoder = EncoderGradient::kAuto;
  EXPECT_LT(relative_error(scene.score(settings), kept), 1e-5);
  // All chunks of the sampled mode are the exact one again.
  settings.encoder = EncoderGradient::kSampled;
  settings.sampled_chunks = 2;
  EXPECT_LT(relative_error(scene.score(settings), kept), 1e-5);

  // One of two chunks: nothing outside it, twice as much inside; over iterations both get their turn.
  settings.sampled_chunks = 1;
  const std::size_t frame = 3 * 16 * 32, split = 9 * frame;
  bool first_seen = false, second_seen = false;
  for (settings.iteration = 0; settings.iteration < 6; ++settings.iteration) {
    const std::vector<float> sampled = scene.score(settings);
    const auto nonzero = [](float x) { return x != 0; };
    const auto middle = sampled.begin() + static_cast<std::ptrdiff_t>(split);
    const bool first = std::any_of(sampled.begin(), middle, nonzero),
               second = std::any_of(middle, sampled.end(), nonzero);
    EXPECT_NE(first, second);
    first_seen = first_seen || first, second_seen = second_seen || second;
    if (!second) continue;
    ScoreSettings exact = settings;
    exact.encoder = EncoderGradient::kKept;
    const std::vector<float> whole = scene.score(exact);
    const auto begin = static_cast<std::ptrdiff_t>(split);
    EXPECT_LT(
        relative_error({sampled.begin() + begin, sampled.end()},
                       combined(2, {whole.begin() + begin, whole.end()}, 0, {whole.begin() + begin, whole.end()})),
        1e-5);
  }
  EXPECT_TRUE(first_seen && second_seen);
}

TEST(Score, NamesItsGuidance) {
  Scene scene;
  ScoreSettings settings;
  settings.guidance = 5;
  const std::vector<float> five = scene.latent_score(settings);
  EXPECT_EQ(scene.report.guidance, 5);
  settings.rule = GuidanceRule::kFromConditional;
  settings.guidance = 4;
  EXPECT_LT(relative_error(scene.latent_score(settings), five), 1e-6);
  EXPECT_EQ(scene.report.guidance, 5);

  // SDS is linear in the guidance, and the classifier score is its slope.
  settings.rule = GuidanceRule::kFromUnconditional;
  settings.guidance = 3;
  const std::vector<float> three = scene.latent_score(settings);
  settings.residual = Residual::kCsd;
  settings.guidance = 2;
  EXPECT_LT(relative_error(scene.latent_score(settings), combined(1, five, -1, three)), 1e-4);
}

TEST(Score, WeightsTheResidualByTheNoiseOrTheSignal) {
  Scene scene;
  ScoreSettings settings;
  settings.timestep = 300;
  const std::vector<float> akd = scene.latent_score(settings);
  const DrawReport draw = scene.report.draws.at(0);
  EXPECT_EQ(draw.timestep, 300);
  EXPECT_NEAR(draw.signal * draw.signal + draw.sigma * draw.sigma, 1, 1e-12);
  settings.weight = NoiseWeight::kNoiseError;
  EXPECT_LT(relative_error(scene.latent_score(settings), combined(draw.signal / draw.sigma, akd, 0, akd)), 1e-5);
}

TEST(Score, AveragesItsDraws) {
  Scene scene;
  ScoreSettings settings;
  settings.timestep = 400;
  const std::vector<float> one = normal_noise(scene.latent_count(), 1, 0, 0),
                           two = normal_noise(scene.latent_count(), 2, 0, 0);
  settings.noise = one;
  const std::vector<float> first = scene.latent_score(settings);
  settings.noise = two;
  const std::vector<float> second = scene.latent_score(settings);
  settings.noise = one;
  settings.noise->insert(settings.noise->end(), two.begin(), two.end());
  settings.draws = 2;
  EXPECT_LT(relative_error(scene.latent_score(settings), combined(0.5, first, 0.5, second)), 1e-5);
  EXPECT_EQ(scene.report.draws.size(), 2u);

  settings.antithetic = true;
  const std::vector<float> mirrored = scene.latent_score(settings);
  settings.antithetic = false;
  settings.noise = one;
  for (const float x : one) settings.noise->push_back(-x);
  EXPECT_LT(relative_error(scene.latent_score(settings), mirrored), 1e-6);
}

TEST(Score, RefusesWhatItCannotTake) {
  Scene scene;
  Frames gradient;
  const auto error = [&](const Frames& frames, const Condition& condition) {
    const auto report = scene.prior->score(frames, condition, {}, gradient);
    return report.ok() ? std::string() : report.error().message();
  };
  EXPECT_NE(error(Frames(1, 17, 30, 32), scene.condition), "");
  EXPECT_NE(error(Frames(1, 0, 16, 32), scene.condition), "");
  EXPECT_EQ(error(Frames(1, 4, 16, 32), scene.condition), "");
  EXPECT_NE(error(Frames(2, 17, 16, 32), scene.condition), "");
  EXPECT_NE(error(scene.frames, Condition{}), "");
  Frames short_of = scene.frames;
  short_of.values.pop_back();
  EXPECT_THROW(error(short_of, scene.condition), ContractError);
}

TEST(Sample, DependsOnTheSeedAloneAndCanBeStopped) {
  Scene scene;
  SampleSettings settings;
  settings.steps = 3;
  settings.size = VideoSize{9, 16, 32};
  const auto first = scene.prior->sample(scene.condition, settings);
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_EQ(video_size(*first), (VideoSize{9, 16, 32}));
  EXPECT_TRUE(std::all_of(first->values.begin(), first->values.end(), [](float x) { return x >= 0 && x <= 1; }));
  EXPECT_EQ(scene.prior->sample(scene.condition, settings)->values, first->values);
  settings.dynamic_guidance = true;
  EXPECT_NE(scene.prior->sample(scene.condition, settings)->values, first->values);
  int calls = 0;
  settings.progress = [&](std::string_view, double) { return ++calls < 2; };
  const auto stopped = scene.prior->sample(scene.condition, settings);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(calls, 2);
}

TEST(Timesteps, AreAnnealedAsInThePaper) {
  ScoreSettings settings;
  EXPECT_EQ(timestep_range(settings, 1000).low, 20);
  EXPECT_EQ(timestep_range(settings, 1000).high, 980);
  settings.iteration = 2500;
  EXPECT_EQ(timestep_range(settings, 1000).high, 740);
  for (const int late : {5000, 9999}) {
    settings.iteration = late;
    EXPECT_EQ(timestep_range(settings, 1000).high, 500);
  }
  settings.t_max_end = 0;
  EXPECT_EQ(timestep_range(settings, 1000).high, 20);
}

TEST(Timesteps, AreOnePerStratumAndReachBothEnds) {
  ScoreSettings settings;
  settings.draws = 4;
  int lowest = 1000, highest = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    settings.seed = static_cast<std::uint64_t>(seed);
    const std::vector<int> t = draw_timesteps(settings, 1000);
    for (int k = 0; k < 4; ++k) {
      const int value = t[static_cast<std::size_t>(k)];
      EXPECT_GE(value, 20 + 961 * k / 4);
      EXPECT_LE(value, 20 + 961 * (k + 1) / 4);
      lowest = std::min(lowest, value), highest = std::max(highest, value);
    }
  }
  EXPECT_EQ(lowest, 20);
  EXPECT_EQ(highest, 980);
}

TEST(Noise, IsNormalAndTheSameOnAnyNumberOfThreads) {
  const std::size_t count = 200001;
  const std::vector<float> noise = normal_noise(count, 9, 1, 2);
  double moments[4] = {};
  for (const float x : noise) {
    for (int k = 0; k < 4; ++k) moments[k] += std::pow(x, k + 1) / static_cast<double>(count);
  }
  EXPECT_NEAR(moments[0], 0, 0.01);
  EXPECT_NEAR(moments[1], 1, 0.02);
  EXPECT_NEAR(moments[2], 0, 0.04);
  EXPECT_NEAR(moments[3], 3, 0.1);
  set_thread_count(1);
  EXPECT_EQ(normal_noise(count, 9, 1, 2), noise);
  set_thread_count(0);
  EXPECT_NE(normal_noise(count, 9, 1, 3), noise);
  EXPECT_NE(normal_noise(count, 9, 2, 2), noise);
  EXPECT_NE(normal_noise(count, 10, 1, 2), noise);
  // A shorter request is the beginning of a longer one.
  const std::vector<float> part = normal_noise(10, 9, 1, 2);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), noise.begin()));
}

}  // namespace
}  // namespace limber::prior
