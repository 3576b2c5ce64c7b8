// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/video_sample.h"

#include <gtest/gtest.h>

#include <fstream>

#include "limber/asset/video.h"
#include "limber/testing/shared_data.h"

namespace limber::lift {
namespace {

TEST(VideoSample, KeepsLongAndLargeVideosSmall) {
  const testing::TemporaryFolder folder;
  Frames video(1, 21, 48, 64);
  for (int t = 0; t < 21; ++t) {
    const std::size_t picture = 3 * 48 * 64;
    std::fill_n(video.values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(t) * picture), picture,
                static_cast<float>(t) / 20);
  }
  asset::VideoSettings settings;
  settings.fps = 10;
  const Status written = asset::write_video(video, 0, folder.path() / "clip.mp4", settings);
  if (!written.ok()) GTEST_SKIP() << written.error().message();
  const Result<SampledVideo> whole = sample_video(folder.path() / "clip.mp4");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->frames.frames, 21);
  EXPECT_EQ(whole->frames.width, 64);
  EXPECT_EQ(whole->step, 1);
  EXPECT_NEAR(whole->fps, 10, 1e-6);
  const Result<SampledVideo> sampled = sample_video(folder.path() / "clip.mp4", 32, 8);
  ASSERT_TRUE(sampled.ok());
  EXPECT_EQ(sampled->frames.width, 32);
  EXPECT_EQ(sampled->frames.height, 24);
  EXPECT_EQ(sampled->step, 4);
  EXPECT_EQ(sampled->frames.frames, 6);
  EXPECT_NEAR(sampled->fps, 2.5, 1e-6);
  EXPECT_NEAR(sampled->frames.values[3 * 32 * 24 * 5], 1, 0.03f);
  const Result<SampledVideo> cut = sample_video(folder.path() / "clip.mp4", 32, 8, 5);
  ASSERT_TRUE(cut.ok());
  EXPECT_FALSE(cut->whole);
  EXPECT_EQ(cut->frames.frames, 5);
}

TEST(VideoSample, RefusesWhatIsNoVideo) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "clip.mp4") << "not a video";
  EXPECT_FALSE(sample_video(folder.path() / "clip.mp4").ok());
  EXPECT_FALSE(sample_video(folder.path() / "none.mp4").ok());
}

}  // namespace
}  // namespace limber::lift
