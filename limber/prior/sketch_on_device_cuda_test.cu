// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Samples and scores that stay on a GPU against those of the CPU. Compiled twice: by nvcc, where it skips without a
// GPU, and by the C++ compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <limits>

#include "limber/base/cuda_queue.cuh"
#include "limber/prior/normal_numbers.h"
#include "limber/prior/sketch_denoiser.h"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/sketch_files_testing.h"
#include "limber/prior/sketch_prior.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

/// The same weights on both.
struct Both {
  explicit Both(int version = 2) : model(tiny(version)) {
    const testing::TemporaryFolder folder;
    write_weights(model, folder.path());
    cpu = std::make_unique<SketchPrior>(model, SketchDenoiser::open(model, folder.path()).value(), "cpu");
    gpu = std::make_unique<SketchPrior>(model, CudaSketchNetwork::open(model, folder.path()).value(), "gpu");
    rest = Frames(2, 1, 16, 16);
    for (std::size_t i = 0; i < rest.values.size(); ++i) rest.values[i] = static_cast<float>(i % 17) / 16;
    condition = cpu->condition({"a fox trots", "blur"}, &rest).value();
    frames = Frames(2, 4, 16, 16);
    const Numbers noise = normal_noise(frames.size(), 3, 1, 0);
    for (std::size_t i = 0; i < noise.size(); ++i) frames.values[i] = 0.5f + 0.2f * noise[i];
  }
  SketchModel model;
  std::unique_ptr<SketchPrior> cpu, gpu;
  Frames rest, frames;
  Condition condition;
};

/// Frames on the GPU, on a queue of their own.
class There {
 public:
  explicit There(const Frames& frames) {
    EXPECT_TRUE(queue_.open().ok());
    values_.upload(queue_, frames.values, "frames");
    answer_.resize(queue_, frames.values.size(), "answer");
    shape_ = {frames.views, frames.frames, frames.height, frames.width, values_.data(), &queue_};
  }
  const DeviceFrames& frames() const { return shape_; }
  float* answer() { return answer_.data(); }
  Numbers take_answer() { return answer_.download(queue_); }

 private:
  CudaQueue queue_;
  DeviceArray<float> values_, answer_;
  DeviceFrames shape_;
};

class SketchOnDeviceCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Status status = queue_.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
  CudaQueue queue_;
};

__global__ void draw_noise(const NoiseAddress address, std::size_t count, float* to) {
  const std::size_t block = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (4 * block < count) put_normal_numbers(address, block, count, to);
}

TEST_F(SketchOnDeviceCuda, DrawsTheNoiseOfTheCpu) {
  for (const std::size_t count : {1003, 4096}) {
    const Numbers expected = normal_noise(count, 123456789012345ull, 77, 3);
    DeviceArray<float> noise;
    noise.resize(queue_, count, "noise");
    queue_.launch_each("noise", (count + 3) / 4, draw_noise, NoiseAddress{123456789012345ull, 77, 3}, count,
                       noise.data());
    const Numbers found = noise.download(queue_);
    for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(found[i], expected[i], 1e-6f * (1 + std::abs(expected[i])));
  }
}

TEST_F(SketchOnDeviceCuda, DrawsFromGivenNoiseAroundGivenFrames) {
  for (const int version : {1, 2}) {
    Both both(version);
    std::vector<SampleSettings> settings(2);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      settings[i].seed = i, settings[i].steps = 3, settings[i].guidance = 3;
      settings[i].known = KnownFrames{both.frames, {1, 0, 0, 1}};
      if (i == 1) settings[i].noise = normal_noise(both.frames.size(), 9, 9, 9);
    }
    const std::vector<Frames> there = both.gpu->sample_all(both.condition, settings).value();
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const Frames here = both.cpu->sample(both.condition, settings[i]).value();
      EXPECT_LT(relative_error(there[i].values, here.values), 1e-4) << version << ", " << i;
      EXPECT_EQ(there[i].values[0], both.frames.values[0]) << "known to the last bit";
    }
    // Those without known frames are another batch.
    settings[0].known.reset();
    const std::vector<Frames> mixed = both.gpu->sample_all(both.condition, settings).value();
    EXPECT_LT(relative_error(mixed[0].values, both.cpu->sample(both.condition, settings[0]).value().values), 1e-4);
    EXPECT_LT(relative_error(mixed[1].values, there[1].values), 1e-5);
  }
}

TEST_F(SketchOnDeviceCuda, DrawsMoreThanFitsIntoOneBatch) {
  Both both;
  std::vector<SampleSettings> settings(17);
  for (std::size_t i = 0; i < settings.size(); ++i) settings[i].seed = i, settings[i].steps = 1;
  std::vector<double> told;
  settings[0].progress = [&](std::string_view, double done) {
    told.push_back(done);
    return true;
  };
  const std::vector<Frames> all = both.gpu->sample_all(both.condition, settings).value();
  ASSERT_EQ(all.size(), settings.size());
  EXPECT_LT(relative_error(all[16].values, both.cpu->sample(both.condition, settings[16]).value().values), 1e-4);
  ASSERT_EQ(told.size(), 2u) << "guided pairs: sixteen videos at once";
  EXPECT_NEAR(told[1], 16.0 / 17, 1e-9);
}

