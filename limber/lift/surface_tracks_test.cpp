// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/surface_tracks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/threads.h"
#include "limber/lift/follow_surface.h"
#include "limber/lift/lift_testing.h"

namespace limber::lift {
namespace {

kinematics::Pose pose_of(const kinematics::Motion& motion, int frame) {
  const std::span<const Vec3> angles = motion.frame_angles(frame);
  return {motion.root_translations[static_cast<std::size_t>(frame)], {angles.begin(), angles.end()}};
}

std::vector<Pyramid> pyramids_of(const Frames& video) {
  std::vector<Pyramid> result;
  for (int t = 0; t < video.frames; ++t) result.push_back(make_pyramid(brightness(video, 0, t), 3));
  return result;
}

/// Distance of tracked points from where they truly are in a frame, sorted.
std::vector<double> errors(const TestFilm& film, const SurfaceTracks& tracks, int frame) {
  PoseModel model(film.creature.subject.rig, {});
  const kinematics::Pose pose = pose_of(film.truth, frame);
  model.set(model.unknowns(pose), pose);
  std::vector<double> result;
  for (std::size_t k = 0; k < tracks.tracks.size(); ++k) {
    if (!(tracks.at(k, frame).confidence > 0)) continue;
    const Projection image = project_point(film.camera, model.place(tracks.points[k]));
    result.push_back(std::hypot(image.x - static_cast<double>(tracks.at(k, frame).pixel.x),
                                image.y - static_cast<double>(tracks.at(k, frame).pixel.y)));
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(SurfaceTracks, SeedsPointsOnVisibleSkinOfEveryJointSeen) {
  const TestFilm film = make_film({});
  SurfaceViewer viewer(film.creature.subject);
  viewer.set_frame(film.truth, 0);
  SurfaceView view;
  viewer.draw(film.camera, view);
  const std::vector<Pyramid> pyramids = pyramids_of(film.video);
  SurfaceTracker tracker(viewer, film.camera, pyramids, {});
  tracker.seed(0, view);
  const SurfaceTracks& tracks = tracker.tracks();
  EXPECT_GT(tracks.tracks.size(), 40u);
  for (std::size_t k = 0; k < tracks.tracks.size(); ++k) {
    const Vec2 p = tracks.at(k, 0).pixel;
    EXPECT_GT(view.coverage[view.index(static_cast<int>(p.x), static_cast<int>(p.y))], 0.9f);
    for (std::size_t other = 0; other < k; ++other) {
      const Vec2 q = tracks.at(other, 0).pixel;
      EXPECT_GT(std::hypot(p.x - q.x, p.y - q.y), 2.5f);
    }
  }
}

TEST(SurfaceTracks, FollowsSkinThroughAStep) {
  const TestFilm film = make_film({});
  SurfaceViewer viewer(film.creature.subject);
  viewer.set_frame(film.truth, 0);
  SurfaceView view;
  viewer.draw(film.camera, view);
  const std::vector<Pyramid> pyramids = pyramids_of(film.video);
  SurfaceTracker tracker(viewer, film.camera, pyramids, {});
  tracker.seed(0, view);
  PoseModel pose(film.creature.subject.rig, {});
  pose.set(pose.unknowns(pose_of(film.truth, 0)), pose_of(film.truth, 0));
  tracker.advance(0, 1, pose, pose);
  const std::vector<double> off = errors(film, tracker.tracks(), 1);
  ASSERT_GT(off.size(), tracker.tracks().tracks.size() / 2);
  EXPECT_LT(off[off.size() / 2], 0.5);
  EXPECT_LT(off[off.size() * 9 / 10], 2.5);
}

TEST(SurfaceTracks, DropsHiddenPointsAndTakesThemUpAgain) {
  const TestFilm film = make_film({});
  SurfaceViewer viewer(film.creature.subject);
  viewer.set_frame(film.truth, 0);
  SurfaceView view;
  viewer.draw(film.camera, view);
  // The same picture three times: only what the pose says changes.
  const std::vector<Pyramid> one = pyramids_of(film.video);
  const std::vector<Pyramid> pyramids{one[0], one[0], one[0]};
  SurfaceTracker tracker(viewer, film.camera, pyramids, {});
  tracker.seed(0, view);
  PoseModel pose(film.creature.subject.rig, {});
  pose.set(pose.unknowns(pose_of(film.truth, 0)), pose_of(film.truth, 0));
  tracker.advance(0, 1, pose, pose);
  const int before = tracker.tracks().live(1);
  ASSERT_GT(before, 30);

  // Something comes before the left half of the body.
  SurfaceView hidden = view;
  int covered = 0;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width / 2; ++x) hidden.depth[view.index(x, y)] *= 0.5f;
  }
  for (std::size_t k = 0; k < tracker.tracks().tracks.size(); ++k) {
    covered += tracker.tracks().at(k, 1).confidence > 0 &&
               tracker.tracks().at(k, 1).pixel.x < static_cast<float>(view.width / 2);
  }
  ASSERT_GT(covered, 5);
  tracker.verify(1, hidden);
  EXPECT_LE(tracker.tracks().live(1), before - covered + 3);
  for (std::size_t k = 0; k < tracker.tracks().tracks.size(); ++k) {
    const TrackedPoint& point = tracker.tracks().at(k, 1);
    if (!(point.confidence > 0)) continue;
    EXPECT_GT(point.pixel.x, static_cast<float>(view.width / 2) - 2);
  }
  // And goes away again: what was lost is found where the pose says.
  tracker.advance(1, 2, pose, pose);
  tracker.verify(2, view);
  EXPECT_GE(tracker.tracks().live(2), before - 3);
}

TEST(FollowSurface, FollowsAWalkFromAKnownFirstPose) {
  TestFilmSettings settings;
  settings.frames = 10, settings.fps = 16, settings.size = 160;
  const TestFilm film = make_film(settings);
  const Result<Followed> followed =
      follow_surface(film.creature.subject, film.camera, film.video, film.masks, 0, pose_of(film.truth, 0), 16, {});
  ASSERT_TRUE(followed.ok());
  SurfaceViewer viewer(film.creature.subject);
  const std::size_t plane = 160 * 160;
  double overlap = 0;
  for (int t = 0; t < 10; ++t) {
    viewer.set_frame(followed->motion, t);
    SurfaceView view;
    viewer.draw(film.camera, view);
    overlap += 0.1 * silhouette_overlap(view.coverage,
                                        std::span(film.masks).subspan(static_cast<std::size_t>(t) * plane, plane));
  }
  EXPECT_GT(overlap, 0.9);
  const std::vector<double> off = errors(film, followed->tracks, 9);
  ASSERT_GT(off.size(), 30u);
  EXPECT_LT(off[off.size() / 2], 1.5);
}

TEST(FollowSurface, OfAStillPictureIsStill) {
  TestFilmSettings settings;
  settings.size = 96;
  TestFilm film = make_film(settings);
  const std::size_t picture = 3 * 96 * 96;
  for (std::size_t i = picture; i < film.video.values.size(); ++i)
    film.video.values[i] = film.video.values[i % picture];
  for (std::size_t i = 96 * 96; i < film.masks.size(); ++i) film.masks[i] = film.masks[i % (96 * 96)];
  const kinematics::Pose start = pose_of(film.truth, 0);
  const Result<Followed> followed =
      follow_surface(film.creature.subject, film.camera, film.video, film.masks, 3, start, 12, {});
  ASSERT_TRUE(followed.ok());
  float most = 0;
  for (int t = 0; t < film.video.frames; ++t) {
    for (std::size_t j = 0; j < start.angles.size(); ++j) {
      most = std::max(most, norm(followed->motion.frame_angles(t)[j] - followed->motion.frame_angles(3)[j]));
    }
  }
  EXPECT_LT(most, 0.06f);
}

TEST(FollowSurface, GivesTheSameBitsForAnyNumberOfThreads) {
  TestFilmSettings settings;
  settings.frames = 4, settings.size = 96;
  const TestFilm film = make_film(settings);
  const auto run = [&](int threads) {
    set_thread_count(threads);
    Result<Followed> followed =
        follow_surface(film.creature.subject, film.camera, film.video, film.masks, 0, pose_of(film.truth, 0), 12, {});
    set_thread_count(0);
    return std::move(followed).value().motion.angles;
  };
  EXPECT_EQ(run(1), run(3));
}

}  // namespace
}  // namespace limber::lift
