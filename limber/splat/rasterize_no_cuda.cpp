// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/rasterize_cuda.h"

/// Builds without CUDA.
namespace limber::splat {

struct CudaRaster::State {};

CudaRaster::CudaRaster() = default;
CudaRaster::~CudaRaster() = default;
CudaRaster::CudaRaster(CudaRaster&&) noexcept = default;
CudaRaster& CudaRaster::operator=(CudaRaster&&) noexcept = default;

Status CudaRaster::forward(const RasterInput&, const RasterOutput&, const RasterSettings&) {
  return Error{"this build has no CUDA: configure with -DLIMBER_CUDA=ON, or draw on the CPU", "", ErrorKind::kDevice};
}
Status CudaRaster::backward(const RasterCotangent&, const RasterGradient&, std::span<float>) {
  return Error{"this build has no CUDA", "", ErrorKind::kDevice};
}

}  // namespace limber::splat
