// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/wan_transformer.h"

#include <cmath>

#include "limber/base/expect.h"

namespace limber::prior {

WanTransformer::WanTransformer(const WanConfig& config, const nn::WeightScope& weights)
    : config_(config), plain_norm_(nn::plain_layer_norm(config.width(), config.eps)) {
  const int d = config.width(), p = config.patch;
  const nn::WeightScope condition = weights / "condition_embedder";
  patch_weight_ = (weights / "patch_embedding").get("weight", {d, config.channels, 1, p, p}).squeeze(2);
  patch_bias_ = (weights / "patch_embedding").get("bias", {d}, nn::Init::constant(0));
  time_1_ = nn::linear(condition / "time_embedder" / "linear_1", config.time_width, d);
  time_2_ = nn::linear(condition / "time_embedder" / "linear_2", d, d);
  time_proj_ = nn::linear(condition / "time_proj", d, 6 * d);
  text_1_ = nn::linear(condition / "text_embedder" / "linear_1", config.text_width, d);
  text_2_ = nn::linear(condition / "text_embedder" / "linear_2", d, d);
  for (int i = 0; i < config.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i;
    Block block;
    block.self = take_attention(scope / "attn1");
    block.cross = take_attention(scope / "attn2");
    block.norm2 = nn::layer_norm(scope / "norm2", d, config.eps);
    block.up.layer = nn::linear(scope / "ffn" / "net" / 0 / "proj", d, config.ffn_width);
    block.down.layer = nn::linear(scope / "ffn" / "net" / 2, config.ffn_width, d);
    block.table = scope.get("scale_shift_table", {1, 6, d}, nn::Init::normal(0.02));
    blocks_.push_back(std::move(block));
  }
  table_ = weights.get("scale_shift_table", {1, 2, d}, nn::Init::normal(0.02));
  proj_out_ = nn::linear(weights / "proj_out", d, config.channels * p * p);
}

nn::Placement WanTransformer::placement() const { return {patch_weight_.device(), patch_weight_.scalar_type()}; }

template <class F>
void WanTransformer::each(Block& block, F&& f) {
  for (Attention* layer : {&block.self, &block.cross}) {
    each_tensor(f, layer->to_q, layer->to_k, layer->to_v, layer->to_out, layer->norm_q, layer->norm_k);
  }
  each_tensor(f, block.norm2, block.up, block.down, block.table);
}

void WanTransformer::stream_blocks_to(at::Device device) {
  streams_ = true;
  each_tensor([&](Tensor& tensor) { tensor = tensor.to(device); }, patch_weight_, patch_bias_, table_, time_1_, time_2_,
              time_proj_, text_1_, text_2_, proj_out_);
  for (Block& block : blocks_) each(block, [](Tensor& tensor) { tensor = page_locked(tensor); });
}

void WanTransformer::narrow_blocks() {
  for (Block& block : blocks_) block.up.narrow(), block.down.narrow();
}

WanTransformer::Attention WanTransformer::take_attention(const nn::WeightScope& weights) const {
  const int d = config_.width();
  Attention layer;
  layer.to_q = nn::linear(weights / "to_q", d, d);
  layer.to_k = nn::linear(weights / "to_k", d, d);
  layer.to_v = nn::linear(weights / "to_v", d, d);
  layer.to_out = nn::linear(weights / "to_out" / 0, d, d);
  layer.norm_q = nn::rms_norm(weights / "norm_q", d, config_.eps);
  layer.norm_k = nn::rms_norm(weights / "norm_k", d, config_.eps);
  return layer;
}

Tensor WanTransformer::attend(const Attention& layer, const Tensor& x, const Tensor& source, bool rotary) const {
  const auto heads = [&](const Tensor& y) { return y.view({y.size(0), y.size(1), config_.heads, config_.head_dim}); };
  const Tensor q = heads(layer.norm_q(layer.to_q(x)));
  const Tensor k = heads(layer.norm_k(layer.to_k(source)));
  const Tensor v = heads(layer.to_v(source));
  if (rotary) rotate_(q, rotation_.turns), rotate_(k, rotation_.turns);
  const Tensor mixed = nn::attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2),
                                     1 / std::sqrt(static_cast<double>(config_.head_dim)));
  return layer.to_out(mixed.transpose(1, 2).reshape(x.sizes()));
}

Tensor WanTransformer::predict(const Tensor& latents, double timestep, const Tensor& text) const {
  const at::NoGradGuard no_gradients;
  LIMBER_EXPECT(text.size(0) == latents.size(0), "one text per latent");
  const nn::Placement place = placement();
  const TokenGrid grid = token_grid(latents, config_.patch);
  if (!(grid == grid_)) rotation_ = rotation(wan_rotary(config_.head_dim, grid), grid, place.device), grid_ = grid;

  const Tensor time = time_2_(at::silu(time_1_(sinusoid(timestep, config_.time_width, place))));
  const Tensor modulation = time_proj_(at::silu(time)).view({1, 6, config_.width()}).to(at::kFloat);
  const Tensor words = text_2_(nn::gelu_tanh(text_1_(text.to(place.options()))));
  Tensor hidden = patch_tokens(latents.to(place.dtype), patch_weight_, patch_bias_);

  for (Block block : blocks_) {
    if (streams_) {
      each(block,
           [&](Tensor& tensor) { tensor = tensor.to(place.device, tensor.scalar_type(), /*non_blocking=*/true); });
    }
    // shift, scale, gate of the attention, then of the feed-forward layer
    const std::vector<Tensor> m = (block.table.to(at::kFloat) + modulation).to(place.dtype).chunk(6, 1);
    const Tensor x = plain_norm_(hidden).mul_(1 + m[1]).add_(m[0]);
    hidden.addcmul_(attend(block.self, x, x, true), m[2]);
    hidden.add_(attend(block.cross, block.norm2(hidden), words, false));
    const Tensor y = plain_norm_(hidden).mul_(1 + m[4]).add_(m[3]);
    hidden.addcmul_(block.down(nn::gelu_tanh(block.up(y))), m[5]);
  }

  // The head is modulated by the time embedding itself, not by its projection.
  const std::vector<Tensor> m = (table_.to(at::kFloat) + time.unsqueeze(1).to(at::kFloat)).to(place.dtype).chunk(2, 1);
  const Tensor last = proj_out_(plain_norm_(hidden).mul_(1 + m[1]).add_(m[0]));
  const int p = config_.patch;
  return last.view({latents.size(0), grid.frames, grid.rows, grid.columns, p, p, config_.channels})
      .permute({0, 1, 6, 2, 4, 3, 5})
      .reshape(latents.sizes())
      .to(latents.scalar_type());
}

}  // namespace limber::prior
