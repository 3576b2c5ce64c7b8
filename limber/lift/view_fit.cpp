// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_fit.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/motion_adam.h"

namespace limber::lift {
namespace {

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

struct PixelLoss {
  double value = 0;  ///< mean over the body's pixels
  double squares = 0, body = 0;
  std::vector<double> frame_squares, frame_body;
};

/// Robust colour error of the blurred difference, and its gradient on the drawn frames (in place of the difference).
PixelLoss pixel_loss(Frames& difference, const Frames& drawn, const Frames& target, float corner, double per_pixel) {
  const std::size_t plane = static_cast<std::size_t>(target.height) * static_cast<std::size_t>(target.width);
  const std::size_t images = static_cast<std::size_t>(target.views) * static_cast<std::size_t>(target.frames);
  std::vector<double> values(images), squares(images), body(images);
  parallel_for(images, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t image = first; image < last; ++image) {
      float* d = difference.values.data() + 3 * plane * image;
      const float *a = drawn.values.data() + 3 * plane * image, *b = target.values.data() + 3 * plane * image;
      const auto coloured = [&](const float* c, std::size_t i) {
        const float x = c[i], y = c[i + plane], z = c[i + 2 * plane];
        return std::max({x, y, z}) - std::min({x, y, z}) > kBodyColour;
      };
      for (std::size_t i = 0; i < plane; ++i) {
        float &x = d[i], &y = d[i + plane], &z = d[i + 2 * plane];
        const float square = x * x + y * y + z * z;
        // Pseudo-Huber: c^2 (sqrt(1 + e^2 / c^2) - 1).
        const float root = std::sqrt(1 + square / (corner * corner));
        values[image] += corner * corner * (root - 1);
        if (coloured(a, i) || coloured(b, i)) squares[image] += square, body[image] += 1;
        const auto slope = static_cast<float>(per_pixel / root);
        x *= slope, y *= slope, z *= slope;
      }
    }
  });
  PixelLoss loss;
  loss.frame_squares.resize(static_cast<std::size_t>(target.frames));
  loss.frame_body.resize(static_cast<std::size_t>(target.frames));
  for (std::size_t image = 0; image < images; ++image) {
    loss.value += per_pixel * values[image];
    loss.squares += squares[image], loss.body += body[image];
    loss.frame_squares[image % static_cast<std::size_t>(target.frames)] += squares[image];
    loss.frame_body[image % static_cast<std::size_t>(target.frames)] += body[image];
  }
  return loss;
}

/// Mean squared angle; the root's turn is not counted.
double add_rest(const kinematics::Motion& motion, double weight, kinematics::MotionGradient& gradient) {
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  const double per_angle = weight / static_cast<double>(std::max<std::size_t>(motion.angles.size(), 1));
  double sum = 0;
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    if (i % joints == 0) continue;
    sum += squared_norm(motion.angles[i]);
    gradient.angles[i] += static_cast<float>(2 * per_angle) * motion.angles[i];
  }
  return per_angle * sum;
}

bool all_finite(const kinematics::MotionGradient& gradient) {
  const auto finite = [](const Vec3& v) { return is_finite(v); };
  return std::all_of(gradient.angles.begin(), gradient.angles.end(), finite) &&
         std::all_of(gradient.root_translations.begin(), gradient.root_translations.end(), finite);
}

}  // namespace

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
  const double share = settings.body_share > 0 ? settings.body_share : std::max(body_share(target), 0.01);
  const double pixels = static_cast<double>(target.values.size()) / 3;
  const double per_pixel = 1 / (share * std::max(pixels, 1.0));
  const kinematics::SmoothnessEnergy smoothness(1e-3);
  const kinematics::LimitEnergy limits(scene.rig());

  int planned = 0;
  for (const FitStage& stage : settings.stages) planned += stage.iterations;
  ViewFitReport report;
  Frames drawn, difference;
  kinematics::MotionGradient gradient;
  for (const FitStage& stage : settings.stages) {
    kinematics::MotionAdam adam;
    for (int i = 0; i < stage.iterations; ++i) {
      if (settings.progress && !settings.progress("fitting", static_cast<double>(report.iterations) / planned)) {
        return Error{"cancelled", "fit"};
      }
      scene.forward(motion, cameras, drawn);
      difference = drawn;
      for (std::size_t k = 0; k < difference.values.size(); ++k) difference.values[k] -= target.values[k];
      blur_frames(difference, stage.blur);
      PixelLoss loss = pixel_loss(difference, drawn, target, settings.corner, per_pixel);
      blur_frames(difference, stage.blur);

      gradient.root_translations.assign(motion.root_translations.size(), {});
      gradient.angles.assign(motion.angles.size(), {});
      scene.backward(motion, cameras, difference, gradient);
      double cost = loss.value + add_rest(motion, settings.rest_weight, gradient);
      cost += settings.smooth_weight * smoothness.add(motion, settings.smooth_weight, gradient);
      cost += settings.limit_weight * limits.add(motion, settings.limit_weight, gradient);
      for (const WeightedEnergy& term : settings.energies) {
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
