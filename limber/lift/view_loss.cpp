// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_loss.h"

#include <algorithm>
#include <cmath>

#include "limber/base/threads.h"
#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss_cuda.h"

namespace limber::lift {
namespace {

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
  for (std::size_t image = 0; image < images; ++image) {
    loss.add(image % static_cast<std::size_t>(target.frames), per_pixel * values[image], squares[image], body[image]);
  }
  return loss;
}

}  // namespace

void PixelLoss::add(std::size_t frame, double image_value, double image_squares, double image_body) {
  value += image_value, squares += image_squares, body += image_body;
  if (frame_body.size() <= frame) frame_squares.resize(frame + 1), frame_body.resize(frame + 1);
  frame_squares[frame] += image_squares, frame_body[frame] += image_body;
}

ViewLoss::ViewLoss(scene::Scene& scene, std::span<const scene::Camera> cameras, const Frames& target, float corner,
                   double share)
    : scene_(scene),
      cameras_(cameras),
      target_(target),
      corner_(corner),
      per_pixel_(1 / (share * std::max(static_cast<double>(target.values.size()) / 3, 1.0))) {}
ViewLoss::~ViewLoss() = default;

PixelLoss ViewLoss::add(const kinematics::Motion& motion, float blur, kinematics::MotionGradient& gradient) {
  if (scene_.device() == Device::kCuda) {
    PixelLoss loss;
    if (scene_.forward_on_device(motion, cameras_).ok()) {
      if (!cuda_ || !cuda_->is_of(*scene_.cuda())) {
        cuda_ = std::make_unique<CudaViewLoss>(*scene_.cuda(), target_, corner_, per_pixel_);
      }
      loss = cuda_->compare(*scene_.cuda(), blur);
      // Fails too at what the comparison may have failed at.
      if (scene_.backward_on_device(motion, cuda_->gradient(), gradient).ok()) return loss;
    }
    cuda_.reset();  // it belongs to a GPU that failed
    return {};
  }
  scene_.forward(motion, cameras_, drawn_);
  difference_ = drawn_;
  for (std::size_t k = 0; k < difference_.values.size(); ++k) difference_.values[k] -= target_.values[k];
  blur_frames(difference_, blur);
  PixelLoss loss = pixel_loss(difference_, drawn_, target_, corner_, per_pixel_);
  // The blur is its own adjoint.
  blur_frames(difference_, blur);
  scene_.backward(motion, cameras_, difference_, gradient);
  return loss;
}

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

}  // namespace limber::lift
