// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/lift/dense_solve.h"
#include "limber/lift/pose_model.h"
#include "limber/scene/scene_cuda.h"

/// What `observe` looks at, and the part of it that takes long on a GPU. Private to `lift`.
namespace limber::lift {

/// The Gaussians of a scene as points of a skin, and how large they are.
struct ObservedCloud {
  std::vector<SkinPoint> points;
  std::vector<double> radii;
};
inline constexpr double kLeastRadius = 0.71, kMostRadius = 64;  ///< pixels, of a Gaussian that hides others

/// How fast an image changes around a point of the body: sums of products of slopes over the pixels that show it.
struct Slopes {
  double xx = 0, xy = 0, yy = 0;

  /// Of a pixel, in one of its colours.
  LIMBER_HOST_DEVICE void add(const float* pixel, int width) {
    const double gx = 0.5 * static_cast<double>(pixel[1] - pixel[-1]);
    const double gy = 0.5 * static_cast<double>(pixel[width] - pixel[-width]);
    xx += gx * gx, xy += gx * gy, yy += gy * gy;
  }
};

/// The Gauss-Newton information of pictures on a GPU, summed in the order in which the CPU sums it.
class CudaObserver {
 public:
  /// Works on the queue of a scene that has drawn what `cameras` see, views x frames, and fails as it does.
  CudaObserver(scene::CudaScene& scene, const ObservedCloud& cloud, const PoseModel& model,
               std::span<const scene::Camera> cameras);
  ~CudaObserver();

  /// The pose of the next frame.
  void add_pose(const PoseModel& model);
  /// Lower triangles, one for each pose. Empty where something failed. Waits.
  std::vector<DenseSymmetric> information(double per_fact);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::lift
