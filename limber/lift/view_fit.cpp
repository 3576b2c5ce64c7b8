// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/motion_adam.h"
#include "limber/lift/device_fit.h"
#include "limber/lift/image_kernels.h"
#include "limber/lift/view_loss.h"

namespace limber::lift {
namespace {

constexpr int kLeastSide = 48;  ///< of pictures that are halved

bool can_halve(const Frames& frames) {
  return std::min(frames.width, frames.height) >= kLeastSide && frames.width % 2 == 0 && frames.height % 2 == 0;
}

/// Every pixel the mean of four.
Frames halved(const Frames& frames) {
  Frames half(frames.views, frames.frames, frames.height / 2, frames.width / 2);
  const auto width = static_cast<std::size_t>(half.width), wide = static_cast<std::size_t>(frames.width);
  for (std::size_t i = 0; i < half.values.size(); ++i) {
    // Rows of all pictures follow each other, and all pictures have an even number of them.
    const float* from = frames.values.data() + 2 * (i / width) * wide + 2 * (i % width);
    half.values[i] = 0.25f * (from[0] + from[1] + from[wide] + from[wide + 1]);
  }
  return half;
}

std::vector<scene::Camera> halved(std::span<const scene::Camera> cameras) {
  std::vector<scene::Camera> half(cameras.begin(), cameras.end());
  for (scene::Camera& camera : half) {
    camera.fx /= 2, camera.fy /= 2, camera.cx /= 2, camera.cy /= 2;
    camera.width /= 2, camera.height /= 2;
  }
  return half;
}

/// What coarse stages compare. Stays where it is: the loss refers to it.
struct HalfSize {
  HalfSize(scene::Scene& scene, std::span<const scene::Camera> all, const Frames& whole, float corner, double share)
      : cameras(halved(all)), target(halved(whole)), pictures(scene, cameras, target, corner, share) {}
  std::vector<scene::Camera> cameras;
  Frames target;
  ViewLoss pictures;
};

/// They fall to a fifth over the stage.
StepRates rates_at(const FitStage& stage, int step) {
  const double fall = 1 - 0.8 * step / stage.iterations;
  return {fall * stage.angle_rate, fall * stage.root_rate};
}

bool all_finite(const kinematics::MotionGradient& gradient) {
  const auto finite = [](const Vec3& v) { return is_finite(v); };
  return std::all_of(gradient.angles.begin(), gradient.angles.end(), finite) &&
         std::all_of(gradient.root_translations.begin(), gradient.root_translations.end(), finite);
}

}  // namespace

std::vector<float> gaussian_taps(float sigma) {
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  std::vector<float> taps(static_cast<std::size_t>(2 * radius + 1));
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const float x = static_cast<float>(i) / sigma;
    sum += taps[static_cast<std::size_t>(i + radius)] = std::exp(-0.5f * x * x);
  }
  for (float& tap : taps) tap /= sum;
  return taps;
}

float colourfulness(const Frames& frames, int view, int frame, int row, int column) {
  const std::size_t plane = static_cast<std::size_t>(frames.height) * static_cast<std::size_t>(frames.width);
  const std::size_t image =
      static_cast<std::size_t>(view) * static_cast<std::size_t>(frames.frames) + static_cast<std::size_t>(frame);
  const float* at = frames.values.data() + 3 * plane * image +
                    static_cast<std::size_t>(row) * static_cast<std::size_t>(frames.width) +
                    static_cast<std::size_t>(column);
  return std::max({at[0], at[plane], at[2 * plane]}) - std::min({at[0], at[plane], at[2 * plane]});
}

double body_share(const Frames& frames) {
  std::size_t count = 0, all = 0;
  for (int view = 0; view < frames.views; ++view) {
    for (int frame = 0; frame < frames.frames; ++frame) {
      for (int row = 0; row < frames.height; ++row) {
        for (int column = 0; column < frames.width; ++column, ++all) {
          count += colourfulness(frames, view, frame, row, column) > kBodyColour;
        }
      }
    }
  }
  return all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
}

void blur_frames(Frames& frames, float sigma) {
  if (sigma < kLeastBlur) return;
  const std::vector<float> taps = gaussian_taps(sigma);
  const std::size_t plane = static_cast<std::size_t>(frames.height) * static_cast<std::size_t>(frames.width);
  if (plane == 0) return;
  const int radius = static_cast<int>(taps.size() / 2);
  parallel_for(frames.values.size() / plane, 3, [&](std::size_t first, std::size_t last) {
    std::vector<float> beside(static_cast<std::size_t>(blur_numbers(frames.height, frames.width, radius)));
    const BlurJob job{taps.data(), radius, frames.height, frames.width, beside.data()};
    for (std::size_t image = first; image < last; ++image) {
      image_kernels().blur(job, frames.values.data() + plane * image);
    }
  });
}

