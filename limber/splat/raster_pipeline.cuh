// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/blend_kernels.cuh"
#include "limber/splat/gradient_kernels.cuh"
#include "limber/splat/rasterize.h"

/// The rasterizer on a GPU: a cloud goes up once, bones and cameras whenever they change, pictures stay. Private to
/// `splat` and `scene`; for .cu files. Failures are the queue's.
namespace limber::splat {

class RasterPipeline {
 public:
  explicit RasterPipeline(CudaQueue& queue) : queue_(queue) {}

  /// Gaussians, skin, and how many frames and images there will be; bones, cameras and background of `input` are not
  /// read.
  void set_cloud(const RasterInput& input, const HeightRules& heights = {});
  void set_cameras(std::span<const Camera> cameras, const RasterSettings& settings);
  void set_bones(std::span<const Affine> bones);
  /// Planes of colours (as in Frames) instead of pixels (as in RasterOutput).
  void set_planes(bool planes) { planes_ = planes; }
  /// Numbers on the GPU that stay there.
  void set_background(const float* background, BlendInput::Backgrounds kind) {
    background_ = background, backgrounds_ = kind;
  }

  void forward();
  float* images() const { return images_.data(); }  ///< as large as images x pixels x 3
  float* alphas() const { return alphas_.data(); }
  float* transmittances() const { return transmittances_.data(); }
  std::size_t pixels() const { return pixel_count() * input_.images; }

  /// From gradients on the GPU, either of which may be null, to sums over pixels; with those of colours or without.
  void backward(const float* grad_images, const float* grad_alphas, bool colors);
  /// Adds frames x bones from the last backward.
  void add_bone_gradient(std::span<Affine> to);
  /// Adds to what `to` wants of means, covariances, opacities and colours (the last needs backward's `colors`).
  void add_rest_gradient(const RasterGradient& to);

 private:
  std::size_t pixel_count() const {
    return static_cast<std::size_t>(blend_.width) * static_cast<std::size_t>(blend_.height);
  }
  void reverse_skin(const RasterInput& input);
  bool fits();
  void sort_records();
  void list_entries();
  RecordSums record_sums() const;

  CudaQueue& queue_;
  ProjectInput input_;
  BlendInput blend_{};
  DepthKeys depths_;
  bool planes_ = false;
  const float* background_ = nullptr;
  BlendInput::Backgrounds backgrounds_ = BlendInput::kOne;

  // The cloud.
  DeviceArray<float> means_, covariances_, opacities_, colors_, weights_;
  DeviceArray<std::uint16_t> indices_;
  DeviceArray<Affine> bones_;
  DeviceArray<KernelCamera> cameras_;
  DeviceArray<BoneChunk> chunks_;
  DeviceArray<BoneItem> items_;
  DeviceArray<std::uint32_t> bone_chunks_;

  // Records.
  DeviceArray<Record> records_;
  DeviceArray<Box> boxes_;
  DeviceArray<std::uint64_t> depth_keys_[2], begins_;
  DeviceArray<std::uint32_t> orders_[2], counts_, ordered_counts_, first_entries_;
  const std::uint32_t* order_ = nullptr;

  // Entries.
  std::size_t entry_count_ = 0;
  DeviceArray<std::uint32_t> tile_keys_[2], entries_[2], entry_records_, listed_records_, tile_begins_, tile_ends_;

  // Pictures and gradients.
  DeviceArray<float> images_, alphas_, transmittances_, entry_grads_, pose_grads_;
  bool colors_wanted_ = false;
  DeviceArray<double> parts_;
  DeviceArray<Affine> grad_bones_;
};

}  // namespace limber::splat
