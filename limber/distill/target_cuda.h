// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "limber/base/frames.h"
#include "limber/scene/scene_cuda.h"

/// A video that a scene's pictures are drawn to, on the GPU where they are. Private to `distill`.
namespace limber::distill {

class CudaTarget {
 public:
  /// Works on the scene's queue, and fails as it does.
  explicit CudaTarget(scene::CudaScene& scene);
  ~CudaTarget();

  /// Uploads a video.
  void set(const Frames& target);
  /// Or where somebody else puts one of so many numbers, and waits for that; null where there is no memory.
  float* room(std::size_t count);
  /// How stiffly each of as many equal parts of it pulls.
  void set_stiffness(std::span<const double> curvature);
  /// The video. Waits.
  void get(Frames& target);
  const float* data() const;  ///< of it, on the GPU
  /// Of what `scene` drew last: the gradient of half the stiff squares on it, on the GPU, without waiting.
  const float* compare(scene::CudaScene& scene);
  /// Half the stiff squares. Waits.
  double loss();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::distill
