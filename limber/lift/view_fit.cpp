// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_fit.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/motion_adam.h"
#include "limber/lift/view_loss.h"

namespace limber::lift {
namespace {

/// One direction: `count` numbers `stride` apart, for `lines` lines that lie side by side.
void blur_lines(std::span<const float> taps, const float* from, float* to, int count, int stride) {
  const int radius = static_cast<int>(taps.size() / 2);
  for (int i = 0; i < count; ++i) {
    float sum = 0;
    for (int k = std::max(-radius, -i), last = std::min(radius, count - 1 - i); k <= last; ++k) {
      sum += taps[static_cast<std::size_t>(k + radius)] * from[static_cast<std::ptrdiff_t>(i + k) * stride];
    }
    to[static_cast<std::ptrdiff_t>(i) * stride] = sum;
  }
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
  if (sigma < 0.1f) return;
  const std::vector<float> taps = gaussian_taps(sigma);
  const std::size_t plane = static_cast<std::size_t>(frames.height) * static_cast<std::size_t>(frames.width);
  if (plane == 0) return;
  parallel_for(frames.values.size() / plane, 1, [&](std::size_t first, std::size_t last) {
    std::vector<float> rows(plane);
    for (std::size_t image = first; image < last; ++image) {
      float* pixels = frames.values.data() + plane * image;
      for (int y = 0; y < frames.height; ++y) {
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(y) * frames.width;
        blur_lines(taps, pixels + row, rows.data() + row, frames.width, 1);
      }
      for (int x = 0; x < frames.width; ++x) blur_lines(taps, rows.data() + x, pixels + x, frames.height, frames.width);
    }
  });
}

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
  ViewLoss pictures(scene, cameras, target, settings.corner, share);
  const kinematics::SmoothnessEnergy smoothness(1e-3);
  const kinematics::LimitEnergy limits(scene.rig());

  int planned = 0;
  for (const FitStage& stage : settings.stages) planned += stage.iterations;
  ViewFitReport report;
  kinematics::MotionGradient gradient;
  for (const FitStage& stage : settings.stages) {
    kinematics::MotionAdam adam;
    for (int i = 0; i < stage.iterations; ++i) {
      if (settings.progress && !settings.progress("fitting", static_cast<double>(report.iterations) / planned)) {
        return cancelled("fit");
      }
      gradient.root_translations.assign(motion.root_translations.size(), {});
      gradient.angles.assign(motion.angles.size(), {});
      const PixelLoss loss = pictures.add(motion, stage.blur, gradient);
      LIMBER_CHECK_OK(scene.status());
      double cost = loss.value + add_rest(motion, settings.rest_weight, gradient);
      cost += settings.smooth_weight * smoothness.add(motion, settings.smooth_weight, gradient);
      cost += settings.limit_weight * limits.add(motion, settings.limit_weight, gradient);
      for (const kinematics::WeightedEnergy& term : settings.energies) {
        cost += term.weight * term.energy->add(motion, term.weight, gradient);
      }
      report.loss = cost;
      report.residual = std::sqrt(loss.squares / std::max(loss.body, 1.0));
      report.frame_residuals.resize(loss.frame_body.size());
      for (std::size_t k = 0; k < loss.frame_body.size(); ++k) {
        report.frame_residuals[k] = std::sqrt(loss.frame_squares[k] / std::max(loss.frame_body[k], 1.0));
      }
      ++report.iterations;
      if (!all_finite(gradient)) {
        ++report.not_finite;
        continue;
      }
      const double fall = 1 - 0.8 * i / stage.iterations;
      adam.step(motion, gradient, fall * stage.angle_rate, fall * stage.root_rate, settings.free);
    }
  }
  return report;
}

}  // namespace limber::lift
