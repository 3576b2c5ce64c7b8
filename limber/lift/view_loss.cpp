// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_loss.h"

#include <algorithm>

#include "limber/base/threads.h"
#include "limber/lift/image_kernels.h"
#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss_cuda.h"

namespace limber::lift {
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
    if (scene_.forward_on_device(motion, cameras_).ok()) {
      const float* slopes = compare_on_device(blur);
      const PixelLoss loss = loss_on_device();
      // Fails too at what the comparison may have failed at.
      if (scene_.backward_on_device(motion, slopes, gradient).ok()) return loss;
    }
    cuda_.reset();  // it belongs to a GPU that failed
    return {};
  }
  scene_.forward(motion, cameras_, drawn_);
  PixelLoss loss = compare(blur);
  scene_.backward(motion, cameras_, gradient_, gradient);
  return loss;
}

const float* ViewLoss::compare_on_device(float blur) {
  if (!cuda_ || !cuda_->is_of(*scene_.cuda())) {
    cuda_ = std::make_unique<CudaViewLoss>(*scene_.cuda(), target_, corner_, per_pixel_);
  }
  return cuda_->compare(*scene_.cuda(), blur);
}
PixelLoss ViewLoss::loss_on_device() { return cuda_ ? cuda_->loss() : PixelLoss{}; }

PixelLoss ViewLoss::compare(float blur) {
  const std::size_t images = static_cast<std::size_t>(target_.views) * static_cast<std::size_t>(target_.frames);
  const std::size_t numbers = images > 0 ? target_.values.size() / images : 0;
  const std::vector<float> taps = blur < kLeastBlur ? std::vector<float>() : gaussian_taps(blur);
  const int radius = static_cast<int>(taps.size() / 2);
  const auto beside = static_cast<std::size_t>(blur_numbers(target_.height, target_.width, radius));
  gradient_.views = target_.views, gradient_.frames = target_.frames;
  gradient_.height = target_.height, gradient_.width = target_.width;
  gradient_.values.resize(target_.values.size());
  beside_.resize(beside * static_cast<std::size_t>(thread_count()));
  std::vector<ComparedImage> compared(images);
  parallel_for(images, 1, [&](std::size_t image, std::size_t) {
    const std::size_t first = image * numbers;
    compared[image] = image_kernels().compare({drawn_.values.data() + first,
                                               target_.values.data() + first,
                                               gradient_.values.data() + first,
                                               {taps.data(), radius, target_.height, target_.width,
                                                beside_.data() + static_cast<std::size_t>(thread_index()) * beside},
                                               corner_,
                                               static_cast<float>(per_pixel_),
                                               kBodyColour});
  });
  PixelLoss loss;
  for (std::size_t image = 0; image < images; ++image) {
    loss.add(image % static_cast<std::size_t>(target_.frames), per_pixel_ * compared[image].value,
             compared[image].squares, compared[image].body);
  }
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
