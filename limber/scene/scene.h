// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "limber/base/device.h"
#include "limber/base/frames.h"
#include "limber/base/result.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"
#include "limber/scene/cameras.h"
#include "limber/scene/ground.h"
#include "limber/splat/gaussians.h"
#include "limber/splat/settings.h"

/// A body made of Gaussians on a ground, seen by cameras: Motion -> Frames, and gradients on Frames -> gradients on the
/// Motion. The one seam that lifting and distillation use.
namespace limber::scene {

class CudaScene;

/// Whether this build can draw on GPUs; whether there is one, `Scene::status` tells.
bool has_cuda();

struct SceneSettings {
  GroundSettings ground;
  splat::RasterSettings raster;
  /// Gaussians below the ground are hidden (AKD section 4.2): their opacity falls to zero over this depth below it,
  /// smoothly, with a gradient. In heights of the body; negative: they are shown.
  float hide_depth = 0.01f;
  /// Memory for the images of a clip and their gradients, about 44 bytes a pixel. A clip that needs more is drawn in
  /// blocks of frames, and `backward` draws all but the last of them again.
  std::size_t keep_bytes = std::size_t{512} << 20;
};

/// On a GPU where `SceneSettings::raster.device` says so: see docs/scene.md.
///
/// Not thread-safe; buffers are reused from call to call. The same bits for any number of threads.
class Scene {
 public:
  /// `gaussians` carry skin weights for the bones of `rig`.
  Scene(rig::Rig rig, splat::Gaussians gaussians, const SceneSettings& settings = {});
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  /// Another body instead. Buffers are kept: cheaper than a new Scene where many short clips are drawn.
  void set_body(rig::Rig rig, splat::Gaussians gaussians);

  const rig::Rig& rig() const;
  const splat::Gaussians& gaussians() const;

  /// Boxes of the Gaussians' means in every frame: what cameras follow.
  std::vector<Box> frame_boxes(const kinematics::Motion& motion) const;

  /// Draws every frame from every view: `cameras` are views x frames, all of one size. Cameras are constants: where
  /// they follow the motion, no gradient goes through them (AKD section 4.2).
  void forward(const kinematics::Motion& motion, std::span<const Camera> cameras, Frames& frames);

  /// From the gradient on what the last `forward` drew to that on its motion; adds to `gradient`, which may be empty
  /// and is then sized. Motion and cameras unchanged since.
  void backward(const kinematics::Motion& motion, std::span<const Camera> cameras, const Frames& grad_frames,
                kinematics::MotionGradient& gradient);

  /// What went wrong first: nothing on the CPU. A GPU may be missing, out of memory (kOutOfMemory, with sizes) or
  /// failing; from then on frames are black and gradients stay as they were, so that it is enough to ask at the end.
  const Status& status() const;

  /// `forward` and `backward` with frames that stay on the GPU (`CudaScene::frames`); numbers of `grad_frames` are
  /// there too, as in Frames. Only where the scene draws there.
  Status forward_on_device(const kinematics::Motion& motion, std::span<const Camera> cameras);
  Status backward_on_device(const kinematics::Motion& motion, const float* grad_frames,
                            kinematics::MotionGradient& gradient);
  /// Makes `cuda` ready for whoever has other work for its queue.
  Status open_on_device();
  /// After whoever had `cuda` draw: what went wrong there, once all is done. What was drawn last is not to go back
  /// from.
  const Status& finish_on_device();
  /// What draws there; null on the CPU, before the first `forward` and where that failed.
  CudaScene* cuda();
  Device device() const;

  /// Bytes held for the next call, not counting a GPU's.
  std::size_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::scene
