// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/splat/camera.h"

namespace limber::bench {

/// How much is drawn.
struct DrawSizes {
  int gaussians = 0, width = 0, height = 0, frames = 1, views = 1;

  std::string name() const;  ///< "720x480/gaussians:50000/frames:1/views:1"
};

/// Where cameras stand that are all round a body.
struct Orbit {
  float rise = 0.2f;  ///< height over the body's middle, of their distance from it
  float turn = 0;     ///< how far each goes round while the frames last
};

/// Cameras whose pictures the body's height fills to 80 %: views x frames.
std::vector<splat::Camera> fitted_cameras(std::span<const Vec3> points, const DrawSizes& sizes, const Orbit& orbit);

}  // namespace limber::bench
