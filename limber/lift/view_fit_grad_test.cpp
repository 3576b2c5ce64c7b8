// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss.h"
#include "limber/scene/scene_testing.h"
#include "limber/testing/gradient_check.h"

namespace limber::lift {
namespace {

/// One colour plane blurred in double.
std::vector<double> blurred(const std::vector<double>& plane, int height, int width, double sigma) {
  if (sigma < 0.1) return plane;
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  double sum = 0;
  for (int k = -radius; k <= radius; ++k) sum += std::exp(-0.5 * k * k / (sigma * sigma));
  const auto pass = [&](const std::vector<double>& from, int dx, int dy) {
    std::vector<double> to(from.size());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int k = -radius; k <= radius; ++k) {
          const int u = x + k * dx, v = y + k * dy;
          if (u < 0 || u >= width || v < 0 || v >= height) continue;
          to[static_cast<std::size_t>(y * width + x)] +=
              std::exp(-0.5 * k * k / (sigma * sigma)) / sum * from[static_cast<std::size_t>(v * width + u)];
        }
      }
    }
    return to;
  };
  return pass(pass(plane, 1, 0), 0, 1);
}

/// The robust error of one frame's pictures, written plainly.
double plain_loss(const std::vector<Vec3d>& pixels, const Frames& target, std::size_t frame, double blur, double corner,
                  double per_pixel) {
  const std::size_t plane = static_cast<std::size_t>(target.height) * static_cast<std::size_t>(target.width);
  double sum = 0;
  for (std::size_t view = 0; view < static_cast<std::size_t>(target.views); ++view) {
    const std::size_t image = view * static_cast<std::size_t>(target.frames) + frame;
    std::vector<double> squares(plane);
    for (int k = 0; k < 3; ++k) {
      std::vector<double> difference(plane);
      for (std::size_t i = 0; i < plane; ++i) {
        difference[i] =
            pixels[view * plane + i][k] - double(target.values[(3 * image + static_cast<std::size_t>(k)) * plane + i]);
      }
      difference = blurred(difference, target.height, target.width, blur);
      for (std::size_t i = 0; i < plane; ++i) squares[i] += difference[i] * difference[i];
    }
    for (const double square : squares) sum += corner * corner * (std::sqrt(1 + square / (corner * corner)) - 1);
  }
  return per_pixel * sum;
}

TEST(ViewFitGrad, MatchesDifferencesOfTheWholeChainInDouble) {
  for (const float blur : {0.0f, 1.3f}) {
    scene::TestStage stage = scene::toy_stage(24, 2, 2);
    stage.settings.raster = scene::gentle_settings();
    scene::Scene scene(stage.rig, stage.gaussians, stage.settings);
    Frames target;
    scene.forward(scene::random_motion(stage.rig, 2, 0.3, 77), stage.cameras, target);
    constexpr float kCorner = 0.15f;
    constexpr double kShare = 0.3;
    ViewLoss loss(scene, stage.cameras, target, kCorner, kShare);
    kinematics::MotionGradient gradient;
    const PixelLoss found = loss.add(stage.motion, blur, gradient);

    const scene::ReferenceScene reference(stage);
    const double per_pixel = 1 / (kShare * static_cast<double>(target.values.size()) / 3);
    const auto joints = static_cast<std::size_t>(stage.motion.joint_count);
    double total = 0;
    for (std::size_t f = 0; f < 2; ++f) {
      std::vector<double> x, analytic;
      const auto push = [](std::vector<double>& to, Vec3 v) {
        to.insert(to.end(), {double(v.x), double(v.y), double(v.z)});
      };
      push(x, stage.motion.root_translations[f]), push(analytic, gradient.root_translations[f]);
      for (std::size_t j = 0; j < joints; ++j) {
        push(x, stage.motion.angles[f * joints + j]), push(analytic, gradient.angles[f * joints + j]);
      }
      const auto value = [&](std::span<const double> at) {
        kinematics::FrameBufferT<double> buffer;
        kinematics::FrameT<double> frame =
            kinematics::motion_frame(stage.rig, stage.motion, static_cast<int>(f), buffer);
        frame.root_translation = {at[0], at[1], at[2]};
        for (std::size_t j = 0; j < joints; ++j) buffer.angles[j] = {at[3 + 3 * j], at[4 + 3 * j], at[5 + 3 * j]};
        return plain_loss(reference.draw(f, frame), target, f, double(blur), double(kCorner), per_pixel);
      };
      total += value(x);
      const testing::GradientCheck check = testing::check_gradient(value, x, analytic, {1e-3, {}, 1e-2});
      EXPECT_LT(check.error, 2e-3) << "frame " << f << " blur " << blur << ": " << check.summary();
    }
    EXPECT_NEAR(found.value, total, 1e-4 * total);
  }
}

TEST(ViewFitGrad, OfTheRestTermMatchesDifferences) {
  const rig::Rig rig = testing::toy_rig({.joints = 4});
  const kinematics::Motion motion = scene::random_motion(rig, 3, 0.5, 5);
  kinematics::MotionGradient gradient;
  gradient.angles.resize(motion.angles.size());
  add_rest(motion, 0.7, gradient);
  std::vector<double> x, analytic;
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    for (int k = 0; k < 3; ++k)
      x.push_back(double(motion.angles[i][k])), analytic.push_back(double(gradient.angles[i][k]));
  }
  const auto value = [&](std::span<const double> at) {
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) sum += i / 3 % 4 == 0 ? 0 : at[i] * at[i];
    return 0.7 * sum / static_cast<double>(motion.angles.size());
  };
  EXPECT_LT(testing::check_gradient(value, x, analytic).error, 1e-5);
  EXPECT_NEAR(add_rest(motion, 0.7, gradient), value(x), 1e-6);
}

}  // namespace
}  // namespace limber::lift
