// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/heights.h"
#include "limber/splat/projection.h"
#include "limber/splat/rasterize.h"

/// The rasterizer on a GPU: a cloud goes up once, bones and cameras whenever they change, pictures stay. Private to
/// `splat` and `scene`; for .cu files. Failures are the queue's.
namespace limber::splat {

/// What is behind the Gaussians, in numbers on the GPU.
struct DeviceBackground {
  const float* numbers = nullptr;                        ///< null: black
  enum Kind { kOne, kPerImage, kPerPixel } kind = kOne;  ///< colours of three numbers, or pictures like those drawn
};

class RasterPipeline {
 public:
  explicit RasterPipeline(CudaQueue& queue);  ///< which must outlive it
  ~RasterPipeline();

  /// Gaussians, skin, and how many frames there will be; bones, cameras and background of `input` are not read.
  void set_cloud(const RasterInput& input, const HeightRules& heights = {});
  void set_cameras(std::span<const Camera> cameras, const RasterSettings& settings);
  /// Cameras that are written there, of the last ones' sizes, by whoever draws next.
  KernelCamera* cameras() const;
  void set_bones(std::span<const Affine> bones);
  void set_bones(const Affine* bones);            ///< on the GPU, where they must stay
  void share_bones(const RasterPipeline& other);  ///< which must keep them
  void set_background(const DeviceBackground& background);
  /// Planes of colours (as in Frames) instead of pixels (as in RasterOutput).
  void set_planes(bool planes);

  /// In two steps, between which work may be done elsewhere, or `prepare` of another one: background and pictures are
  /// for the second.
  void prepare();
  void blend();
  void forward() { prepare(), blend(); }
  /// From now on `prepare` does not wait to hear how many entries there are: it has room for a quarter more than at the
  /// last one, or as `grow` says. Where that is too little nothing is drawn, and `lacking`, on the GPU, becomes the
  /// number of entries if that is more than it was. Until cameras are set anew, or null is.
  void set_unwaited(std::uint64_t* lacking);
  void grow(std::uint64_t entries);
  const ProjectInput& input() const;  ///< what it draws, as kernels see it
  std::size_t pixels() const;         ///< of all images
  float* images() const;              ///< 3 pixels
  float* alphas() const;              ///< pixels
  float* transmittances() const;      ///< pixels

  /// From gradients on the GPU, either of which may be null, to sums over pixels; with those of colours or without.
  void backward(const float* grad_images, const float* grad_alphas, bool colors);
  /// Sums up what the last backward says about bones, there, onto what another one has summed up where one is given.
  void sum_bones(const RasterPipeline* before = nullptr);
  const Affine* bone_gradient() const;  ///< that, on the GPU: frames x bones
  /// Adds that, frames x bones.
  void add_bone_gradient(std::span<Affine> to);
  /// Adds to what `to` wants of means, covariances, opacities and colours (the last needs backward's `colors`).
  void add_rest_gradient(const RasterGradient& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::splat
