// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/device.h"

namespace limber::splat {

/// Constants of the rasterizer. The defaults are those of the public rasterizers (gsplat 1.6, classic mode).
struct RasterSettings {
  double near = 0.01, far = 1e10;   ///< camera depths that are drawn
  double eps2d = 0.3;               ///< pixels^2, added to the diagonal of every projected covariance
  double fov_guard = 0.3;           ///< share of the half field by which the linearisation may look past the image
  double alpha_min = 1.0 / 255;     ///< fainter contributions are skipped
  double alpha_max = 0.99;          ///< contributions are clamped to this, and then carry no shape or opacity gradient
  double min_transmittance = 1e-4;  ///< a pixel stops before the Gaussian that would take it to this or below
  Device device = Device::kCpu;     ///< see docs/splat.md, "On a GPU"
};

}  // namespace limber::splat
