// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/base/frames.h"
#include "limber/lift/view_loss.h"
#include "limber/scene/scene_cuda.h"

/// The pixels' part of ViewLoss on a GPU, where a scene has drawn there. Private to `lift`.
namespace limber::lift {

class CudaViewLoss {
 public:
  /// Uploads the target. Works on the scene's queue, and fails as it does.
  CudaViewLoss(scene::CudaScene& scene, const Frames& target, float corner, double per_pixel);
  ~CudaViewLoss();

  /// Whether that is what it was made for. A Scene may have got another one since.
  bool is_of(scene::CudaScene& scene) const;
  /// Of what `scene`, the one it was made for, drew last: the gradient on it, on the GPU, without waiting.
  const float* compare(scene::CudaScene& scene, float blur);
  /// What that was. Waits.
  PixelLoss loss();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::lift
