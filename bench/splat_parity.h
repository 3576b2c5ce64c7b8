// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "limber/base/result.h"

namespace limber::bench {

/// How far our pictures and gradients are from those of a public rasterizer.
struct SplatParity {
  double image_error = 0;     ///< mean over pixels and channels, colours are 0 to 1
  double gradient_error = 0;  ///< the worst of means, colours and opacities, |ours - theirs| / |theirs|
};

/// `file`: a scene with what the public rasterizer made of it, as in tests/data/parity/splats.
Result<SplatParity> measure_splat_parity(const std::filesystem::path& file);

}  // namespace limber::bench
