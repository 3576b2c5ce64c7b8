// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/inference.h"

/// Products of matrices by the kernels of kernels.h. Private to `nn`.
namespace limber::nn::infer {

/// W [out, in] as the product reads it.
PackedWeight packed_weight(const RowsView& weight);
/// The same from W^T [in, out].
PackedWeight packed_transpose(const RowsView& transpose);

/// Columns [kPanel first, kPanel (first + count)) of y = then(x W^T + b); rows of y are `stride` apart. `bias` may be
/// null. The same bits however rows and panels are shared among threads.
void wide_product(const RowsView& x, const PackedWeight& weight, const float* bias, int first, int count, float* y,
                  int stride, Activation then = Activation::kNone);

/// All columns.
inline void wide_product(const RowsView& x, const PackedWeight& weight, const float* bias, float* y, int stride) {
  wide_product(x, weight, bias, 0, weight.panels(), y, stride);
}

}  // namespace limber::nn::infer
