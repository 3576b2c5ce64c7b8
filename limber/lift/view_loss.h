// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "limber/base/frames.h"
#include "limber/scene/scene.h"

/// What `fit_views` minimises, apart from the energies. Private to `lift`.
namespace limber::lift {

struct PixelLoss {
  double value = 0;  ///< mean over the body's pixels
  double squares = 0, body = 0;
  std::vector<double> frame_squares, frame_body;

  /// One image's part.
  void add(std::size_t frame, double image_value, double image_squares, double image_body);
};

class CudaViewLoss;

/// Robust colour error between a video and the pictures of a motion, both blurred. Keeps references.
class ViewLoss {
 public:
  /// `share`: of the pixels that the body covers, > 0. Errors beyond `corner` count linearly.
  ViewLoss(scene::Scene& scene, std::span<const scene::Camera> cameras, const Frames& target, float corner,
           double share);
  ~ViewLoss();

  /// The loss of a motion; its gradient is added to `gradient`, which may be empty and is then sized. On the GPU where
  /// the scene draws there; `Scene::status` says when that failed.
  PixelLoss add(const kinematics::Motion& motion, float blur, kinematics::MotionGradient& gradient);

  /// The same in steps, for whoever fits on the GPU (scene/device_steps.h): draws near where it will look next,
  Status start_on_device(const kinematics::Motion& motion) { return scene_.forward_on_device(motion, cameras_); }
  /// compares what the scene drew last, without waiting, and leaves the gradient on it there,
  const float* compare_on_device(float blur);
  /// and waits for the loss.
  PixelLoss loss_on_device();

 private:
  /// Of what was drawn; leaves the gradient.
  PixelLoss compare(float blur);

  scene::Scene& scene_;
  std::span<const scene::Camera> cameras_;
  const Frames& target_;
  float corner_;
  double per_pixel_;
  Frames drawn_, gradient_;    ///< and on what was drawn
  std::vector<float> beside_;  ///< of the kernels, per thread
  std::unique_ptr<CudaViewLoss> cuda_;
};

/// Blurs by less than this many pixels are none.
inline constexpr float kLeastBlur = 0.1f;
/// exp(-x^2 / 2 sigma^2) as far as it counts, with sum one.
std::vector<float> gaussian_taps(float sigma);

/// `weight` times the mean squared angle, and its gradient; the root's turn is not counted.
double add_rest(const kinematics::Motion& motion, double weight, kinematics::MotionGradient& gradient);

}  // namespace limber::lift
