// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/threads.h"
#include "limber/nn/shipped_models.h"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/video_prior.h"
#include "limber/testing/shared_data.h"

/// The prior of the repository, without LibTorch.
namespace limber::prior {
namespace {

std::unique_ptr<VideoPrior> shipped() {
  const auto folder = nn::find_shipped_model("sketch_prior", is_sketch_model);
  EXPECT_TRUE(folder.ok()) << folder.error().message();
  return load_prior(*folder).value();
}

Frames grey(const PriorInfo& info, int frames) {
  Frames video(info.views, frames, info.native.height, info.native.width);
  for (float& value : video.values) value = 0.5f;
  return video;
}

TEST(ShippedPrior, DrawsTheSameForAnyNumberOfThreads) {
  const auto prior = shipped();
  const Frames rest = grey(prior->info(), 1);
  const Condition condition = prior->condition({"a dog trots", ""}, &rest).value();
  SampleSettings settings;
  settings.steps = 1;
  set_thread_count(1);
  const Frames one = prior->sample(condition, settings).value();
  set_thread_count(2);
  const Frames two = prior->sample(condition, settings).value();
  set_thread_count(0);
  EXPECT_EQ(one.values, two.values);
}

TEST(ShippedPrior, ScoresAVideoTowardsItsPrompt) {
  const auto prior = shipped();
  const Frames rest = grey(prior->info(), 1), video = grey(prior->info(), prior->info().native.frames);
  const Condition condition = prior->condition({"a dog trots", ""}, &rest).value();
  ScoreSettings settings;
  settings.timestep = 500;
  Frames gradient;
  const ScoreReport report = prior->score(video, condition, settings, gradient).value();
  EXPECT_EQ(report.not_finite, 0);
  EXPECT_GT(report.draws[0].guidance_norm, 1);
  EXPECT_GT(report.gradient_norm, 1);
  EXPECT_EQ(gradient.values.size(), video.values.size());
}

TEST(LoadPrior, NeedsLibTorchForTheBuiltInPriorOnlyWhereItHasNoKernels) {
  const auto folder = nn::find_shipped_model("sketch_prior", is_sketch_model);
  ASSERT_TRUE(folder.ok()) << folder.error().message();
  const auto needs = [&](const char* device, const char* dtype) {
    LoadSettings settings;
    settings.device = device, settings.dtype = dtype;
    return needs_torch(*folder, settings);
  };
  EXPECT_FALSE(needs("auto", "auto"));
  EXPECT_FALSE(needs("cpu", "float32"));
  EXPECT_TRUE(needs("cpu", "bfloat16"));
  EXPECT_EQ(needs("cuda", "auto"), !has_cuda_network());
  EXPECT_EQ(needs("cuda:0", "float32"), !has_cuda_network());
  EXPECT_TRUE(needs("cuda", "bfloat16"));
  EXPECT_TRUE(needs("cuda:1", "auto"));
  if (has_cuda_network()) return;
  const auto refused = CudaSketchNetwork::open(read_sketch_model(*folder).value(), *folder);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kDevice);
}

TEST(LoadPrior, SaysWhatIsMissing) {
  const auto nowhere = load_prior("/nowhere");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().kind, ErrorKind::kMissing);
  const testing::TemporaryFolder folder;
  const auto large = load_prior(folder.path());
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().kind, ErrorKind::kUnsupported) << "this program has no LibTorch";
  EXPECT_NE(large.error().message().find("LibTorch"), std::string::npos);
}

}  // namespace
}  // namespace limber::prior
