// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/denoiser.h"

namespace limber::prior {

Tensor sinusoid(double timestep, int width, const nn::Placement& placement) {
  return nn::timestep_embedding(at::full({1}, timestep, at::kFloat), width).to(placement.options());
}

Tensor rotation(const RotaryTable& table, at::Device device) {
  const auto count = static_cast<int64_t>(table.cosines.size());
  const Tensor cosines = at::tensor(table.cosines), sines = at::tensor(table.sines);
  return at::view_as_complex(at::stack({cosines, sines}, -1).view({count, 2}).contiguous()).to(device);
}

void rotate_(const Tensor& x, const Tensor& rotation) {
  const int64_t tokens = x.size(1), pairs = x.size(3) / 2;
  const Tensor values = x.to(at::kFloat).contiguous().view({x.size(0), tokens, x.size(2), pairs, 2});
  const Tensor turned = at::view_as_complex(values) * rotation.view({tokens, 1, pairs});
  x.copy_(at::view_as_real(turned).view(x.sizes()));
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
