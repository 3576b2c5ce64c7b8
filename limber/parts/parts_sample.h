// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/parts/parts_denoiser.h"

namespace limber::parts {

struct PartsSampleSettings {
  int steps = 4;  ///< >= 1; more change little
  std::uint64_t seed = 0;
  Progress progress;
};

/// Draws what is not known: from noise to pictures in equal steps. Colours that are known stay as they are.
Result<DrawnPictures> sample_parts(const PartsDenoiser& denoiser, const KnownPictures& known,
                                   const PartsSampleSettings& settings = {});

/// Whoever draws: `sample_parts`, or somebody who remembers what it drew.
using DrawParts =
    std::function<Result<DrawnPictures>(const PartsDenoiser&, const KnownPictures&, const PartsSampleSettings&)>;

}  // namespace limber::parts
