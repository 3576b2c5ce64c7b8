// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/wide_product.h"

#include <algorithm>
#include <array>

#include "limber/base/expect.h"
#include "limber/base/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace limber::nn::infer {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Some rows by one panel: rows of x are `x_stride` apart, rows of y `y_stride`, of which `columns` are written.
struct Piece {
  const float* x;
  int x_stride, in;
  const float* panel;
  const float* bias;  ///< kPanel numbers
  float* y;
  int y_stride, columns;

  const float* input(int row) const { return x + static_cast<std::ptrdiff_t>(row) * x_stride; }
  float* output(int row) const { return y + static_cast<std::ptrdiff_t>(row) * y_stride; }
};

/// As many rows at once as there are registers for their sums.
struct Portable {
  static constexpr int kRows = 2;

  template <int Count>
  static void multiply(const Piece& piece) {
    float sums[Count][kPanel];
    for (int r = 0; r < Count; ++r) std::copy_n(piece.bias, kPanel, sums[r]);
    for (int i = 0; i < piece.in; ++i) {
      const float* weights = piece.panel + i * kPanel;
      for (int r = 0; r < Count; ++r) {
        const float value = piece.input(r)[i];
        for (int k = 0; k < kPanel; ++k) sums[r][k] += value * weights[k];
      }
    }
    for (int r = 0; r < Count; ++r) std::copy_n(sums[r], piece.columns, piece.output(r));
  }
};

#if defined(__x86_64__)

struct Avx2 {
  static constexpr int kRows = 6;  // twelve sums, two weights and a broadcast fill the sixteen registers

  template <int Count>
  __attribute__((target("avx2,fma"))) static void multiply(const Piece& piece) {
    __m256 low[Count], high[Count];
    for (int r = 0; r < Count; ++r) low[r] = _mm256_loadu_ps(piece.bias), high[r] = _mm256_loadu_ps(piece.bias + 8);
    for (int i = 0; i < piece.in; ++i) {
      const __m256 a = _mm256_loadu_ps(piece.panel + i * kPanel), b = _mm256_loadu_ps(piece.panel + i * kPanel + 8);
      for (int r = 0; r < Count; ++r) {
        const __m256 value = _mm256_broadcast_ss(piece.x + static_cast<std::ptrdiff_t>(r) * piece.x_stride + i);
        low[r] = _mm256_fmadd_ps(value, a, low[r]), high[r] = _mm256_fmadd_ps(value, b, high[r]);
      }
    }
    for (int r = 0; r < Count; ++r) {
      float* to = piece.y + static_cast<std::ptrdiff_t>(r) * piece.y_stride;
      if (piece.columns == kPanel) {
        _mm256_storeu_ps(to, low[r]), _mm256_storeu_ps(to + 8, high[r]);
        continue;
      }
      float all[kPanel];
      _mm256_storeu_ps(all, low[r]), _mm256_storeu_ps(all + 8, high[r]);
      for (int k = 0; k < piece.columns; ++k) to[k] = all[k];
    }
  }
};

struct Avx512 {
  static constexpr int kRows = 12;  // enough sums to hide the four cycles that each takes

  template <int Count>
  __attribute__((target("avx512f"))) static void multiply(const Piece& piece) {
    __m512 sums[Count];
    for (int r = 0; r < Count; ++r) sums[r] = _mm512_loadu_ps(piece.bias);
    for (int i = 0; i < piece.in; ++i) {
      const __m512 weights = _mm512_loadu_ps(piece.panel + i * kPanel);
      for (int r = 0; r < Count; ++r) {
        const __m512 value = _mm512_set1_ps(piece.x[static_cast<std::ptrdiff_t>(r) * piece.x_stride + i]);
        sums[r] = _mm512_fmadd_ps(value, weights, sums[r]);
      }
    }
    const auto mask = static_cast<__mmask16>((1u << piece.columns) - 1);
    for (int r = 0; r < Count; ++r)
      _mm512_mask_storeu_ps(piece.y + static_cast<std::ptrdiff_t>(r) * piece.y_stride, mask, sums[r]);
  }
};

#endif

/// The last rows, fewer than `Most` + 1.
template <class Kernel, int Most>
void multiply_last(const Piece& piece, int rows) {
  if (rows == Most) {
    Kernel::template multiply<Most>(piece);
  } else if constexpr (Most > 1) {
    multiply_last<Kernel, Most - 1>(piece, rows);
  }
}

template <class Kernel>
void multiply_panels(const RowsView& x, const PackedWeight& weight, const float* bias, int first, int count, float* y,
                     int stride) {
  for (int panel = first; panel < first + count; ++panel) {
    const int column = panel * kPanel, columns = std::min(kPanel, weight.out - column);
    std::array<float, kPanel> shift{};
    if (bias != nullptr) std::copy_n(bias + column, columns, shift.begin());
    const float* weights = weight.numbers.data() + static_cast<std::ptrdiff_t>(column) * weight.in;
    Piece piece{x.first, x.stride, weight.in, weights, shift.data(), y + column, stride, columns};
    int r = 0;
    for (; r + Kernel::kRows <= x.rows; r += Kernel::kRows) {
      Kernel::template multiply<Kernel::kRows>(piece);
      piece.x = piece.input(Kernel::kRows), piece.y = piece.output(Kernel::kRows);
    }
    multiply_last<Kernel, Kernel::kRows - 1>(piece, x.rows - r);
  }
}

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

RowsView columns_view(const Matrix& x, int first, int count) {
  LIMBER_EXPECT(first >= 0 && count >= 0 && count <= x.columns() - first, std::to_string(first));
  return {x.values().data() + first, x.rows(), count, x.columns()};
}

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
                  int stride) {
  LIMBER_EXPECT(x.columns == weight.in && first >= 0 && count >= 0 && first + count <= weight.panels(),
                std::to_string(x.columns) + " columns, panels from " + std::to_string(first));
  switch (simd_level()) {
#if defined(__x86_64__)
    case SimdLevel::kAvx512:
      return multiply_panels<Avx512>(x, weight, bias, first, count, y, stride);
    case SimdLevel::kAvx2:
      return multiply_panels<Avx2>(x, weight, bias, first, count, y, stride);
#endif
    default:
      return multiply_panels<Portable>(x, weight, bias, first, count, y, stride);
  }
}

}  // namespace limber::nn::infer
