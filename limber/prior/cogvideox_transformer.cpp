// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/cogvideox_transformer.h"

#include <cmath>

#include "limber/base/expect.h"

namespace limber::prior {
namespace {

constexpr double kQkNormEps = 1e-6;

}  // namespace

CogVideoXTransformer::CogVideoXTransformer(const CogVideoXConfig& config, const nn::WeightScope& weights)
    : config_(config) {
  const int d = config.width(), time = config.time_width, p = config.patch;
  patch_weight_ = (weights / "patch_embed" / "proj").get("weight", {d, config.channels, p, p});
  patch_bias_ = (weights / "patch_embed" / "proj").get("bias", {d}, nn::Init::constant(0));
  text_proj_ = nn::linear(weights / "patch_embed" / "text_proj", config.text_width, d);
  time_1_ = nn::linear(weights / "time_embedding" / "linear_1", d, time);
  time_2_ = nn::linear(weights / "time_embedding" / "linear_2", time, time);
  const auto modulation = [&](const nn::WeightScope& scope) {
    return Modulation{nn::linear(scope / "linear", time, 6 * d), nn::layer_norm(scope / "norm", d, config.norm_eps)};
  };
  for (int i = 0; i < config.layers; ++i) {
    const nn::WeightScope scope = weights / "transformer_blocks" / i;
    const nn::WeightScope attention = scope / "attn1", feed = scope / "ff" / "net";
    Block block;
    block.norm1 = modulation(scope / "norm1");
    block.norm2 = modulation(scope / "norm2");
    block.to_q = nn::linear(attention / "to_q", d, d);
    block.to_k = nn::linear(attention / "to_k", d, d);
    block.to_v = nn::linear(attention / "to_v", d, d);
    block.to_out = nn::linear(attention / "to_out" / 0, d, d);
    block.norm_q = nn::layer_norm(attention / "norm_q", config.head_dim, kQkNormEps);
    block.norm_k = nn::layer_norm(attention / "norm_k", config.head_dim, kQkNormEps);
    block.up.layer = nn::linear(feed / 0 / "proj", d, 4 * d);
    block.down.layer = nn::linear(feed / 2, 4 * d, d);
    blocks_.push_back(std::move(block));
  }
  norm_final_ = nn::layer_norm(weights / "norm_final", d, config.norm_eps);
  norm_out_linear_ = nn::linear(weights / "norm_out" / "linear", time, 2 * d);
  norm_out_ = nn::layer_norm(weights / "norm_out" / "norm", d, config.norm_eps);
  proj_out_ = nn::linear(weights / "proj_out", d, config.channels * p * p);
}

nn::Placement CogVideoXTransformer::placement() const { return {patch_weight_.device(), patch_weight_.scalar_type()}; }

template <class F>
void CogVideoXTransformer::each(Block& block, F&& f) {
  each_tensor(f, block.norm1.linear, block.norm1.norm, block.norm2.linear, block.norm2.norm, block.to_q, block.to_k,
              block.to_v, block.to_out, block.up, block.down, block.norm_q, block.norm_k);
}

void CogVideoXTransformer::stream_blocks_to(at::Device device) {
  streams_ = true;
  each_tensor([&](Tensor& tensor) { tensor = tensor.to(device); }, patch_weight_, patch_bias_, text_proj_, time_1_,
              time_2_, norm_out_linear_, proj_out_, norm_final_, norm_out_);
  for (Block& block : blocks_) each(block, [](Tensor& tensor) { tensor = page_locked(tensor); });
}

void CogVideoXTransformer::narrow_blocks() {
  for (Block& block : blocks_) block.up.narrow(), block.down.narrow();
}

void CogVideoXTransformer::prepare_positions(const TokenGrid& grid) const {
  if (grid == grid_) return;
  if (config_.rotary) {
    rotation_ = rotation(cogvideox_rotary(config_.head_dim, grid, config_.sample_height / config_.patch,
                                          config_.sample_width / config_.patch),
                         grid, patch_weight_.device());
  } else {
    const std::vector<float> table =
        sincos_positions(config_.width(), grid, config_.spatial_scale, config_.temporal_scale);
    positions_ = at::tensor(table).view({1, grid.count(), config_.width()}).to(placement().options());
  }
  grid_ = grid;
}

CogVideoXTransformer::Modulated CogVideoXTransformer::modulate(const Tensor& hidden, const Modulation& modulation,
                                                               const Tensor& time) const {
  const int64_t text = config_.text_length, video = hidden.size(1) - text;
  // shift, scale, gate of the video, then of the text
  const std::vector<Tensor> m = modulation.linear(time).unsqueeze(1).chunk(6, 2);
  const Tensor normal = modulation.norm(hidden);
  normal.narrow(1, text, video).mul_(1 + m[1]).add_(m[0]);
  normal.narrow(1, 0, text).mul_(1 + m[4]).add_(m[3]);
  return {normal, m[2], m[5]};
}

Tensor CogVideoXTransformer::attend(const Tensor& hidden, const Block& block) const {
  const int64_t batch = hidden.size(0), tokens = hidden.size(1), text = config_.text_length;
  const auto heads = [&](const Tensor& x) { return x.view({batch, tokens, config_.heads, config_.head_dim}); };
  // The text has no place in the video: only the tokens after it are turned.
  const Tensor q = norm_rotated(heads(block.to_q(hidden)), block.norm_q, rotation_, text);
  const Tensor k = norm_rotated(heads(block.to_k(hidden)), block.norm_k, rotation_, text);
  const Tensor v = heads(block.to_v(hidden));
  const Tensor mixed = nn::attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2),
                                     1 / std::sqrt(static_cast<double>(config_.head_dim)));
  return block.to_out(mixed.transpose(1, 2).reshape({batch, tokens, -1}));
}

