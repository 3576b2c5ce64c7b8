// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "limber/base/result.h"
#include "limber/splat/rasterize.h"

/// The rasterizer on a GPU, from and to host memory: what rasterize.h uses where `RasterSettings::device` says so.
/// `scene` keeps pictures on the GPU instead: raster_pipeline.cuh. Private to `splat`.
namespace limber::splat {

class CudaRaster {
 public:
  CudaRaster();
  ~CudaRaster();
  CudaRaster(CudaRaster&&) noexcept;
  CudaRaster& operator=(CudaRaster&&) noexcept;

  /// Sizes are already checked.
  Status forward(const RasterInput& input, const RasterOutput& output, const RasterSettings& settings);
  /// Of the last forward; all but the background, for which `transmittances` is filled in unless it is empty.
  Status backward(const RasterCotangent& cotangent, const RasterGradient& gradient, std::span<float> transmittances);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace limber::splat
