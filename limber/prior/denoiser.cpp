// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/denoiser.h"

#if defined(LIMBER_PRIOR_CUDA)
#include "limber/nn/device.h"
#include "limber/prior/kernels.h"
#endif

namespace limber::prior {

Tensor sinusoid(double timestep, int width, const nn::Placement& placement) {
  return nn::timestep_embedding(at::full({1}, timestep, at::kFloat), width).to(placement.options());
}

Tensor page_locked(const Tensor& tensor) { return nn::cuda_available() ? tensor.pin_memory() : tensor; }

Rotation rotation(const RotaryTable& table, const TokenGrid& grid, at::Device device) {
  const Tensor cosines = at::tensor(table.cosines).view({grid.count(), -1}).to(device);
  const Tensor sines = at::tensor(table.sines).view({grid.count(), -1}).to(device);
  return {at::complex(cosines, sines), cosines, sines};
}

void rotate_(const Tensor& x, const Tensor& turns) {
  const int64_t tokens = x.size(1), pairs = x.size(3) / 2;
  const Tensor values = x.to(at::kFloat).contiguous().view({x.size(0), tokens, x.size(2), pairs, 2});
  const Tensor turned = at::view_as_complex(values) * turns.view({tokens, 1, pairs});
  x.copy_(at::view_as_real(turned).view(x.sizes()));
}

Tensor norm_rotated(const Tensor& x, const nn::LayerNorm& norm, const Rotation& rotation, int64_t first) {
#if defined(LIMBER_PRIOR_CUDA)
  if (x.is_cuda() && x.scalar_type() == at::kBFloat16 && x.size(3) == 64 && x.is_contiguous() && rotation.defined()) {
    const auto bits = [](const Tensor& tensor) { return static_cast<cuda::Bf16*>(tensor.data_ptr()); };
    cuda::norm_rotate_64(bits(x), x.size(0), x.size(1), static_cast<int>(x.size(2)), first, bits(norm.weight),
                         bits(norm.bias), norm.eps, rotation.cosines.data_ptr<float>(),
                         rotation.sines.data_ptr<float>(), nn::current_stream(x.device()));
    return x;
  }
#endif
  const Tensor normal = norm(x);
  if (rotation.defined()) rotate_(normal.narrow(1, first, x.size(1) - first), rotation.turns);
  return normal;
}

TokenGrid token_grid(const Tensor& latents, int patch) {
  return {static_cast<int>(latents.size(1)), static_cast<int>(latents.size(3)) / patch,
          static_cast<int>(latents.size(4)) / patch};
}

Tensor patch_tokens(const Tensor& latents, const Tensor& weight, const Tensor& bias) {
  const int64_t batch = latents.size(0), patch = weight.size(2);
  const Tensor patches = at::conv2d(latents.flatten(0, 1), weight, bias, {patch, patch});
  // [batch * frames, width, rows, columns]
  return patches.flatten(2).transpose(1, 2).reshape({batch, -1, weight.size(0)});
}

}  // namespace limber::prior
