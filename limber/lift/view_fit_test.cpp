// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/scene/scene_testing.h"

namespace limber::lift {
namespace {

constexpr int kFrames = 8, kSize = 40;

/// A trunk with two legs of two bones each, in bright colours, seen from both sides.
struct Puppet {
  rig::Rig rig;
  splat::Gaussians gaussians;
  std::vector<scene::Camera> cameras;

  explicit Puppet(int size = kSize) : rig(make_rig()) {
    bone(0, {0, 0.9f, -0.3f}, {0, 0.9f, 0.3f}, {0.9f, 0.2f, 0.2f});
    bone(1, {0.12f, 0.85f, 0.25f}, {0.12f, 0.5f, 0.25f}, {0.2f, 0.8f, 0.2f});
    bone(2, {0.12f, 0.5f, 0.25f}, {0.12f, 0.12f, 0.25f}, {0.2f, 0.3f, 0.9f});
    bone(3, {-0.12f, 0.85f, -0.25f}, {-0.12f, 0.5f, -0.25f}, {0.8f, 0.8f, 0.1f});
    bone(4, {-0.12f, 0.5f, -0.25f}, {-0.12f, 0.12f, -0.25f}, {0.8f, 0.2f, 0.9f});
    for (const float side : {1.0f, -1.0f}) {
      for (int f = 0; f < kFrames; ++f) {
        cameras.push_back(splat::look_at({2.6f * side, 0.9f, 0.4f}, {0, 0.5f, 0}, {0, 1, 0}, 0.6f, size, size));
      }
    }
  }

  static rig::Rig make_rig() {
    rig::RigDraft draft;
    draft.joints.resize(5);
    const auto place = [&](std::size_t j, const char* name, int parent, Vec3 translation) {
      draft.joints[j].name = name, draft.joints[j].parent = parent, draft.joints[j].rest.translation = translation;
    };
    place(0, "trunk", -1, {0, 0.9f, 0});
    place(1, "hip.L", 0, {0.12f, -0.05f, 0.25f});
    place(2, "knee.L", 1, {0, -0.35f, 0});
    place(3, "hip.R", 0, {-0.12f, -0.05f, -0.25f});
    place(4, "knee.R", 3, {0, -0.35f, 0});
    return rig::build_rig(std::move(draft)).value();
  }

  void bone(std::uint16_t joint, Vec3 from, Vec3 to, Vec3 color) {
    constexpr int kBalls = 8;
    gaussians.influences = 1;
    for (int i = 0; i < kBalls; ++i) {
      const float t = static_cast<float>(i) / (kBalls - 1);
      gaussians.means.push_back(from + t * (to - from));
      gaussians.rotations.push_back({0, 0, 0, 1});
      gaussians.scales.push_back({0.035f, 0.035f, 0.035f});
      gaussians.opacities.push_back(0.95f);
      gaussians.harmonics.push_back(splat::harmonic_from_color(color));
      gaussians.bones.push_back(joint);
      gaussians.weights.push_back(1);
    }
  }

  scene::Scene scene() const {
    scene::SceneSettings settings;
    settings.ground.shadow = 0;
    return {rig, gaussians, settings};
  }

  kinematics::Motion still() const { return kinematics::rest_motion(rig, kFrames, 12); }

  /// Legs that swing against each other, and a trunk that goes up and down.
  kinematics::Motion swing() const {
    kinematics::Motion motion = still();
    for (int f = 0; f < kFrames; ++f) {
      const float wave = std::sin(0.7f * static_cast<float>(f));
      motion.frame_angles(f)[1].x = 0.5f * wave, motion.frame_angles(f)[3].x = -0.45f * wave;
      motion.frame_angles(f)[2].x = 0.3f + 0.2f * wave, motion.frame_angles(f)[4].x = 0.3f - 0.2f * wave;
      motion.root_translations[static_cast<std::size_t>(f)] = {0, 0.03f * wave, 0.02f * wave};
    }
    return motion;
  }

  Frames draw(const kinematics::Motion& motion) const {
    scene::Scene drawing = scene();
    Frames frames;
    drawing.forward(motion, cameras, frames);
    return frames;
  }
};

/// A few steps only, for what does not depend on how good the fit is.
ViewFitSettings brief() {
  ViewFitSettings settings;
  settings.stages = {{2, 4, 0.03, 0.01}, {0.5f, 3, 0.02, 0.005}};
  return settings;
}

float farthest(const kinematics::Motion& a, const kinematics::Motion& b) {
  float result = 0;
  for (std::size_t i = 0; i < a.angles.size(); ++i) result = std::max(result, norm(a.angles[i] - b.angles[i]));
  return result;
}

TEST(ViewFit, RecoversAKnownSwing) {
  const Puppet puppet;
  const kinematics::Motion truth = puppet.swing();
  const Frames target = puppet.draw(truth);
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = puppet.still();
  ASSERT_GT(farthest(motion, truth), 0.45f);
  const Result<ViewFitReport> report = fit_views(scene, puppet.cameras, target, {}, motion);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->iterations, 160);
  EXPECT_EQ(report->not_finite, 0);
  EXPECT_LT(report->residual, 0.05);
  ASSERT_EQ(report->frame_residuals.size(), static_cast<std::size_t>(kFrames));
  for (int f = 0; f < kFrames; ++f) {
    // Smoothness straightens the ends, where nothing comes after.
    const double tolerance = f == 0 || f == kFrames - 1 ? 0.1 : 0.05;
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(motion.frame_angles(f)[j].x, truth.frame_angles(f)[j].x, tolerance)
          << "frame " << f << " joint " << j;
    }
    const auto at = static_cast<std::size_t>(f);
    EXPECT_LT(norm(motion.root_translations[at] - truth.root_translations[at]), 0.02f) << f;
  }
}

