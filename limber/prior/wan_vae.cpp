// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/wan_vae.h"

#include <algorithm>
#include <cmath>

namespace limber::prior {
namespace {

Conv take_volume(const nn::WeightScope& weights, int in, int out) { return take_conv(weights, in, out, {3, 3, 3}); }
Conv take_time(const nn::WeightScope& weights, int in, int out) { return take_conv(weights, in, out, {3, 1, 1}); }

/// A norm's scale per channel, stored with trailing axes of length one.
Tensor take_gamma(const nn::WeightScope& weights, int channels, int trailing = 3) {
  nn::Shape shape{channels};
  shape.insert(shape.end(), static_cast<std::size_t>(trailing), 1);
  return weights.get("gamma", shape, nn::Init::constant(1)).flatten();
}

/// Half the frames. The first chunk passes; later ones are convolved together with the frame before them.
Tensor halve_time(const Tensor& x, const Conv& conv, CausalState& state) {
  const Tensor last = state.exchange(x.narrow(0, x.size(0) - 1, 1).clone());
  return last.defined() ? conv_time_only(at::cat({last, x}), conv, 2) : x;
}

/// Twice the frames: two sets of channels become neighbours in time. The first chunk passes and leaves no memory.
Tensor double_time(const Tensor& x, const Conv& conv, CausalState& state) {
  const Tensor nothing = at::zeros_like(x.narrow(0, 0, 1)).expand({2, -1, -1, -1});
  if (state.first_chunk()) return state.exchange(nothing), x;
  const Tensor pair = conv_time_only(state.extend(x), conv, 1);
  const int64_t channels = x.size(1);
  return at::stack({pair.narrow(1, 0, channels), pair.narrow(1, channels, channels)}, 1).flatten(0, 1);
}

}  // namespace

WanVae::WanVae(const WanVaeConfig& config, const nn::WeightScope& weights)
    : config_(config),
      encoder_(take_encoder(weights / "encoder")),
      decoder_(take_decoder(weights / "decoder")),
      quant_(take_pointwise(weights / "quant_conv", 2 * config.latent_channels, 2 * config.latent_channels)),
      post_quant_(take_pointwise(weights / "post_quant_conv", config.latent_channels, config.latent_channels)) {
  const auto per_channel = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kFloat).view({1, -1, 1, 1}).to(quant_.bias.device());
  };
  mean_ = per_channel(config.mean);
  deviation_ = per_channel(config.deviation);
}

nn::Placement WanVae::placement() const { return {quant_.bias.device(), quant_.bias.scalar_type()}; }

WanVae::Resnet WanVae::take_resnet(const nn::WeightScope& weights, int in, int out) {
  Resnet block;
  block.norm1 = take_gamma(weights / "norm1", in);
  block.conv1 = take_volume(weights / "conv1", in, out);
  block.norm2 = take_gamma(weights / "norm2", out);
  block.conv2 = take_volume(weights / "conv2", out, out);
  if (in != out) block.shortcut = take_pointwise(weights / "conv_shortcut", in, out);
  return block;
}

WanVae::Middle WanVae::take_middle(const nn::WeightScope& weights, int width) {
  const nn::WeightScope attention = weights / "attentions" / 0;
  Middle middle;
  middle.first = take_resnet(weights / "resnets" / 0, width, width);
  middle.attention = {take_gamma(attention / "norm", width, 2),
                      take_conv(attention / "to_qkv", width, 3 * width, {1, 1}),
                      take_conv(attention / "proj", width, width, {1, 1})};
  middle.second = take_resnet(weights / "resnets" / 1, width, width);
  return middle;
}

WanVae::Half WanVae::take_encoder(const nn::WeightScope& weights) const {
  Half half;
  int width = config_.base_channels;
  half.conv_in = take_volume(weights / "conv_in", 3, width);
  int index = 0;  // the blocks are one flat list
  for (std::size_t i = 0; i < config_.multipliers.size(); ++i) {
    const int out = config_.base_channels * config_.multipliers[i];
    Level level;
    for (int k = 0; k < config_.resnets; ++k) {
      level.resnets.push_back(take_resnet(weights / "down_blocks" / index++, width, out));
      width = out;
    }
    if (i + 1 < config_.multipliers.size()) {
      const nn::WeightScope resample = weights / "down_blocks" / index++;
      level.resize = take_conv(resample / "resample" / 1, width, width, {3, 3});
      if (config_.time_levels[i]) level.time = take_time(resample / "time_conv", width, width);
    }
    half.levels.push_back(std::move(level));
  }
  half.middle = take_middle(weights / "mid_block", width);
  half.norm_out = take_gamma(weights / "norm_out", width);
  half.conv_out = take_volume(weights / "conv_out", width, 2 * config_.latent_channels);
  return half;
}

