// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "limber/distill/distill.h"
#include "limber/kinematics/forward.h"
#include "limber/testing/toy_rigs.h"

/// A swinging toy and priors that know what they want, for this module's tests.
namespace limber::distill {

/// Three joints in a row, a few Gaussians of different colours around each.
struct ToyStage {
  rig::Rig rig;
  splat::Gaussians gaussians;
  kinematics::Motion start, target;  ///< at rest; swinging
  std::vector<rig::BoneBox> boxes;
};

inline ToyStage toy_stage(int frames = 6) {
  rig::Rig rig = testing::toy_rig({.shape = testing::ToyShape::kChain, .joints = 3, .seed = 2});
  splat::Gaussians cloud;
  cloud.influences = 4;
  Rng rng(5);
  std::vector<rig::BoneBox> boxes;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const Vec3 joint = rig.world_from_rest()[static_cast<std::size_t>(j)].translation;
    for (int i = 0; i < 12; ++i) {
      cloud.means.push_back(joint + testing::random_vector(rng, 0.2));
      cloud.rotations.push_back({});
      cloud.scales.push_back({0.09f, 0.09f, 0.09f});
      cloud.opacities.push_back(0.8f);
      Vec3 color;
      for (int k = 0; k < 3; ++k) color[k] = static_cast<float>(rng.uniform(0.05, 0.95));
      cloud.harmonics.push_back(splat::harmonic_from_color(color));
      cloud.bones.insert(cloud.bones.end(), {static_cast<std::uint16_t>(j), 0, 0, 0});
      cloud.weights.insert(cloud.weights.end(), {1.0f, 0.0f, 0.0f, 0.0f});
    }
    rig::BoneBox box;
    box.joint = j, box.centre = joint, box.half = {0.15f, 0.15f, 0.15f};
    boxes.push_back(box);
  }
  kinematics::Motion start = kinematics::rest_motion(rig, frames, 12), target = start;
  for (int f = 0; f < frames; ++f) {
    const auto phase = static_cast<float>(2 * kPi * f / frames);
    target.frame_angles(f)[1] = {0.4f * std::sin(phase), 0, 0.3f * std::cos(phase)};
    target.frame_angles(f)[2] = {0, -0.4f * std::cos(phase), 0};
    target.root_translations[static_cast<std::size_t>(f)] = {0.02f * static_cast<float>(f), 0, 0};
  }
  return {std::move(rig), std::move(cloud), std::move(start), std::move(target), std::move(boxes)};
}

/// Without a ground: the toy may be anywhere.
inline scene::Scene toy_scene(const ToyStage& stage, Device device = Device::kCpu) {
  scene::SceneSettings settings;
  settings.raster.device = device;
  settings.raster.alpha_min = 1e-6, settings.raster.min_transmittance = 1e-12;  // smooth enough for differences
  settings.ground.visible = false;
  settings.hide_depth = -1;
  return scene::Scene(stage.rig, stage.gaussians, settings);
}

/// Where the cameras stood last: what a prior needs that draws the same view of something else.
using SharedCameras = std::shared_ptr<std::vector<scene::Camera>>;

/// Cameras from views around the toy, and a note of them.
inline CameraRule toy_cameras(const SharedCameras& shared, int views = 2, int size = 24) {
  return [shared, views, size](const kinematics::Motion& motion, Rng& rng) {
    const auto turn = static_cast<float>(rng.uniform(-0.3, 0.3));
    shared->clear();
    for (int v = 0; v < views; ++v) {
      const float azimuth = turn + 1.5707963f * static_cast<float>(v);
      for (const Vec3& root : motion.root_translations) {
        const Vec3 eye{3 * std::sin(azimuth), 0.5f, 3 * std::cos(azimuth)};
        shared->push_back(splat::look_at(root + eye, root, {0, 1, 0}, 0.9f, size, size));
      }
    }
    return *shared;
  };
}

