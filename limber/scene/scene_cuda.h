// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

/// A Scene's pictures on a GPU, from bone matrices to frames that stay there, and back. Private to the stages that
/// keep them there.
/// Whatever fails leaves a CudaScene that keeps failing: make another.
namespace limber::scene {

class CudaScene {
 public:
  explicit CudaScene(const SceneSettings& settings);
  ~CudaScene();

  /// Uploads a body; `cloud` has colours that do not depend on the view. What it refers to must stay.
  void set_body(const splat::Gaussians& gaussians, std::span<const Symmetric> covariances, std::span<const Vec3> colors,
                BodyShadow* shadow, int bone_count);

  /// Finds the GPU; `forward` does, too.
  Status open();

  /// Draws; `bones` are frames x bones, `cameras` views x frames.
  Status forward(std::span<const Affine> bones, std::size_t frames, std::span<const Camera> cameras);
  /// What was drawn last, on the GPU: numbers as in Frames.
  const float* frames() const;
  /// Copies it here.
  Status download(std::span<float> values);

  /// From a gradient on the GPU, or here, to the bones; adds.
  Status backward(const float* grad_frames, std::span<Affine> grad_bones);
  Status backward_from_host(std::span<const float> grad_frames, std::span<Affine> grad_bones);

  /// From here on without waiting, near to what `forward` drew last, with its frames and cameras, until its next call.
  /// False where this body cannot be drawn so. Room that is only known there is what the last drawing needed and some
  /// more; where it does not suffice, pictures are wrong, and `check_room` tells.
  bool start_unwaited();
  void forward_unwaited(const Affine* bones);  ///< on the GPU, frames x bones
  /// The gradient on bones, on the GPU, from that on frames.
  const Affine* backward_unwaited(const float* grad_frames);
  enum class Room {
    kEnough,
    kGrew,  ///< there was too little, and is more now: what was drawn since it was asked last is to be drawn again
    kNever  ///< this body cannot be drawn so any more
  };
  /// Asks whether there was room for all that was drawn so far, in one of two places; waits for the answer.
  void ask_room(int place);
  Room check_room(int place);
  int grown() const;  ///< how often there was too little room, since it was made
  bool ok() const;
  Status finish();
  /// Entries of tile lists that there is room for at least when nobody waits. For tests.
  void set_least_room(std::uint64_t entries);

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
