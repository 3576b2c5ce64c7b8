// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/track_fit.h"

#include <gtest/gtest.h>

#include "limber/lift/lift_testing.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::lift {
namespace {

/// A tube of three joints, points all over it, and where a camera sees them in a pose.
struct Case {
  rig::Subject tube = test_tube(3);
  scene::Camera camera = orbit_camera({0.5, 0.2, 3, 0, 0}, {0, 0.5f, 0}, 0.6f, 256, 256);
  std::vector<SkinPoint> points;
  std::vector<PointSighting> sightings;
  kinematics::Pose truth = kinematics::rest_pose(tube.rig), rest = kinematics::rest_pose(tube.rig);
  PoseModel model{tube.rig, {}};
  PosePrior prior;

  explicit Case(double size, std::uint64_t seed = 1) {
    Rng rng(seed);
    for (Vec3& a : truth.angles) a = testing::random_vector(rng, size);
    truth.root_translation = testing::random_vector(rng, 0.1 * size);
    for (std::uint32_t t = 0; t < tube.triangles.size(); ++t) {
      points.push_back(skin_point(tube, t, {0.5f, 0.3f, 0.2f}));
    }
    see();
    prior.mean.assign(static_cast<std::size_t>(model.unknown_count()), 0.0);
    prior.precision.assign(prior.mean.size(), 1e-4);
  }
  void see() {
    sightings.clear();
    model.set(model.unknowns(truth), rest);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Projection image = project_point(camera, model.place(points[k]));
      PointSighting sighting;
      sighting.point = static_cast<int>(k);
      sighting.pixel = {static_cast<float>(image.x), static_cast<float>(image.y)};
      sightings.push_back(sighting);
    }
  }
  FrameProblem problem() const {
    FrameProblem result;
    result.camera = &camera;
    result.points = points, result.sightings = sightings;
    result.prior = &prior, result.base = &rest;
    return result;
  }
  /// Largest distance of a point from where it should be, heights.
  double error(const std::vector<double>& x) {
    double worst = 0;
    PoseModel other(tube.rig, {});
    other.set(other.unknowns(truth), rest);
    model.set(x, rest);
    for (const SkinPoint& point : points) worst = std::max(worst, norm(model.place(point) - other.place(point)));
    return worst;
  }
};

TEST(TrackFitGrad, EnergyFallsAsItsGradientSays) {
  Case test(0.4);
  Rng rng(3);
  for (std::size_t k = 0; k < test.sightings.size(); ++k) {
    PointSighting& sighting = test.sightings[k];
    sighting.pixel.x += static_cast<float>(3 * rng.normal()), sighting.pixel.y += static_cast<float>(3 * rng.normal());
    sighting.weight = static_cast<float>(rng.uniform(0.2, 1));
    if (k % 3 == 0) sighting.direction = {0.6f, -0.8f};
  }
  test.prior.precision.assign(test.prior.precision.size(), 2.0);
  PriorBlock block;
  block.first = 6, block.mean = {0.1, -0.2, 0.3};
  block.precision.m[0] = {3, 1, 0}, block.precision.m[1] = {1, 4, -1}, block.precision.m[2] = {0, -1, 5};
  test.prior.blocks.push_back(block);
  rig::RigDraft draft;
  draft.joints.assign(test.tube.rig.joints().begin(), test.tube.rig.joints().end());
  draft.bones.assign(test.tube.rig.bones().begin(), test.tube.rig.bones().end());
  draft.joints[1].limits = {{-0.05f, -0.05f, -0.05f}, {0.05f, 0.05f, 0.05f}};
  PoseModel limited(rig::build_rig(draft).value(), {});
  std::vector<double> x = limited.unknowns(test.truth), gradient;
  for (double& value : x) value += 0.05 * rng.normal();
  const TrackFitSettings settings;
  track_energy(limited, test.problem(), settings, 4, x, &gradient, nullptr);
  const auto f = [&](std::span<const double> y) {
    return track_energy(limited, test.problem(), settings, 4, y, nullptr, nullptr);
  };
  testing::GradientCheckSettings check_settings;
  check_settings.step = 1e-4;
  const testing::GradientCheck check = testing::check_gradient(f, x, gradient, check_settings);
  EXPECT_LT(check.error, 1e-6) << check.summary();
}

