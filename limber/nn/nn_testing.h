// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/weights.h"

namespace limber::nn {

/// Normal noise of deviation one, the same for one seed.
inline Tensor noise(at::IntArrayRef shape, std::uint64_t seed) {
  Weights weights = Weights::random(seed, {});
  return weights.get("noise", shape.vec(), Init::normal(1));
}

}  // namespace limber::nn