/// A prior on pixels: z = 2 x - 1. What it wants to see is up to the child.
class ToyPrior : public prior::VideoPrior {
 public:
  explicit ToyPrior(int views) {
    info_.name = "toy";
    info_.views = views;
    info_.frame_step = 1, info_.latent_channels = 3, info_.latent_reduction = 1;
    info_.prediction = prior::Prediction::kSample;
  }
  const prior::PriorInfo& info() const override { return info_; }
  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition&, const prior::ScoreSettings& settings,
                                   Frames& grad_frames) override {
    ++calls;
    last = settings;
    if (on_score) on_score();
    if (frames.views != info_.views) return Error{"the wrong number of views", info_.name};
    if (settings.iteration == fail_at) return Error{"out of memory", info_.name};
    prior::ScoreReport report;
    report.latent_gradient = wish(frames, settings);
    double squared = 0;
    grad_frames = frames;
    for (std::size_t i = 0; i < frames.values.size(); ++i) {
      squared += double(report.latent_gradient[i]) * double(report.latent_gradient[i]);
      grad_frames.values[i] = 2 * report.latent_gradient[i];
    }
    report.latent_gradient_norm = std::sqrt(squared), report.gradient_norm = 2 * report.latent_gradient_norm;
    const int t = prior::draw_timesteps(settings, info_.train_steps)[0];
    const double s = std::max(t, 1) / static_cast<double>(info_.train_steps);
    report.draws.push_back({t, 1 - s, s, 1, 0, report.latent_gradient_norm});
    if (!settings.return_latent_gradient) report.latent_gradient.clear();
    return report;
  }
  Result<Frames> sample(const prior::Condition&, const prior::SampleSettings&) override {
    return Error{"toys do not dream", info_.name};
  }

  int calls = 0;
  int fail_at = -1;  ///< iteration
  std::function<void()> on_score;
  prior::ScoreSettings last;

 protected:
  /// z - z_hat.
  virtual std::vector<float> wish(const Frames& frames, const prior::ScoreSettings& settings) = 0;

  prior::PriorInfo info_;
};

/// Wants to see a given motion, through the eyes of a scene of its own; what it sees is disturbed by noise.
class TargetPrior : public ToyPrior {
 public:
  TargetPrior(const ToyStage& stage, SharedCameras cameras, double noise = 0, int views = 2)
      : ToyPrior(views), scene_(toy_scene(stage)), motion_(stage.target), cameras_(std::move(cameras)), noise_(noise) {}

 protected:
  std::vector<float> wish(const Frames& frames, const prior::ScoreSettings& settings) override {
    // Group by group, where it sees fewer views than are drawn.
    Frames target;
    scene_.forward(motion_, *cameras_, target);
    const std::size_t count = frames.values.size();
    const std::size_t first = count * (static_cast<std::size_t>(asked_++) % (target.values.size() / count));
    std::vector<float> noise =
        prior::normal_noise(count, settings.seed, static_cast<std::uint64_t>(settings.iteration), 0);
    for (std::size_t i = 0; i < count; ++i) {
      noise[i] = 2 * (frames.values[i] - target.values[first + i]) + static_cast<float>(noise_) * noise[i];
    }
    return noise;
  }

 private:
  scene::Scene scene_;
  kinematics::Motion motion_;
  SharedCameras cameras_;
  double noise_;
  int asked_ = 0;
};

/// Has no opinion: nothing but noise, or not even that.
class NoisePrior : public ToyPrior {
 public:
  explicit NoisePrior(double size, int views = 2) : ToyPrior(views), size_(size) {}
  /// Iterations from `first` on that are not numbers.
  int nan_from = -1, nan_count = 1;

 protected:
  std::vector<float> wish(const Frames& frames, const prior::ScoreSettings& settings) override {
    std::vector<float> noise =
        prior::normal_noise(frames.values.size(), settings.seed, static_cast<std::uint64_t>(settings.iteration), 0);
    for (float& value : noise) value *= static_cast<float>(size_);
    if (nan_from >= 0 && settings.iteration >= nan_from && settings.iteration < nan_from + nan_count) {
      std::fill(noise.begin(), noise.end(), std::numeric_limits<float>::quiet_NaN());
    }
    return noise;
  }

 private:
  double size_;
};

/// Mean distance between the Gaussians of two motions.
inline double distance(const ToyStage& stage, const kinematics::Motion& a, const kinematics::Motion& b) {
  const std::vector<Affine> from = kinematics::bone_matrices(stage.rig, a),
                            to = kinematics::bone_matrices(stage.rig, b);
  const std::size_t bones = stage.rig.bones().size(), count = stage.gaussians.size(), frames = from.size() / bones;
  double sum = 0;
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bone = f * bones + stage.gaussians.bones[4 * i];
      sum += double(norm(from[bone] * stage.gaussians.means[i] - to[bone] * stage.gaussians.means[i]));
    }
  }
  return sum / static_cast<double>(frames * count);
}

}  // namespace limber::distill