TEST(ViewFit, RecoversMostOfItFromPicturesOfHalfTheSize) {
  const Puppet puppet(64);
  const kinematics::Motion truth = puppet.swing();
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = puppet.still();
  ViewFitSettings settings;
  settings.stages = {{4, 60, 0.04, 0.015, true}, {2, 60, 0.03, 0.01, true}};
  ASSERT_TRUE(fit_views(scene, puppet.cameras, puppet.draw(truth), settings, motion).ok());
  for (int f = 1; f + 1 < kFrames; ++f) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(motion.frame_angles(f)[j].x, truth.frame_angles(f)[j].x, 0.12) << "frame " << f << " joint " << j;
    }
  }
}

TEST(ViewFit, StaysWhereThePicturesAgreeAlready) {
  const Puppet puppet;
  const kinematics::Motion truth = puppet.swing();
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = truth;
  ViewFitSettings settings;
  settings.smooth_weight = settings.rest_weight = settings.limit_weight = 0;
  settings.stages = {{1, 10, 0.01, 0.003}};
  const Result<ViewFitReport> report = fit_views(scene, puppet.cameras, puppet.draw(truth), settings, motion);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(motion.angles, truth.angles);
  EXPECT_EQ(report->loss, 0);
  EXPECT_EQ(report->residual, 0);
}

TEST(ViewFit, JointsThatAreNotFreeDoNotTurn) {
  const Puppet puppet;
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = puppet.still();
  ViewFitSettings settings = brief();
  settings.free = {true, true, false, true, false};
  ASSERT_TRUE(fit_views(scene, puppet.cameras, puppet.draw(puppet.swing()), settings, motion).ok());
  for (int f = 0; f < kFrames; ++f) {
    EXPECT_EQ(motion.frame_angles(f)[2], Vec3{});
    EXPECT_EQ(motion.frame_angles(f)[4], Vec3{});
  }
  EXPECT_GT(farthest(motion, puppet.still()), 0.01f);
}

/// Spoils the gradient a few times.
class Spoiler final : public kinematics::MotionEnergy {
 public:
  explicit Spoiler(int times) : times_(times) {}
  double add(const kinematics::Motion&, double, kinematics::MotionGradient& gradient) const override {
    if (times_-- > 0) gradient.angles[1].x = std::numeric_limits<float>::quiet_NaN();
    return 0;
  }

 private:
  mutable int times_;
};

TEST(ViewFit, SkipsStepsThatAreNotFinite) {
  const Puppet puppet;
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = puppet.still();
  ViewFitSettings settings = brief();
  settings.energies = {{"spoiler", 1, std::make_shared<Spoiler>(3)}};
  const Result<ViewFitReport> report = fit_views(scene, puppet.cameras, puppet.draw(puppet.swing()), settings, motion);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->not_finite, 3);
  EXPECT_EQ(report->iterations, 7);
  for (const Vec3& v : motion.angles) EXPECT_TRUE(is_finite(v));
  EXPECT_GT(farthest(motion, puppet.still()), 0.01f);
}

TEST(ViewFit, StopsWhenItIsCancelled) {
  const Puppet puppet;
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = puppet.still();
  ViewFitSettings settings = brief();
  double told = -1;
  settings.progress = [&](std::string_view, double fraction) {
    EXPECT_GT(fraction, told);
    told = fraction;
    return fraction < 0.4;
  };
  const Result<ViewFitReport> report = fit_views(scene, puppet.cameras, puppet.draw(puppet.swing()), settings, motion);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled);
  EXPECT_LT(told, 0.6);
}

TEST(ViewFit, GivesTheSameBitsForAnyThreadCount) {
  const Puppet puppet;
  const Frames target = puppet.draw(puppet.swing());
  std::vector<kinematics::Motion> motions;
  std::vector<double> losses;
  for (const int threads : {1, 2, 5}) {
    set_thread_count(threads);
    scene::Scene scene = puppet.scene();
    motions.push_back(puppet.still());
    losses.push_back(fit_views(scene, puppet.cameras, target, brief(), motions.back()).value().loss);
  }
  set_thread_count(0);
  for (std::size_t i = 1; i < motions.size(); ++i) {
    EXPECT_EQ(motions[i].angles, motions[0].angles);
    EXPECT_EQ(motions[i].root_translations, motions[0].root_translations);
    EXPECT_EQ(losses[i], losses[0]);
  }
}

