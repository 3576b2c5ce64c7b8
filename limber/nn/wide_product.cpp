// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/wide_product.h"

#include <algorithm>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/nn/kernels.h"

namespace limber::nn::infer {
namespace {

/// Weights by output and input, each given by `number(output, input)`.
template <class Number>
PackedWeight pack(int out, int in, const Number& number) {
  PackedWeight packed{in, out, {}};
  packed.numbers.resize(at(packed.panels()) * at(in) * kPanel);
  float* to = packed.numbers.data();
  for (int column = 0; column < out; column += kPanel) {
    const int columns = std::min(kPanel, out - column);
    for (int i = 0; i < in; ++i, to += kPanel) {
      for (int k = 0; k < columns; ++k) to[k] = number(column + k, i);
    }
  }
  return packed;
}

}  // namespace

PackedWeight packed_weight(const RowsView& weight) {
  return pack(weight.rows, weight.columns, [&](int output, int input) {
    return weight.first[static_cast<std::ptrdiff_t>(output) * weight.stride + input];
  });
}

PackedWeight packed_transpose(const RowsView& transpose) {
  return pack(transpose.columns, transpose.rows, [&](int output, int input) {
    return transpose.first[static_cast<std::ptrdiff_t>(input) * transpose.stride + output];
  });
}

void wide_product(const RowsView& x, const PackedWeight& weight, const float* bias, int first, int count, float* y,
                  int stride, Activation then) {
  LIMBER_EXPECT(x.columns == weight.in && first >= 0 && count >= 0 && first + count <= weight.panels(),
                std::to_string(x.columns) + " columns, panels from " + std::to_string(first));
  const int column = first * kPanel;
  Product task{x, weight.numbers.data() + at(column) * at(weight.in), bias != nullptr ? bias + column : nullptr};
  task.y = y + column, task.stride = stride, task.then = then;
  task.outputs = std::min(count * kPanel, weight.out - column);
  kernels().product(task);
}

const Kernels& kernels() {
  switch (simd_level()) {
#if defined(__x86_64__)
    case SimdLevel::kAvx512:
      return avx512_kernels();
    case SimdLevel::kAvx2:
      return avx2_kernels();
#endif
    default:
      return portable_kernels();
  }
}

}  // namespace limber::nn::infer
