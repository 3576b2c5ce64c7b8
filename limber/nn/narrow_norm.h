// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/torch_api.h"

namespace limber::nn {

/// Rows up to this width are narrow.
inline constexpr std::int64_t kNarrowNorm = 64;

/// The layer norm of a narrow last axis, such as a head of attention, in a few sweeps over all rows at once.
/// Differentiable. LibTorch's kernels give every row a block of threads and leave the gradients of the weights to one:
/// for half a million rows of 32 numbers that takes longer than the attention itself. Statistics are in float.
Tensor narrow_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps);

}  // namespace limber::nn