TEST(TrackFit, FindsAPoseFromTheSkinTwistIncluded) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Case test(0.4, seed);
    std::vector<double> x = test.model.unknowns(test.rest);
    const TrackFitReport report = fit_pose(test.model, test.problem(), {}, x);
    EXPECT_LT(test.error(x), 0.01) << "seed " << seed;
    EXPECT_GT(report.inlier_share, 0.99);
    EXPECT_LT(report.residual, 0.2);
  }
}

TEST(TrackFit, FindsTwistFromSkin) {
  Case test(0);
  test.truth.angles[1].y = 0.5f;
  test.see();
  std::vector<double> x = test.model.unknowns(test.rest);
  fit_pose(test.model, test.problem(), {}, x);
  EXPECT_NEAR(x[static_cast<std::size_t>(test.model.first_unknown(1) + 1)], 0.5, 0.03);
}

TEST(TrackFit, IsNotMisledByAThirdOfTheSightings) {
  Case test(0.2, 7);
  Rng rng(9);
  for (std::size_t k = 0; k < test.sightings.size(); k += 3) {
    test.sightings[k].pixel.x += static_cast<float>(rng.uniform(15, 40));
    test.sightings[k].pixel.y -= static_cast<float>(rng.uniform(15, 40));
  }
  std::vector<double> x = test.model.unknowns(test.rest);
  const TrackFitReport report = fit_pose(test.model, test.problem(), {}, x);
  EXPECT_LT(test.error(x), 0.02);
  EXPECT_NEAR(report.inlier_share, 2.0 / 3, 0.1);
}

TEST(TrackFit, StaysWithItsPriorWithoutSightings) {
  Case test(0.3);
  test.sightings.clear();
  test.prior.mean[5] = 0.2;
  std::vector<double> x = test.model.unknowns(test.truth);
  const TrackFitReport report = fit_pose(test.model, test.problem(), {}, x);
  EXPECT_NEAR(x[5], 0.2, 1e-3);
  EXPECT_NEAR(x[6], 0, 1e-3);
  EXPECT_EQ(report.inlier_share, 0);
}

TEST(TrackFit, SurvivesPointsBehindTheCamera) {
  Case test(0.1);
  test.camera = orbit_camera({0, 0, -5, 0, 0}, {0, 0.5f, 0}, 0.6f, 256, 256);
  std::vector<double> x = test.model.unknowns(test.rest);
  fit_pose(test.model, test.problem(), {}, x);
  for (const double value : x) EXPECT_TRUE(std::isfinite(value));
}

TEST(DenseSolve, SolvesAndInverts) {
  DenseSymmetric matrix(3);
  const double values[3][3] = {{4, 1, 0.5}, {1, 3, -0.2}, {0.5, -0.2, 2}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) matrix.at(i, j) = values[i][j];
  }
  ASSERT_TRUE(factorize(matrix));
  for (int i = 0; i < 3; ++i) {
    std::vector<double> unit(3);
    unit[static_cast<std::size_t>(i)] = 1;
    solve_factorized(matrix, unit);
    EXPECT_NEAR(inverse_diagonal(matrix)[static_cast<std::size_t>(i)], unit[static_cast<std::size_t>(i)], 1e-12);
    for (int j = 0; j < 3; ++j) {
      double product = 0;
      for (int k = 0; k < 3; ++k) product += values[j][k] * unit[static_cast<std::size_t>(k)];
      EXPECT_NEAR(product, i == j, 1e-12);
    }
  }
  DenseSymmetric negative(1);
  negative.at(0, 0) = -1;
  EXPECT_FALSE(factorize(negative));
}

}  // namespace
}  // namespace limber::lift