TEST_F(SketchOnDeviceCuda, StopsDrawingWhenAsked) {
  Both both;
  SampleSettings settings;
  settings.steps = 6;
  int asked = 0;
  settings.progress = [&](std::string_view, double) { return ++asked < 3; };
  const Result<Frames> stopped = both.gpu->sample(both.condition, settings);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(asked, 3);
  settings.progress = nullptr;
  EXPECT_TRUE(both.gpu->sample(both.condition, settings).ok());
}

/// All kinds of scores.
std::vector<ScoreSettings> kinds_of_scores(std::size_t size) {
  std::vector<ScoreSettings> all(5);
  for (ScoreSettings& one : all) one.seed = 5, one.iteration = 2, one.guidance = 3;
  all[0].guidance = 1, all[0].timestep = 500;
  all[1].draws = 3, all[1].antithetic = true;
  all[2].residual = Residual::kCsd, all[2].guidance = 1, all[2].return_latent_gradient = true;
  all[3].weight = NoiseWeight::kNoiseError, all[3].rule = GuidanceRule::kFromConditional;
  all[4].draws = 2, all[4].noise = normal_noise(2 * size, 8, 8, 8);
  return all;
}

void expect_same(const ScoreReport& found, const ScoreReport& expected) {
  ASSERT_EQ(found.draws.size(), expected.draws.size());
  for (std::size_t k = 0; k < expected.draws.size(); ++k) {
    const DrawReport &a = found.draws[k], &b = expected.draws[k];
    EXPECT_EQ(a.timestep, b.timestep);
    EXPECT_EQ(a.sigma, b.sigma);
    EXPECT_EQ(a.weight, b.weight);
    EXPECT_NEAR(a.guidance_norm, b.guidance_norm, 1e-4 * b.guidance_norm);
    EXPECT_NEAR(a.residual_norm, b.residual_norm, 1e-4 * b.residual_norm);
  }
  EXPECT_EQ(found.guidance, expected.guidance);
  EXPECT_EQ(found.not_finite, expected.not_finite);
  EXPECT_NEAR(found.latent_norm, expected.latent_norm, 1e-6 * expected.latent_norm);
  EXPECT_NEAR(found.latent_gradient_norm, expected.latent_gradient_norm, 1e-4 * expected.latent_gradient_norm);
  EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-4 * expected.gradient_norm);
  EXPECT_EQ(found.latent_gradient.size(), expected.latent_gradient.size());
}

TEST_F(SketchOnDeviceCuda, ScoresAsTheCpuDoesWhereverFramesAre) {
  Both both;
  ASSERT_EQ(both.cpu->on_device(), nullptr);
  ASSERT_NE(both.gpu->on_device(), nullptr);
  There there(both.frames);
  for (const ScoreSettings& settings : kinds_of_scores(both.frames.size())) {
    Frames expected, found, again;
    const ScoreReport here = both.cpu->score(both.frames, both.condition, settings, expected).value();
    const ScoreReport copied = both.gpu->score(both.frames, both.condition, settings, found).value();
    expect_same(copied, here);
    EXPECT_LT(relative_error(found.values, expected.values), 1e-4);
    if (!here.latent_gradient.empty()) {
      EXPECT_LT(relative_error(copied.latent_gradient, here.latent_gradient), 1e-4);
    }
    ASSERT_TRUE(both.gpu->score(both.frames, both.condition, settings, again).ok());
    EXPECT_EQ(again.values, found.values) << "other bits";
    ASSERT_TRUE(both.gpu->on_device()->score_there(there.frames(), both.condition, settings, there.answer()).ok());
    EXPECT_EQ(there.take_answer(), found.values) << "other bits";
  }
}

TEST_F(SketchOnDeviceCuda, CountsWhatIsNotFinite) {
  Both both;
  both.frames.values[7] = std::numeric_limits<float>::infinity();
  Frames gradient;
  const ScoreReport report = both.gpu->score(both.frames, both.condition, {}, gradient).value();
  EXPECT_GT(report.not_finite, 0);
  for (const float value : gradient.values) ASSERT_TRUE(std::isfinite(value));
}

TEST_F(SketchOnDeviceCuda, LooksAtFramesUnderSeveralTexts) {
  Both both;
  There there(both.frames);
  ScoreSettings settings;
  settings.seed = 4, settings.timestep = 500, settings.guidance = 1;
  std::vector<Condition> conditions;
  for (const char* text : {"a fox trots", "a fox sits", "a fox jumps", "nothing"}) {
    conditions.push_back(both.cpu->condition({text, ""}, &both.rest).value());
  }
  const std::vector<double> squares =
      both.gpu->on_device()->squares_there(there.frames(), conditions, settings).value();
  ASSERT_EQ(squares.size(), conditions.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    Frames ignored;
    const double norm = both.cpu->score(both.frames, conditions[i], settings, ignored).value().latent_gradient_norm;
    EXPECT_NEAR(squares[i], norm * norm, 1e-4 * norm * norm) << i;
  }
  EXPECT_TRUE(both.gpu->on_device()->squares_there(there.frames(), {}, settings).value().empty());
}

TEST_F(SketchOnDeviceCuda, RefusesFramesOfAnotherSize) {
  Both both;
  There there(Frames(2, 3, 16, 16));
  EXPECT_FALSE(both.gpu->on_device()->score_there(there.frames(), both.condition, {}, there.answer()).ok());
  EXPECT_FALSE(both.gpu->on_device()->denoise_there(there.frames(), both.condition, {}, {}, there.answer()).ok());
}

}  // namespace
}  // namespace limber::prior
