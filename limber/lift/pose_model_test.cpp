// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/pose_model.h"

#include <gtest/gtest.h>

#include "limber/kinematics/forward.h"
#include "limber/lift/lift_testing.h"
#include "limber/scene/body_splats.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::lift {
namespace {

/// A rig of every oddity, and a few points on it.
struct Case {
  rig::Rig rig;
  std::vector<SkinPoint> points;
  kinematics::Pose pose;
};

Case odd_case(std::uint64_t seed) {
  testing::ToyRigSettings settings;
  settings.joints = 7, settings.scales = true, settings.axes = true, settings.frames = true;
  settings.extra_bones = 2, settings.seed = seed;
  Case result{testing::toy_rig(settings), {}, {}};
  Rng rng(seed);
  for (int k = 0; k < 4; ++k) {
    SkinPoint point;
    for (int term = 0; term < 3; ++term) {
      const int bone = static_cast<int>(rng.below(static_cast<std::uint32_t>(result.rig.bone_count())));
      point.push_back({bone, (1.0 / 3) * testing::random_vector(rng).cast<double>(), 1.0 / 3});
    }
    result.points.push_back(point);
  }
  result.pose = kinematics::rest_pose(result.rig);
  for (Vec3& a : result.pose.angles) a = testing::random_vector(rng, 0.8);
  result.pose.root_translation = testing::random_vector(rng);
  return result;
}

TEST(PoseModelGrad, PointsMoveAsTheirDerivativesSayOnAnyRig) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Case test = odd_case(seed);
    std::vector<bool> free(static_cast<std::size_t>(test.rig.joint_count()), true);
    free[2] = false;
    PoseModel model(test.rig, free);
    const std::vector<double> x = model.unknowns(test.pose);
    Rng rng(seed + 10);
    for (const SkinPoint& point : test.points) {
      const Vec3d along = testing::random_vector(rng).cast<double>();
      model.set(x, test.pose);
      std::vector<PointDerivative> moves;
      model.derivatives(point, moves);
      std::vector<double> gradient(x.size());
      for (const PointDerivative& move : moves) {
        gradient[static_cast<std::size_t>(move.unknown)] += dot(along, move.motion);
      }
      const auto f = [&](std::span<const double> y) {
        model.set(y, test.pose);
        return dot(along, model.place(point));
      };
      const testing::GradientCheck check = testing::check_gradient(f, x, gradient);
      EXPECT_LT(check.error, 1e-5) << check.summary();  // quaternions of rigs are unit to float alone
    }
  }
}

TEST(PoseModelGrad, PixelsMoveAsTheirDerivativesSay) {
  const scene::Camera camera = orbit_camera({0.7, 0.3, 2.5, 0.1, -0.2}, {0.1f, 0.5f, 0}, 0.6f, 200, 120);
  const Vec3d point{0.2, 0.7, -0.3};
  const std::vector<double> x{point.x, point.y, point.z};
  const Projection image = project_point(camera, point);
  for (const bool down : {false, true}) {
    const Vec3d slope = down ? image.dy : image.dx;
    const auto f = [&](std::span<const double> p) {
      const Projection at = project_point(camera, {p[0], p[1], p[2]});
      return down ? at.y : at.x;
    };
    const testing::GradientCheck check = testing::check_gradient(f, x, std::vector{slope.x, slope.y, slope.z});
    EXPECT_LT(check.error, 1e-8) << check.summary();
  }
}

TEST(PoseModel, PutsPointsWhereSkinningPutsThem) {
  const rig::Subject tube = test_tube(4);
  kinematics::Pose pose = kinematics::rest_pose(tube.rig);
  Rng rng(5);
  for (Vec3& a : pose.angles) a = testing::random_vector(rng, 0.5);
  SurfaceViewer viewer(tube);
  viewer.set_pose(pose);
  PoseModel model(tube.rig, {});
  model.set(model.unknowns(pose), pose);
  const Vec3 inside{0.2f, 0.5f, 0.3f};
  for (std::uint32_t t = 0; t < tube.triangles.size(); ++t) {
    const Vec3 expected = viewer.place(t, inside);
    const Vec3d placed = model.place(skin_point(tube, t, inside));
    EXPECT_LT(norm(placed - expected.cast<double>()), 1e-5);
  }
}

TEST(PoseModel, PutsGaussiansWhereTheirBonesPutThem) {
  const rig::Subject tube = test_tube(4);
  splat::SampleSettings sampling;
  sampling.count = 50;
  const splat::Gaussians cloud = scene::subject_gaussians(tube, nullptr, sampling);
  kinematics::Pose pose = kinematics::rest_pose(tube.rig);
  Rng rng(6);
  for (Vec3& a : pose.angles) a = testing::random_vector(rng, 0.5);
  const std::vector<Affine> bones = kinematics::bone_matrices(tube.rig, pose);
  PoseModel model(tube.rig, {});
  model.set(model.unknowns(pose), pose);
  ASSERT_GT(cloud.size(), 0u);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    Vec3 expected;
    const auto stride = static_cast<std::size_t>(cloud.influences);
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      expected += cloud.weights[k] * (bones[cloud.bones[k]] * cloud.means[i]);
    }
    EXPECT_LT(norm(model.place(skin_point(cloud, i)) - expected.cast<double>()), 1e-5);
  }
}

TEST(PoseModel, GivesUnknownsBack) {
  const Case test = odd_case(4);
  PoseModel model(test.rig, {});
  const kinematics::Pose back = model.pose(model.unknowns(test.pose), kinematics::rest_pose(test.rig));
  EXPECT_EQ(back.angles, test.pose.angles);
  EXPECT_EQ(back.root_translation, test.pose.root_translation);
}

}  // namespace
}  // namespace limber::lift