Tensor CogVideoXTransformer::predict(const Tensor& latents, double timestep, const Tensor& text) const {
  const at::NoGradGuard no_gradients;
  LIMBER_EXPECT(text.size(1) == config_.text_length && text.size(0) == latents.size(0), "shape of the text embeddings");
  const nn::Placement place = placement();
  const TokenGrid grid = token_grid(latents, config_.patch);
  prepare_positions(grid);

  const Tensor time = at::silu(time_2_(at::silu(time_1_(sinusoid(timestep, config_.width(), place)))));
  Tensor video = patch_tokens(latents.to(place.dtype), patch_weight_, patch_bias_);
  if (!config_.rotary) video = video + positions_;
  Tensor hidden = at::cat({text_proj_(text.to(place.options())), video}, 1);

  const int64_t text_count = text.size(1), video_count = grid.count();
  const auto add_gated = [&](const Modulated& m, const Tensor& update) {
    hidden.narrow(1, text_count, video_count).addcmul_(update.narrow(1, text_count, video_count), m.video_gate);
    hidden.narrow(1, 0, text_count).addcmul_(update.narrow(1, 0, text_count), m.text_gate);
  };
  for (Block block : blocks_) {
    if (streams_)
      each(block,
           [&](Tensor& tensor) { tensor = tensor.to(place.device, tensor.scalar_type(), /*non_blocking=*/true); });
    const Modulated before = modulate(hidden, block.norm1, time);
    add_gated(before, attend(before.hidden, block));
    const Modulated after = modulate(hidden, block.norm2, time);
    add_gated(after, block.down(nn::gelu_tanh(block.up(after.hidden))));
  }

  const std::vector<Tensor> m = norm_out_linear_(time).unsqueeze(1).chunk(2, 2);  // shift, scale
  const Tensor last = norm_out_(norm_final_(hidden.narrow(1, text_count, video_count))) * (1 + m[1]) + m[0];
  const int p = config_.patch;
  return proj_out_(last)
      .view({latents.size(0), grid.frames, grid.rows, grid.columns, config_.channels, p, p})
      .permute({0, 1, 4, 2, 5, 3, 6})
      .reshape(latents.sizes())
      .to(latents.scalar_type());
}

}  // namespace limber::prior