namespace {

void note_loss(const PixelLoss& loss, double cost, ViewFitReport& report) {
  report.loss = cost;
  report.residual = std::sqrt(loss.squares / std::max(loss.body, 1.0));
  report.frame_residuals.resize(loss.frame_body.size());
  for (std::size_t k = 0; k < loss.frame_body.size(); ++k) {
    report.frame_residuals[k] = std::sqrt(loss.frame_squares[k] / std::max(loss.frame_body[k], 1.0));
  }
}

/// What all steps of a fit work with, and what they have come to.
struct Fit {
  scene::Scene& scene;
  const ViewFitSettings& settings;
  kinematics::Motion& motion;
  int planned = 0;
  kinematics::SmoothnessEnergy smoothness{kSmoothCorner};
  kinematics::LimitEnergy limits{scene.rig()};
  // One for all stages: without its memory the first steps of each would lead away from where the last one came to.
  kinematics::MotionAdam adam{};
  kinematics::MotionGradient gradient = {};
  ViewFitReport report = {};

  bool go_on(int ahead = 0) const {
    return !settings.progress || settings.progress("fitting", static_cast<double>(report.iterations + ahead) / planned);
  }
};

Status take_step(Fit& fit, ViewLoss& pictures, float blur, double angle_rate, double root_rate) {
  const ViewFitSettings& settings = fit.settings;
  kinematics::Motion& motion = fit.motion;
  kinematics::MotionGradient& gradient = fit.gradient;
  gradient.root_translations.assign(motion.root_translations.size(), {});
  gradient.angles.assign(motion.angles.size(), {});
  const PixelLoss loss = pictures.add(motion, blur, gradient);
  LIMBER_CHECK_OK(fit.scene.status());
  double cost = loss.value + add_rest(motion, settings.rest_weight, gradient);
  cost += settings.smooth_weight * fit.smoothness.add(motion, settings.smooth_weight, gradient);
  cost += settings.limit_weight * fit.limits.add(motion, settings.limit_weight, gradient);
  for (const kinematics::WeightedEnergy& term : settings.energies) {
    cost += term.weight * term.energy->add(motion, term.weight, gradient);
  }
  note_loss(loss, cost, fit.report);
  ++fit.report.iterations;
  if (all_finite(gradient)) {
    fit.adam.step(motion, gradient, angle_rate, root_rate, settings.free);
  } else {
    ++fit.report.not_finite;
  }
  return Done{};
}

/// As many steps of a stage as the GPU can take by itself; returns how many.
Result<int> take_steps_on_device(Fit& fit, DeviceFit& device, const FitStage& stage, ViewLoss& pictures, float blur) {
  const DeviceFit::Steps steps{stage.iterations, blur, [&](int i) { return rates_at(stage, i); },
                               [&](int i) { return fit.go_on(i); }};
  LIMBER_TRY(const DeviceFit::Taken taken, device.take(pictures, steps, fit.motion, fit.adam));
  if (taken.steps > 0) note_loss(taken.loss, taken.cost, fit.report);
  fit.report.iterations += taken.steps, fit.report.not_finite += taken.not_finite;
  return taken.steps;
}

}  // namespace

Result<ViewFitReport> fit_views(scene::Scene& scene, std::span<const scene::Camera> cameras, const Frames& target,
                                const ViewFitSettings& settings, kinematics::Motion& motion) {
  LIMBER_EXPECT(target.frames == motion.frame_count(), "a frame of the target for every frame of the motion");
  LIMBER_EXPECT(cameras.size() == static_cast<std::size_t>(target.views) * static_cast<std::size_t>(target.frames),
                "a camera for every view and frame");
  LIMBER_EXPECT(target.values.size() == target.size(), "as many numbers as the target's shape calls for");
  for (const scene::Camera& camera : cameras) {
    LIMBER_EXPECT(camera.width == target.width && camera.height == target.height, "cameras of the target's size");
  }
  const double share = settings.body_share > 0 ? settings.body_share : std::max(body_share(target), 0.01);
  ViewLoss whole(scene, cameras, target, settings.corner, share);
  std::optional<HalfSize> half;
  Fit fit{scene, settings, motion};
  for (const FitStage& stage : settings.stages) fit.planned += stage.iterations;
  const std::unique_ptr<DeviceFit> device = DeviceFit::make(scene, settings, motion);
  for (const FitStage& stage : settings.stages) {
    const bool coarse = stage.half && can_halve(target);
    if (coarse && !half) half.emplace(scene, cameras, target, settings.corner, share);
    ViewLoss& pictures = coarse ? half->pictures : whole;
    const float blur = coarse ? stage.blur / 2 : stage.blur;
    int first = 0;
    if (device && stage.iterations > 0) {
      LIMBER_TRY(first, take_steps_on_device(fit, *device, stage, pictures, blur));
    }
    for (int i = first; i < stage.iterations; ++i) {
      if (!fit.go_on()) return cancelled("fit");
      const StepRates rates = rates_at(stage, i);
      LIMBER_CHECK_OK(take_step(fit, pictures, blur, rates.angles, rates.root));
    }
  }
  return std::move(fit.report);
}

}  // namespace limber::lift
