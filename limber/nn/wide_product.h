// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/inference.h"

/// Products of matrices on processors with wide registers. Private to `nn`.
namespace limber::nn::infer {

/// Whether this processor multiplies and adds eight floats at once (AVX2, FMA).
bool has_wide_product();

/// W [out, in] as the product reads it: sixteen outputs side by side, the last ones padded with zeros.
Floats packed_weight(const Matrix& weight);

/// y = x W^T + b for `rows` rows of x and y, one after the other. Every number of y is the sum over inputs in their
/// order, so that it is the same however rows are shared among threads. Only where `has_wide_product`.
void wide_product(const float* x, int rows, int in, const Floats& packed, const Floats& bias, float* y);

}  // namespace limber::nn::infer
