// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/cogvideox_vae.h"

#include <algorithm>

namespace limber::prior {
namespace {

/// Frames in chunks of `size`; the first also takes what does not divide.
std::vector<ChunkRange> chunks_of(int frames, int size) {
  const int count = std::max(frames / size, 1), rest = frames % size;
  std::vector<ChunkRange> result;
  for (int i = 0; i < count; ++i) {
    const int begin = size * i + (i == 0 ? 0 : rest), end = std::min(size * (i + 1) + rest, frames);
    result.push_back({begin, end});
  }
  return result;
}

/// Half the frames: averages pairs; of an odd number the first stays alone.
Tensor average_pairs(const Tensor& x) {
  const int64_t odd = x.size(0) % 2, frames = x.size(0);
  if (frames == 1) return x;
  const Tensor rest = (x.slice(0, odd, frames, 2) + x.slice(0, odd + 1, frames, 2)) * 0.5;
  return odd == 1 ? at::cat({x.narrow(0, 0, 1), rest}) : rest;
}

/// Twice the frames; of an odd number the first stays single, and so does a lone frame.
Tensor double_frames(const Tensor& x) {
  const int64_t odd = x.size(0) % 2;
  if (x.size(0) == 1) return x;
  const Tensor rest = x.narrow(0, odd, x.size(0) - odd).repeat_interleave(2, 0);
  return odd == 1 ? at::cat({x.narrow(0, 0, 1), rest}) : rest;
}

/// The latent at the size of `like`, nearest neighbour; of an odd number the first frame is apart from the rest.
Tensor resized_like(const Tensor& latent, const Tensor& like) {
  const int64_t out = like.size(0), in = latent.size(0);
  Tensor frames = latent;
  if (out != in) {
    const int64_t apart = out > 1 && out % 2 == 1 ? 1 : 0;
    std::vector<int64_t> source;
    for (int64_t i = 0; i < out; ++i)
      source.push_back(i < apart ? 0 : apart + (i - apart) * (in - apart) / (out - apart));
    frames = latent.index_select(0, at::tensor(source, at::kLong).to(latent.device()));
  }
  return at::upsample_nearest2d(frames, {like.size(2), like.size(3)});
}

Conv take_causal(const nn::WeightScope& weights, int in, int out) {
  return take_conv(weights / "conv", in, out, {3, 3, 3});
}

}  // namespace

CogVideoXVae::CogVideoXVae(const CogVideoXVaeConfig& config, const nn::WeightScope& weights)
    : config_(config), encoder_(take_encoder(weights / "encoder")), decoder_(take_decoder(weights / "decoder")) {}

nn::Placement CogVideoXVae::placement() const {
  return {encoder_.conv_in.weight.device(), encoder_.conv_in.weight.scalar_type()};
}

CogVideoXVae::Norm CogVideoXVae::take_norm(const nn::WeightScope& weights, int channels, bool spatial) const {
  Norm norm;
  const nn::WeightScope group = spatial ? weights / "norm_layer" : weights;
  norm.group = {group.get("weight", {channels}, nn::Init::constant(1)),
                group.get("bias", {channels}, nn::Init::constant(0)), config_.groups,
                spatial ? 1e-6 : config_.norm_eps};
  if (spatial) {
    norm.scale = take_pointwise(weights / "conv_y" / "conv", config_.latent_channels, channels);
    norm.shift = take_pointwise(weights / "conv_b" / "conv", config_.latent_channels, channels);
  }
  return norm;
}

CogVideoXVae::Resnet CogVideoXVae::take_resnet(const nn::WeightScope& weights, int in, int out, bool spatial) const {
  Resnet block;
  block.norm1 = take_norm(weights / "norm1", in, spatial);
  block.conv1 = take_causal(weights / "conv1", in, out);
  block.norm2 = take_norm(weights / "norm2", out, spatial);
  block.conv2 = take_causal(weights / "conv2", out, out);
  if (in != out) block.shortcut = take_pointwise(weights / "conv_shortcut", in, out);
  return block;
}

CogVideoXVae::Half CogVideoXVae::take_encoder(const nn::WeightScope& weights) const {
  Half half;
  const auto levels = static_cast<int>(config_.channels.size());
  half.conv_in = take_causal(weights / "conv_in", 3, config_.channels.front());
  int width = config_.channels.front();
  for (int i = 0; i < levels; ++i) {
    const nn::WeightScope name = weights / "down_blocks" / i;
    Level level;
    for (int k = 0; k < config_.resnets; ++k) {
      const int out = config_.channels[static_cast<std::size_t>(i)];
      level.resnets.push_back(take_resnet(name / "resnets" / k, width, out, false));
      width = out;
    }
    if (i + 1 < levels) level.resize = take_conv(name / "downsamplers" / 0 / "conv", width, width, {3, 3});
    level.in_time = i < config_.time_levels;
    half.levels.push_back(std::move(level));
  }
  for (int k = 0; k < 2; ++k) {
    half.middle.push_back(take_resnet(weights / "mid_block" / "resnets" / k, width, width, false));
  }
  half.norm_out = take_norm(weights / "norm_out", width, /*spatial=*/false);
  // Whatever the resnets use, the last norm has this one.
  half.norm_out.group.eps = 1e-6;
  half.conv_out = take_causal(weights / "conv_out", width, 2 * config_.latent_channels);
  return half;
}

CogVideoXVae::Half CogVideoXVae::take_decoder(const nn::WeightScope& weights) const {
  Half half;
  const auto levels = static_cast<int>(config_.channels.size());
  int width = config_.channels.back();
  half.conv_in = take_causal(weights / "conv_in", config_.latent_channels, width);
  for (int k = 0; k < 2; ++k) {
    half.middle.push_back(take_resnet(weights / "mid_block" / "resnets" / k, width, width, true));
  }
  for (int i = 0; i < levels; ++i) {
    const nn::WeightScope name = weights / "up_blocks" / i;
    Level level;
    for (int k = 0; k <= config_.resnets; ++k) {
      const int out = config_.channels[static_cast<std::size_t>(levels - 1 - i)];
      level.resnets.push_back(take_resnet(name / "resnets" / k, width, out, true));
      width = out;
    }
    if (i + 1 < levels) level.resize = take_conv(name / "upsamplers" / 0 / "conv", width, width, {3, 3});
    level.in_time = i < config_.time_levels;
    half.levels.push_back(std::move(level));
  }
  half.norm_out = take_norm(weights / "norm_out", width, /*spatial=*/true);
  half.conv_out = take_causal(weights / "conv_out", width, 3);
  return half;
}

std::vector<ChunkRange> CogVideoXVae::encoder_chunks(int frames) const { return chunks_of(frames, 8); }
std::vector<ChunkRange> CogVideoXVae::decoder_chunks(int latent_frames) const { return chunks_of(latent_frames, 2); }

Tensor CogVideoXVae::normalized(const Tensor& x, const Norm& norm, const Tensor& latent) const {
  if (!latent.defined()) return norm_silu(x, norm.group);
  // A 1x1 convolution and a nearest-neighbour resize commute: convolve while the latent is small.
  const Tensor scale = resized_like(conv_frames(latent, norm.scale), x);
  const Tensor shift = resized_like(conv_frames(latent, norm.shift), x);
  return at::silu(group_norm(x, norm.group) * scale + shift);
}

Tensor CogVideoXVae::resnet(const Tensor& x, const Resnet& block, const Tensor& latent, CausalState& state) const {
  Tensor h = conv_in_time(state.extend(normalized(x, block.norm1, latent)), block.conv1);
  h = conv_in_time(state.extend(normalized(h, block.norm2, latent)), block.conv2);
  return h + (block.shortcut.weight.defined() ? conv_frames(x, block.shortcut) : x);
}

Posterior CogVideoXVae::encode_chunk(const Tensor& video, CausalState& state) const {
  state.begin_chunk();
  Tensor x = conv_in_time(state.extend(video), encoder_.conv_in);
  for (const Level& level : encoder_.levels) {
    for (const Resnet& block : level.resnets) x = resnet(x, block, {}, state);
    if (!level.resize.weight.defined()) continue;
    x = conv_down(level.in_time ? average_pairs(x) : x, level.resize);
  }
  for (const Resnet& block : encoder_.middle) x = resnet(x, block, {}, state);
  x = conv_in_time(state.extend(normalized(x, encoder_.norm_out, {})), encoder_.conv_out);
  return {x.narrow(1, 0, config_.latent_channels), x.narrow(1, config_.latent_channels, config_.latent_channels)};
}

Tensor CogVideoXVae::decode_chunk(const Tensor& latent, CausalState& state) const {
  const at::NoGradGuard no_gradients;
  state.begin_chunk();
  Tensor x = conv_in_time(state.extend(latent), decoder_.conv_in);
  for (const Resnet& block : decoder_.middle) x = resnet(x, block, latent, state);
  for (const Level& level : decoder_.levels) {
    for (const Resnet& block : level.resnets) x = resnet(x, block, latent, state);
    if (!level.resize.weight.defined()) continue;
    x = conv_frames(upsample_frames(level.in_time ? double_frames(x) : x), level.resize);
  }
  return conv_in_time(state.extend(normalized(x, decoder_.norm_out, latent)), decoder_.conv_out);
}

}  // namespace limber::prior
