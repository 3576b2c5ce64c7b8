// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/refine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/scene/body_splats.h"
#include "limber/splat/surface.h"
#include "limber/zoo/creature.h"

namespace limber::scene {
namespace {

/// A creature as a body at rest.
struct Model {
  zoo::Creature creature;
  asset::Asset asset;
  Body body;
  BodyPose pose;

  static Model make() {
    zoo::CreatureSettings settings;
    settings.seed = 7, settings.resolution = 40;
    return Model(zoo::make_creature(settings).value());
  }
  Box box() const { return pose_box(body.mesh(), pose); }
  splat::Gaussians gaussians(std::size_t count, int size = 64) const {
    return body_gaussians(body, pose, fine_sampling(count), silhouette_inset(box(), size));
  }

 private:
  explicit Model(zoo::Creature c)
      : creature(std::move(c)),
        asset(zoo::static_asset(creature)),
        body(Body::from_subject(asset, creature.subject).value()) {
    body.pose(asset::rest_state(asset), pose);
  }
};

const Model& model() {
  static const Model shared = Model::make();
  return shared;
}

RefineSettings quick() {
  RefineSettings settings;
  settings.views = 24, settings.size = 64, settings.steps = 60;
  return settings;
}

TEST(Refine, MakesSampledGaussiansMoreLikeTheMeshFromViewsItHasNotSeen) {
  const ViewRenderer render = body_renderer(model().body, model().pose);
  const std::vector<Camera> unseen = random_views(model().box(), 6, 64, 99);
  splat::Gaussians gaussians = model().gaussians(1500);
  const Likeness before = compare_views(gaussians, render, unseen);
  EXPECT_GT(before.psnr, 22);
  const Result<RefineReport> report = refine(gaussians, model().box(), render, quick());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->steps, 60);
  const Likeness after = compare_views(gaussians, render, unseen);
  EXPECT_GT(after.psnr, before.psnr + 3);
  EXPECT_GT(after.body_psnr, before.body_psnr + 3);
  // What it does not touch.
  EXPECT_EQ(gaussians.size(), 1500u);
  EXPECT_EQ(gaussians.weights, model().gaussians(1500).weights);
}

TEST(Refine, LearnsColoursThatDependOnTheView) {
  // A body that is red from the right and blue from the left.
  const ViewRenderer plain = body_renderer(model().body, model().pose);
  const ViewRenderer render = [&](const Camera& camera, std::span<Vec3> colors, std::span<float> alphas) {
    plain(camera, colors, alphas);
    const float side = 0.5f + 0.5f * normalized(splat::camera_center(camera)).x;
    for (std::size_t p = 0; p < colors.size(); ++p) colors[p] = alphas[p] * Vec3{side, 0.3f, 1 - side};
  };
  const std::vector<Camera> unseen = random_views(model().box(), 6, 48, 5);
  double psnr[2];
  for (const int degree : {0, 1}) {
    splat::Gaussians gaussians = model().gaussians(500);
    RefineSettings settings = quick();
    settings.degree = degree, settings.steps = 200, settings.size = 48;
    settings.color_rate = settings.harmonic_rate = 0.05;  // far to go
    ASSERT_TRUE(refine(gaussians, model().box(), render, settings).ok());
    EXPECT_EQ(gaussians.degree, degree);
    EXPECT_EQ(gaussians.harmonics.size(), gaussians.size() * (degree == 0 ? 1u : 4u));
    psnr[degree] = compare_views(gaussians, render, unseen).body_psnr;
  }
  EXPECT_GT(psnr[1], psnr[0] + 3);
}

TEST(Refine, HasTheSameBitsForTheSameSeedAndAnyNumberOfThreads) {
  const ViewRenderer render = body_renderer(model().body, model().pose);
  const int before = thread_count();
  std::vector<splat::Gaussians> results;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    results.push_back(model().gaussians(300));
    RefineSettings settings = quick();
    settings.steps = 8, settings.views = 6;
    ASSERT_TRUE(refine(results.back(), model().box(), render, settings).ok());
  }
  set_thread_count(before);
  EXPECT_EQ(results[0], results[1]);
}

TEST(Refine, CanBeCancelled) {
  splat::Gaussians gaussians = model().gaussians(200);
  int calls = 0;
  const auto progress = [&](std::string_view, double fraction) {
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    return ++calls < 30;
  };
  const Result<RefineReport> report =
      refine(gaussians, model().box(), body_renderer(model().body, model().pose), quick(), progress);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled);
}

TEST(Refine, StopsWhenItsTimeIsUp) {
  splat::Gaussians gaussians = model().gaussians(200);
  RefineSettings settings = quick();
  settings.steps = 1000000, settings.seconds = 0.3;
  const Result<RefineReport> report =
      refine(gaussians, model().box(), body_renderer(model().body, model().pose), settings);
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report->steps, settings.steps);
}

TEST(Refine, LeavesAnEmptyCloudAlone) {
  splat::Gaussians none;
  const ViewRenderer render = body_renderer(model().body, model().pose);
  EXPECT_TRUE(refine(none, model().box(), render, quick()).ok());
  EXPECT_EQ(none.size(), 0u);
}

TEST(Refine, FittedCamerasSeeTheWholeBoxAndNotMuchMore) {
  Box box;
  box.low = {-1, 0, -0.2f}, box.high = {0.5f, 1, 0.3f};
  for (const Camera& camera : random_views(box, 40, 100, 3)) {
    double reach = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 p{corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                   corner & 4 ? box.high.z : box.low.z};
      const Vec3 seen = camera.camera_from_world * p;
      ASSERT_GT(seen.z, 0);
      reach = std::max(
          {reach, std::abs(double(camera.fx * seen.x / seen.z)), std::abs(double(camera.fy * seen.y / seen.z))});
    }
    EXPECT_NEAR(reach, 0.9 * 50, 0.1);
  }
}

TEST(BodySplats, AreLikeTheMeshWithoutRefinement) {
  const splat::Gaussians gaussians = model().gaussians(8000, 128);
  const Likeness likeness =
      compare_views(gaussians, body_renderer(model().body, model().pose), random_views(model().box(), 5, 128, 1));
  EXPECT_GT(likeness.psnr, 27);
}

}  // namespace
}  // namespace limber::scene
