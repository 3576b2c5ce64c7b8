// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/asset/subject_mask.h"
#include "limber/lift/lift_testing.h"

namespace limber::lift {
namespace {

using asset::keep_large_pieces;
using asset::segment;
using asset::Segmentation;
using asset::SegmentMethod;

/// Mean overlap with the true masks.
double overlap(const Segmentation& found, const TestFilm& film) {
  const std::size_t plane = static_cast<std::size_t>(film.video.width) * static_cast<std::size_t>(film.video.height);
  double sum = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(film.video.frames); ++t) {
    sum += silhouette_overlap(std::span(found.masks).subspan(t * plane, plane),
                              std::span(film.masks).subspan(t * plane, plane));
  }
  return sum / film.video.frames;
}

TEST(Segment, FindsASubjectBeforeAPlainBackgroundEvenIfItHardlyMoves) {
  TestFilmSettings settings;
  settings.action = zoo::Action::kIdle;
  settings.size = 96;
  const TestFilm film = make_film(settings);
  const std::vector<Segmentation> found = segment(film.video);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.front().method, SegmentMethod::kStill);
  EXPECT_GT(found.front().trust, 0.8);
  EXPECT_GT(overlap(found.front(), film), 0.93);
}

TEST(Segment, SurvivesNoiseAndChangesOfLight) {
  TestFilmSettings settings;
  settings.size = 96;
  TestFilm film = make_film(settings);
  for (std::size_t i = 0; i < film.video.values.size(); ++i) {
    const std::size_t frame = i / (film.video.values.size() / static_cast<std::size_t>(film.video.frames));
    film.video.values[i] *= 0.9f + 0.02f * static_cast<float>(frame);
  }
  add_noise(film.video, 0.02, 3);
  EXPECT_GT(overlap(segment(film.video).front(), film), 0.9);
}

TEST(Segment, FindsSomethingThatMovesBeforeABusyBackground) {
  // A disc of many colours crosses a picture of many colours that stays.
  Frames video(1, 16, 64, 64);
  Rng rng(2);
  std::vector<float> busy(3 * 64 * 64);
  for (float& v : busy) v = static_cast<float>(rng.uniform());
  std::vector<float> truth;
  for (int t = 0; t < 16; ++t) {
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 64; ++x) {
        const bool disc = std::hypot(x - 8 - 3 * t, y - 32) < 9;
        truth.push_back(disc ? 1.0f : 0.0f);
        for (int c = 0; c < 3; ++c) {
          const auto at = static_cast<std::size_t>((c * 64 + y) * 64 + x);
          video.values[static_cast<std::size_t>(t) * busy.size() + at] =
              disc ? 1 - busy[at] * 0.2f * static_cast<float>(c + 1) : busy[at] * 0.7f;
        }
      }
    }
  }
  const std::vector<Segmentation> found = segment(video);
  const auto still =
      std::find_if(found.begin(), found.end(), [](const Segmentation& s) { return s.method == SegmentMethod::kStill; });
  ASSERT_NE(still, found.end());
  EXPECT_GT(silhouette_overlap(still->masks, truth), 0.8);
}

TEST(Segment, TrustsNeitherNoiseNorAnEmptyPicture) {
  Frames noise(1, 6, 48, 64);
  Rng rng(4);
  for (float& v : noise.values) v = static_cast<float>(rng.uniform());
  for (const Segmentation& found : segment(noise)) EXPECT_LT(found.trust, 0.3) << name(found.method);
  Frames plain(1, 6, 48, 64);
  for (float& v : plain.values) v = 0.5f;
  for (const Segmentation& found : segment(plain)) {
    EXPECT_EQ(found.trust, 0) << name(found.method);
    for (const float m : found.masks) EXPECT_EQ(m, 0);
  }
  EXPECT_TRUE(segment(Frames(1, 0, 48, 64)).empty());
}

TEST(Segment, KeepsLargePieces) {
  std::vector<float> mask(20 * 10);
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) mask[static_cast<std::size_t>(y * 20 + x)] = 1;
  }
  mask[15] = 1;
  for (int y = 0; y < 8; ++y) mask[static_cast<std::size_t>(y * 20 + 12)] = 1;
  EXPECT_NEAR(keep_large_pieces(mask, 20, 10, 0.1), 64.0 / 73, 1e-9);
  EXPECT_EQ(mask[15], 0);
  EXPECT_EQ(mask[12], 1);
  EXPECT_EQ(mask[0], 1);
}

}  // namespace
}  // namespace limber::lift
