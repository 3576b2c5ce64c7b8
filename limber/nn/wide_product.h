// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/inference.h"

/// Products of matrices with what the processor's widest registers do at once (base/simd.h). Private to `nn`.
namespace limber::nn::infer {

/// Outputs that are summed side by side.
inline constexpr int kPanel = 16;

/// Numbers row by row, perhaps a part of longer rows. Not owned.
struct RowsView {
  const float* first = nullptr;
  int rows = 0, columns = 0;
  int stride = 0;  ///< from one row to the next
};
inline RowsView view_of(const Matrix& x) { return {x.values().data(), x.rows(), x.columns(), x.columns()}; }
RowsView columns_view(const Matrix& x, int first, int count);

/// W [out, in] as the product reads it.
PackedWeight packed_weight(const RowsView& weight);
/// The same from W^T [in, out].
PackedWeight packed_transpose(const RowsView& transpose);

/// Columns [kPanel first, kPanel (first + count)) of y = x W^T + b; rows of y are `stride` apart. `bias` may be null.
/// Every number is the sum over inputs in their order, fused with AVX2 and AVX-512, not in the portable kernel: the
/// same bits however rows and panels are shared among threads, and with both of the wide ones.
void wide_product(const RowsView& x, const PackedWeight& weight, const float* bias, int first, int count, float* y,
                  int stride);

/// All columns.
inline void wide_product(const RowsView& x, const PackedWeight& weight, const float* bias, float* y, int stride) {
  wide_product(x, weight, bias, 0, weight.panels(), y, stride);
}

}  // namespace limber::nn::infer
