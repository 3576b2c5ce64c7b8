// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/projection.h"

#include <algorithm>

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
#define LIMBER_FLOAT8_TYPE
#endif
#if defined(LIMBER_PRIOR_CUDA)
#include <cuda_runtime_api.h>

#include "limber/nn/device.h"
#include "limber/prior/kernels.h"
#endif

namespace limber::prior {
namespace {

constexpr float kLargest = 448, kSmallestScale = 1e-12f;
constexpr int kExponent = -6;  ///< of the smallest normal number
constexpr int kMantissa = 3;
constexpr std::int64_t kMultiple = 16;

/// The nearest numbers that e4m3 has; of two as near, the even one.
Tensor rounded_to_float8(const Tensor& x) {
  const Tensor clamped = x.clamp(-kLargest, kLargest);
  // |x| = m 2^e with m in [1/2, 1)
  const Tensor exponent = std::get<1>(at::frexp(clamped)).to(at::kFloat) - 1;
  const Tensor step = at::exp2(exponent.clamp_min(kExponent) - kMantissa);
  return at::round(clamped / step) * step;
}

Float8Rows rounded_rows(const Tensor& matrix) {
  const Tensor wide = matrix.to(at::kFloat);
  const Tensor scales = (at::amax(at::abs(wide), {1}, /*keepdim=*/true) / kLargest).clamp_min(kSmallestScale);
  return {rounded_to_float8(wide / scales), scales};
}

}  // namespace

bool multiplies_float8([[maybe_unused]] at::Device device) {
#if defined(LIMBER_PRIOR_CUDA) && defined(LIMBER_FLOAT8_TYPE)
  if (device.is_cuda()) {
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.has_index() ? device.index() : 0);
    return major == 9;
  }
#endif
  return false;
}

Float8Rows in_float8(const Tensor& matrix) {
#if defined(LIMBER_PRIOR_CUDA) && defined(LIMBER_FLOAT8_TYPE)
  if (multiplies_float8(matrix.device())) {
    const c10::OptionalDeviceGuard guard(matrix.device());
    const Tensor bf16 = matrix.to(at::kBFloat16).contiguous();
    Float8Rows rows{at::empty(bf16.sizes(), bf16.options().dtype(at::kFloat8_e4m3fn)),
                    at::empty({bf16.size(0), 1}, bf16.options().dtype(at::kFloat))};
    cuda::rows_to_float8(static_cast<const cuda::Bf16*>(bf16.data_ptr()), bf16.size(0), bf16.size(1),
                         static_cast<std::uint8_t*>(rows.values.data_ptr()), rows.scales.data_ptr<float>(),
                         nn::current_stream(matrix.device()));
    return rows;
  }
#endif
  return rounded_rows(matrix);
}

Tensor Projection::operator()(const Tensor& x) const {
  if (!weight.defined()) return layer(x);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.values.size(0);
  const Float8Rows rows = in_float8(x.flatten(0, -2));
#if defined(LIMBER_PRIOR_CUDA) && defined(LIMBER_FLOAT8_TYPE)
  if (rows.values.scalar_type() == at::kFloat8_e4m3fn) {
    const c10::optional<Tensor> bias = layer.bias.defined() ? c10::optional<Tensor>(layer.bias) : c10::nullopt;
    return at::_scaled_mm(rows.values, weight.values.t(), rows.scales, weight.scales.t(), bias, {}, at::kBFloat16,
                          /*use_fast_accum=*/true)
        .view(shape);
  }
#endif
  const Tensor product = at::matmul(rows.values, weight.values.t()) * rows.scales * weight.scales.t();
  return (layer.bias.defined() ? product + layer.bias : product).view(shape).to(x.scalar_type());
}

void Projection::narrow() {
  if (weight.defined() || layer.weight.size(0) % kMultiple != 0 || layer.weight.size(1) % kMultiple != 0) return;
  weight = in_float8(layer.weight);
  layer.weight = Tensor();
}

}  // namespace limber::prior
