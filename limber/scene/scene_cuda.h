// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/result.h"
#include "limber/scene/body_shadow.h"
#include "limber/scene/scene.h"

namespace limber {
class CudaQueue;
}

/// A Scene's pictures on a GPU, from bone matrices to frames that stay there, and back. Private to `scene` and `lift`.
/// Whatever fails leaves a CudaScene that keeps failing: make another.
namespace limber::scene {

class CudaScene {
 public:
  explicit CudaScene(const SceneSettings& settings);
  ~CudaScene();

  /// Uploads a body; `cloud` has colours that do not depend on the view. What it refers to must stay.
  void set_body(const splat::Gaussians& gaussians, std::span<const Symmetric> covariances, std::span<const Vec3> colors,
                BodyShadow* shadow, int bone_count);

  /// Draws; `bones` are frames x bones, `cameras` views x frames.
  Status forward(std::span<const Affine> bones, std::size_t frames, std::span<const Camera> cameras);
  /// What was drawn last, on the GPU: numbers as in Frames.
  const float* frames() const;
  /// Copies it here.
  Status download(std::span<float> values);

  /// From a gradient on the GPU, or here, to the bones; adds.
  Status backward(const float* grad_frames, std::span<Affine> grad_bones);
  Status backward_from_host(std::span<const float> grad_frames, std::span<Affine> grad_bones);

  /// Where it draws.
  std::shared_ptr<CudaQueue> queue();
  std::size_t bytes() const;  ///< of the GPU's memory
  /// From `start_timeline` on: what the GPU did, and milliseconds. Empty in the emulation.
  void start_timeline();
  std::vector<std::pair<std::string, double>> take_timeline();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::scene