TEST(ViewFit, RefusesVideosOfAnotherShape) {
  const Puppet puppet;
  scene::Scene scene = puppet.scene();
  kinematics::Motion motion = puppet.still();
  EXPECT_THROW((void)fit_views(scene, puppet.cameras, Frames(2, kFrames + 1, kSize, kSize), brief(), motion),
               ContractError);
  EXPECT_THROW((void)fit_views(scene, puppet.cameras, Frames(1, kFrames, kSize, kSize), brief(), motion),
               ContractError);
  EXPECT_THROW((void)fit_views(scene, puppet.cameras, Frames(2, kFrames, kSize, kSize + 1), brief(), motion),
               ContractError);
}

Frames random_frames(int height, int width, std::uint64_t seed) {
  Rng rng(seed);
  Frames frames(2, 2, height, width);
  for (float& v : frames.values) v = static_cast<float>(rng.normal());
  return frames;
}

double inner(const Frames& a, const Frames& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += double(a.values[i]) * double(b.values[i]);
  return sum;
}

TEST(BlurFrames, IsItsOwnAdjoint) {
  for (const float sigma : {0.05f, 0.3f, 1.0f, 4.0f, 20.0f}) {
    for (const auto& [height, width] : {std::pair{13, 22}, std::pair{1, 9}, std::pair{7, 1}}) {
      const Frames x = random_frames(height, width, 1), y = random_frames(height, width, 2);
      Frames ax = x, ay = y;
      blur_frames(ax, sigma), blur_frames(ay, sigma);
      const double scale = std::sqrt(inner(x, x) * inner(y, y));
      EXPECT_NEAR(inner(ax, y), inner(x, ay), 1e-6 * scale) << sigma << " on " << height << " x " << width;
    }
  }
}

TEST(BlurFrames, KeepsTheSumOfADotAndItsWidth) {
  Frames frames(1, 1, 41, 41);
  frames.values[20 * 41 + 20] = 1;
  blur_frames(frames, 2.5f);
  double sum = 0, square = 0;
  for (int y = 0; y < 41; ++y) {
    for (int x = 0; x < 41; ++x) {
      const double v = frames.values[static_cast<std::size_t>(y * 41 + x)];
      sum += v, square += v * (x - 20) * (x - 20);
      EXPECT_FLOAT_EQ(frames.values[static_cast<std::size_t>(y * 41 + x)],
                      frames.values[static_cast<std::size_t>(x * 41 + y)]);
    }
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_NEAR(std::sqrt(square), 2.5, 0.05);
  // The other channels stay black.
  for (std::size_t i = 41 * 41; i < frames.values.size(); ++i) EXPECT_EQ(frames.values[i], 0);
}

TEST(BlurFrames, WeighsEveryNeighbour) {
  const Frames x = random_frames(11, 14, 4);
  constexpr float kSigma = 1.3f;
  Frames blurred = x;
  blur_frames(blurred, kSigma);
  const auto weight = [](int d) { return std::abs(d) <= 4 ? std::exp(-0.5 * d * d / (kSigma * kSigma)) : 0; };
  double all = 0;
  for (int d = -4; d <= 4; ++d) all += weight(d);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const int row = static_cast<int>(i / 14 % 11), column = static_cast<int>(i % 14);
    double sum = 0;
    for (int r = 0; r < 11; ++r) {
      for (int c = 0; c < 14; ++c) {
        sum +=
            weight(r - row) * weight(c - column) * x.values[i - i % (11 * 14) + static_cast<std::size_t>(r * 14 + c)];
      }
    }
    ASSERT_NEAR(blurred.values[i], sum / (all * all), 1e-5) << i;
  }
}

TEST(BlurFrames, TakesNoBlurAndNoPictures) {
  const Frames x = random_frames(5, 6, 3);
  Frames same = x;
  blur_frames(same, 0);
  EXPECT_EQ(same.values, x.values);
  Frames none(2, 0, 0, 0);
  blur_frames(none, 3);
  EXPECT_TRUE(none.values.empty());
}

TEST(BodyShare, CountsColouredPixels) {
  Frames frames(1, 1, 2, 5);
  for (float& v : frames.values) v = 0.5f;
  frames.values[3] = 0.9f;        // red of pixel 3
  frames.values[2 * 10] = 0.3f;   // blue of pixel 0
  frames.values[10 + 7] = 0.55f;  // too pale
  EXPECT_NEAR(body_share(frames), 0.2, 1e-12);
  EXPECT_NEAR(colourfulness(frames, 0, 0, 0, 3), 0.4f, 1e-6f);
  EXPECT_EQ(body_share(Frames(2, 0, 4, 4)), 0);
}

}  // namespace
}  // namespace limber::lift
