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

  /// Uploads a video, and how stiffly each of as many equal parts of it pulls.
  void set(const Frames& target, std::span<const double> curvature);
  /// Of what `scene` drew last: the gradient of half the stiff squares on it, on the GPU, without waiting.
  const float* compare(scene::CudaScene& scene);
  /// Half the stiff squares. Waits.
  double loss();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::distill