WanVae::Half WanVae::take_decoder(const nn::WeightScope& weights) const {
  Half half;
  const std::size_t levels = config_.multipliers.size();
  int width = config_.base_channels * config_.multipliers.back();
  half.conv_in = take_volume(weights / "conv_in", config_.latent_channels, width);
  half.middle = take_middle(weights / "mid_block", width);
  for (std::size_t i = 0; i < levels; ++i) {
    const nn::WeightScope scope = weights / "up_blocks" / static_cast<std::int64_t>(i);
    const int out = config_.base_channels * config_.multipliers[levels - 1 - i];
    Level level;
    for (int k = 0; k <= config_.resnets; ++k) {
      level.resnets.push_back(take_resnet(scope / "resnets" / k, width, out));
      width = out;
    }
    if (i + 1 < levels) {
      const nn::WeightScope resample = scope / "upsamplers" / 0;
      level.resize = take_conv(resample / "resample" / 1, width, width / 2, {3, 3});
      if (config_.time_levels[levels - 2 - i]) level.time = take_time(resample / "time_conv", width, 2 * width);
      width /= 2;
    }
    half.levels.push_back(std::move(level));
  }
  half.norm_out = take_gamma(weights / "norm_out", width);
  half.conv_out = take_volume(weights / "conv_out", width, 3);
  return half;
}

std::vector<ChunkRange> WanVae::encoder_chunks(int frames) const {
  std::vector<ChunkRange> chunks{{0, 1}};
  for (int begin = 1; begin + 4 <= frames; begin += 4) chunks.push_back({begin, begin + 4});
  return chunks;
}

std::vector<ChunkRange> WanVae::decoder_chunks(int latent_frames) const {
  std::vector<ChunkRange> chunks;
  for (int i = 0; i < latent_frames; ++i) chunks.push_back({i, i + 1});
  return chunks;
}

Tensor WanVae::resnet(const Tensor& x, const Resnet& block, CausalState& state) {
  Tensor h = conv_in_time(state.extend(channel_norm_silu(x, block.norm1)), block.conv1);
  h = conv_in_time(state.extend(channel_norm_silu(h, block.norm2)), block.conv2);
  return h + (block.shortcut.weight.defined() ? conv_frames(x, block.shortcut) : x);
}

Tensor WanVae::attend(const Tensor& x, const Attention& block) {
  const int64_t frames = x.size(0), channels = x.size(1);
  // One head per frame over its pixels.
  const std::vector<Tensor> qkv =
      conv_frames(channel_norm(x, block.norm), block.to_qkv).flatten(2).transpose(1, 2).unsqueeze(1).chunk(3, -1);
  const Tensor mixed = nn::attention(qkv[0], qkv[1], qkv[2], 1 / std::sqrt(static_cast<double>(channels)));
  const Tensor result = mixed.squeeze(1).transpose(1, 2).reshape({frames, channels, x.size(2), x.size(3)});
  return x + conv_frames(result, block.proj);
}

Tensor WanVae::through_middle(const Tensor& x, const Middle& middle, CausalState& state) {
  return resnet(attend(resnet(x, middle.first, state), middle.attention), middle.second, state);
}

Posterior WanVae::encode_chunk(const Tensor& video, CausalState& state) const {
  state.begin_chunk();
  Tensor x = conv_in_time(state.extend(video), encoder_.conv_in);
  for (const Level& level : encoder_.levels) {
    for (const Resnet& block : level.resnets) x = resnet(x, block, state);
    if (level.resize.weight.defined()) x = conv_down(x, level.resize);
    if (level.time.weight.defined()) x = halve_time(x, level.time, state);
  }
  x = through_middle(x, encoder_.middle, state);
  x = conv_in_time(state.extend(channel_norm_silu(x, encoder_.norm_out)), encoder_.conv_out);
  x = conv_frames(x, quant_);
  return {x.narrow(1, 0, config_.latent_channels), x.narrow(1, config_.latent_channels, config_.latent_channels)};
}

Tensor WanVae::decode_chunk(const Tensor& latent, CausalState& state) const {
  const at::NoGradGuard no_gradients;
  state.begin_chunk();
  Tensor x = conv_in_time(state.extend(conv_frames(latent, post_quant_)), decoder_.conv_in);
  x = through_middle(x, decoder_.middle, state);
  for (const Level& level : decoder_.levels) {
    for (const Resnet& block : level.resnets) x = resnet(x, block, state);
    if (level.time.weight.defined()) x = double_time(x, level.time, state);
    if (level.resize.weight.defined()) x = conv_frames(upsample_frames(x), level.resize);
  }
  x = conv_in_time(state.extend(channel_norm_silu(x, decoder_.norm_out)), decoder_.conv_out);
  return x.clamp(-1, 1);
}

}  // namespace limber::prior
