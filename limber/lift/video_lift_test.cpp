// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/video_lift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/threads.h"
#include "limber/lift/lift_testing.h"

namespace limber::lift {
namespace {

/// Small and quick.
VideoLiftSettings quick(VideoRung rung = VideoRung::kTracks) {
  VideoLiftSettings settings;
  settings.rung = rung;
  settings.max_side = 128, settings.polish_side = 64, settings.gaussians = 600;
  settings.align.azimuths = 12, settings.align.elevations = {0.1f, 0.45f}, settings.align.refined = 3;
  return settings;
}

double largest_turn(const kinematics::Motion& motion) {
  float most = 0;
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    most = std::max(most, norm(motion.angles[i] - motion.angles[i % joints]));
  }
  return static_cast<double>(most);
}

TEST(VideoLift, FollowsACreatureThatItKnows) {
  TestFilmSettings film_settings;
  film_settings.frames = 8, film_settings.fps = 16;
  const TestFilm film = make_film(film_settings);
  const Result<VideoLift> lift =
      lift_video(film.creature.subject, &film.asset, film.video, 16, quick(VideoRung::kPolished));
  ASSERT_TRUE(lift.ok());
  const VideoLiftReport& report = lift->report;
  EXPECT_TRUE(report.trusted) << (report.reasons.empty() ? "" : report.reasons.front());
  EXPECT_GT(report.overlap, 0.85);
  EXPECT_EQ(report.lost_frames, 0);
  EXPECT_EQ(lift->motion.frame_count(), 8);
  EXPECT_EQ(lift->motion.fps, 16);
  ASSERT_EQ(lift->cameras.size(), 8u);
  EXPECT_EQ(lift->observability.frames, 8);
  EXPECT_EQ(lift->observability.joints, film.creature.subject.rig.joint_count());
  const auto seen =
      std::count(lift->observability.sources.begin(), lift->observability.sources.end(), MotionSource::kSeen);
  EXPECT_GT(seen, 4);
  for (const Vec3& a : lift->motion.angles) EXPECT_TRUE(is_finite(a));
}

TEST(VideoLift, OfAStillVideoIsStill) {
  TestFilmSettings film_settings;
  TestFilm film = make_film(film_settings);
  const std::size_t picture = film.video.values.size() / static_cast<std::size_t>(film.video.frames);
  for (std::size_t i = picture; i < film.video.values.size(); ++i)
    film.video.values[i] = film.video.values[i % picture];
  const Result<VideoLift> lift = lift_video(film.creature.subject, &film.asset, film.video, 12, quick());
  ASSERT_TRUE(lift.ok());
  EXPECT_TRUE(lift->report.trusted);
  EXPECT_LT(largest_turn(lift->motion), 0.06);
}

TEST(VideoLift, SaysPlainlyThatItDoesNotTrustNoise) {
  const rig::Subject tube = test_tube(3);
  Frames noise(1, 6, 48, 64);
  Rng rng(3);
  for (float& v : noise.values) v = static_cast<float>(rng.uniform());
  const Result<VideoLift> lift = lift_video(tube, nullptr, noise, 12, quick());
  ASSERT_TRUE(lift.ok());
  EXPECT_FALSE(lift->report.trusted);
  ASSERT_FALSE(lift->report.reasons.empty());
  EXPECT_EQ(lift->motion.frame_count(), 6);
  EXPECT_EQ(largest_turn(lift->motion), 0);
  for (const float c : lift->observability.confidence) EXPECT_EQ(c, 0);
}

TEST(VideoLift, DoesNotTrustAnotherSubject) {
  TestFilmSettings film_settings;
  film_settings.plan = zoo::Plan::kSnake, film_settings.action = zoo::Action::kSlither;
  const TestFilm film = make_film(film_settings);
  const zoo::Creature other = zoo::make_creature({zoo::Plan::kBiped, 2, 32}).value();
  const asset::Asset asset = zoo::static_asset(other);
  const Result<VideoLift> lift = lift_video(other.subject, &asset, film.video, 12, quick());
  ASSERT_TRUE(lift.ok());
  EXPECT_FALSE(lift->report.trusted);
  EXPECT_FALSE(lift->report.reasons.empty());
}

TEST(VideoLift, TakesACameraThatIsGiven) {
  TestFilmSettings film_settings;
  film_settings.frames = 4;
  const TestFilm film = make_film(film_settings);
  VideoLiftSettings settings = quick();
  settings.camera = film.camera;
  settings.max_side = 96;
  const Result<VideoLift> lift = lift_video(film.creature.subject, &film.asset, film.video, 12, settings);
  ASSERT_TRUE(lift.ok());
  const scene::Camera expected = resized(film.camera, 96, 96);
  EXPECT_EQ(lift->cameras.front(), expected);
  EXPECT_TRUE(lift->report.trusted);
}

TEST(VideoLift, SamplesLongAndLargeVideosDown) {
  const rig::Subject tube = test_tube(2);
  const Frames plain(1, 31, 40, 200);
  VideoLiftSettings settings = quick();
  settings.max_frames = 10, settings.max_side = 50;
  const Result<VideoLift> lift = lift_video(tube, nullptr, plain, 30, settings);
  ASSERT_TRUE(lift.ok());
  EXPECT_EQ(lift->report.frame_step, 4);
  EXPECT_EQ(lift->report.frames, 8);
  EXPECT_EQ(lift->report.width, 50);
  EXPECT_EQ(lift->report.height, 10);
  EXPECT_NEAR(lift->motion.fps, 7.5, 1e-9);
  EXPECT_FALSE(lift->report.warnings.empty());
}

TEST(VideoLift, RefusesWhatIsNoVideoAndStopsWhenAsked) {
  const rig::Subject tube = test_tube(2);
  EXPECT_FALSE(lift_video(tube, nullptr, Frames(1, 0, 64, 64), 24).ok());
  EXPECT_FALSE(lift_video(tube, nullptr, Frames(1, 3, 4, 64), 24).ok());
  rig::Subject bare = tube;
  bare.points.clear(), bare.triangles.clear();
  EXPECT_FALSE(lift_video(bare, nullptr, Frames(1, 3, 64, 64), 24).ok());
  VideoLiftSettings settings = quick();
  settings.progress = [](std::string_view, double) { return false; };
  const Result<VideoLift> stopped = lift_video(tube, nullptr, Frames(1, 3, 64, 64), 24, settings);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

TEST(VideoLift, SurvivesNumbersThatAreNone) {
  const rig::Subject tube = test_tube(2);
  Frames video(1, 3, 48, 48);
  for (std::size_t i = 0; i < video.values.size(); i += 5) video.values[i] = std::nanf("");
  for (std::size_t i = 1; i < video.values.size(); i += 7) video.values[i] = 1e30f;
  const Result<VideoLift> lift = lift_video(tube, nullptr, video, 24, quick());
  ASSERT_TRUE(lift.ok());
  for (const Vec3& a : lift->motion.angles) EXPECT_TRUE(is_finite(a));
}

}  // namespace
}  // namespace limber::lift
