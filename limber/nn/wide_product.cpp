// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/wide_product.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace limber::nn::infer {
namespace {

constexpr int kPanel = 16;  // outputs side by side: two registers
constexpr int kRows = 6;    // at once: twelve sums, two weights and a broadcast fill the sixteen registers

}  // namespace

Floats packed_weight(const Matrix& weight) {
  const int in = weight.columns(), panels = (weight.rows() + kPanel - 1) / kPanel;
  Floats packed(static_cast<std::size_t>(panels) * static_cast<std::size_t>(in) * kPanel);
  for (int o = 0; o < weight.rows(); ++o) {
    const std::size_t first = static_cast<std::size_t>(o / kPanel) * static_cast<std::size_t>(in) * kPanel;
    for (int i = 0; i < in; ++i) packed[first + static_cast<std::size_t>(i * kPanel + o % kPanel)] = weight(o, i);
  }
  return packed;
}

#if defined(__x86_64__)

namespace {

/// `Count` rows by one panel.
template <int Count>
__attribute__((target("avx2,fma"))) void multiply(const float* x, int in, const float* panel, const float* bias,
                                                  int columns, int stride, float* y) {
  __m256 low[Count], high[Count];
  for (int r = 0; r < Count; ++r) low[r] = _mm256_loadu_ps(bias), high[r] = _mm256_loadu_ps(bias + 8);
  for (int i = 0; i < in; ++i) {
    const __m256 a = _mm256_loadu_ps(panel + i * kPanel), b = _mm256_loadu_ps(panel + i * kPanel + 8);
    for (int r = 0; r < Count; ++r) {
      const __m256 value = _mm256_broadcast_ss(x + static_cast<std::ptrdiff_t>(r) * in + i);
      low[r] = _mm256_fmadd_ps(value, a, low[r]), high[r] = _mm256_fmadd_ps(value, b, high[r]);
    }
  }
  for (int r = 0; r < Count; ++r) {
    float* to = y + static_cast<std::ptrdiff_t>(r) * stride;
    if (columns == kPanel) {
      _mm256_storeu_ps(to, low[r]), _mm256_storeu_ps(to + 8, high[r]);
      continue;
    }
    std::array<float, kPanel> all;
    _mm256_storeu_ps(all.data(), low[r]), _mm256_storeu_ps(all.data() + 8, high[r]);
    std::copy_n(all.begin(), columns, to);
  }
}

}  // namespace

bool has_wide_product() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}

void wide_product(const float* x, int rows, int in, const Floats& packed, const Floats& bias, float* y) {
  const int out = static_cast<int>(bias.size());
  for (int first = 0; first < out; first += kPanel) {
    const float* panel = packed.data() + static_cast<std::ptrdiff_t>(first) * in;
    const int columns = std::min(kPanel, out - first);
    std::array<float, kPanel> shift{};
    std::copy_n(bias.begin() + first, columns, shift.begin());
    int r = 0;
    const auto from = [&] { return x + static_cast<std::ptrdiff_t>(r) * in; };
    const auto to = [&] { return y + static_cast<std::ptrdiff_t>(r) * out + first; };
    for (; r + kRows <= rows; r += kRows) multiply<kRows>(from(), in, panel, shift.data(), columns, out, to());
    for (; r < rows; ++r) multiply<1>(from(), in, panel, shift.data(), columns, out, to());
  }
}

#else

bool has_wide_product() { return false; }
void wide_product(const float*, int, int, const Floats&, const Floats&, float*) {}

#endif

}  // namespace limber::nn::infer
