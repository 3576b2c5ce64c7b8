// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/vae_ops.h"

#include <cmath>

#include "limber/base/expect.h"

#if defined(LIMBER_PRIOR_CUDA)
#include "limber/nn/device.h"
#include "limber/prior/kernels.h"
#endif

namespace limber::prior {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

/// [T, C, H, W] <-> [1, C, T, H, W], a view either way.
Tensor as_volume(const Tensor& frames) { return frames.transpose(0, 1).unsqueeze(0); }
Tensor as_frames(const Tensor& volume) { return volume.squeeze(0).transpose(0, 1); }

/// A convolution whose parameters get no gradient: the input's needs the weight alone, so the input is not kept.
/// Autograd's own would keep it, which is most of an encoder's memory.
class FrozenConv2d : public Function<FrozenConv2d> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        int64_t stride, int64_t padding) {
    context->saved_data["weight"] = weight;
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    return at::conv2d(x, weight, bias, {stride, stride}, {padding, padding});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor weight = context->saved_data["weight"].toTensor();
    const int64_t stride = context->saved_data["stride"].toInt(), padding = context->saved_data["padding"].toInt();
    return {at::conv_transpose2d(gradients[0], weight, {}, {stride, stride}, {padding, padding}), {}, {}, {}, {}};
  }
};

/// The same in time: kernel 3 in time, `padding` in space.
class FrozenConv3d : public Function<FrozenConv3d> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        int64_t time_stride, int64_t padding) {
    context->saved_data["weight"] = weight;
    context->saved_data["stride"] = time_stride;
    context->saved_data["padding"] = padding;
    context->saved_data["frames"] = x.size(0);
    return as_frames(at::conv3d(as_volume(x), weight, bias, {time_stride, 1, 1}, {0, padding, padding}));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor weight = context->saved_data["weight"].toTensor();
    const int64_t stride = context->saved_data["stride"].toInt(), padding = context->saved_data["padding"].toInt();
    // Frames beyond the last stride were not looked at.
    const int64_t spare = context->saved_data["frames"].toInt() - ((gradients[0].size(0) - 1) * stride + 3);
    return {as_frames(at::conv_transpose3d(as_volume(gradients[0]), weight, {}, {stride, 1, 1}, {0, padding, padding},
                                           {spare, 0, 0})),
            {},
            {},
            {},
            {}};
  }
};

/// Every run of three frames as channels: [T + 2, C, H, W] -> [T, 3 C, H, W].
Tensor three_as_channels(const Tensor& frames) {
  const int64_t count = frames.size(0) - 2;
  return at::cat({frames.narrow(0, 0, count), frames.narrow(0, 1, count), frames.narrow(0, 2, count)}, 1);
}

/// Weights to match: [out, in, 3, 3, 3] -> [out, 3 in, 3, 3].
Tensor time_as_channels(const Tensor& weight) {
  return weight.transpose(1, 2).reshape({weight.size(0), -1, weight.size(3), weight.size(4)});
}

/// FrozenConv3d on images.
class FrozenImageConv : public Function<FrozenImageConv> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const Tensor& turned) {
    context->saved_data["turned"] = turned;
    return at::conv2d(three_as_channels(x), weight, bias, {1, 1}, {1, 1});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    // A frame of the input is seen by up to three of the output: with zeros around, by exactly three.
    const Tensor nothing = at::zeros_like(gradients[0].narrow(0, 0, 1));
    const Tensor around = at::cat({nothing, nothing, gradients[0], nothing, nothing});
    const Tensor turned = context->saved_data["turned"].toTensor();
    return {at::conv2d(three_as_channels(around), turned, {}, {1, 1}, {1, 1}), {}, {}, {}};
  }
};

/// [T, C, H, W] -> [T, groups, C / groups, H, W]
Tensor grouped(const Tensor& x, int64_t groups) {
  return x.view({x.size(0), groups, x.size(1) / groups, x.size(2), x.size(3)});
}
Tensor per_channel(const Tensor& parameter) { return parameter.view({1, -1, 1, 1}); }

/// Norms are computed in float, or in double for double.
Tensor widened(const Tensor& x) { return x.to(at::promote_types(x.scalar_type(), at::kFloat)); }

const std::vector<int64_t>& group_axes() {
  static const std::vector<int64_t> axes{0, 2, 3, 4};
  return axes;
}

struct GroupStatistics {
  Tensor mean, rstd;  ///< [1, groups, 1, 1, 1]
};

GroupStatistics group_statistics(const Tensor& x, int64_t groups, double eps) {
  const Tensor values = grouped(widened(x), groups);
  const Tensor mean = values.mean(group_axes(), true);
  return {mean, ((values - mean).square().mean(group_axes(), true) + eps).rsqrt()};
}

Tensor normalized(const Tensor& x, const GroupStatistics& statistics) {
  return ((grouped(widened(x), statistics.mean.size(1)) - statistics.mean) * statistics.rstd).view(x.sizes());
}

#if defined(LIMBER_PRIOR_CUDA)
/// The fused kernels on tensors: bf16 on a GPU, channels innermost.
struct FusedNorm {
  static cuda::NormShape shape(const Tensor& x, int64_t groups) {
    return {x.size(0) * x.size(2) * x.size(3), static_cast<int>(x.size(1)), static_cast<int>(groups)};
  }
  static bool applies(const Tensor& x, int64_t groups) {
    return x.is_cuda() && x.scalar_type() == at::kBFloat16 && cuda::supported(shape(x, groups));
  }
  static const cuda::Bf16* bits(const Tensor& x) { return static_cast<const cuda::Bf16*>(x.data_ptr()); }
  static cuda::Bf16* bits_out(const Tensor& x) { return static_cast<cuda::Bf16*>(x.data_ptr()); }
  static Tensor floats(const Tensor& like, int64_t count) {
    return at::empty({count}, like.options().dtype(at::kFloat));
  }

  static Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                        const GroupStatistics& out) {
    const cuda::NormShape s = shape(x, out.mean.numel());
    const Tensor scratch = floats(x, static_cast<int64_t>(cuda::scratch_size(s)));
    const Tensor y = at::empty_like(x);
    float *mean = out.mean.data_ptr<float>(), *rstd = out.rstd.data_ptr<float>();
    cuda::group_statistics(bits(x), s, eps, scratch.data_ptr<float>(), mean, rstd, nn::current_stream(x.device()));
    cuda::norm_silu(bits(x), s, mean, rstd, bits(weight), bits(bias), bits_out(y), nn::current_stream(x.device()));
    return y;
  }

  static Tensor backward(const Tensor& x, const Tensor& gradient, const Tensor& weight, const Tensor& bias,
                         const GroupStatistics& statistics) {
    const cuda::NormShape s = shape(x, statistics.mean.numel());
    const Tensor scratch = floats(x, static_cast<int64_t>(cuda::scratch_size(s))), moments = floats(x, 2 * s.groups);
    const Tensor incoming = gradient.contiguous(at::MemoryFormat::ChannelsLast), result = at::empty_like(x);
    cuda::norm_silu_backward(bits(x), bits(incoming), s, statistics.mean.data_ptr<float>(),
                             statistics.rstd.data_ptr<float>(), bits(weight), bits(bias), scratch.data_ptr<float>(),
                             moments.data_ptr<float>(), bits_out(result), nn::current_stream(x.device()));
    return result;
  }
};
#endif

/// SiLU(GroupNorm(x)) that keeps x and two numbers per group.
class NormSilu : public Function<NormSilu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        int64_t groups, double eps) {
    context->saved_data["weight"] = weight;
    context->saved_data["bias"] = bias;
#if defined(LIMBER_PRIOR_CUDA)
    if (FusedNorm::applies(x, groups)) {
      const Tensor packed = x.contiguous(at::MemoryFormat::ChannelsLast);
      const GroupStatistics statistics{FusedNorm::floats(x, groups), FusedNorm::floats(x, groups)};
      context->save_for_backward({packed, statistics.mean, statistics.rstd});
      return FusedNorm::forward(packed, weight, bias, eps, statistics);
    }
#endif
    const GroupStatistics statistics = group_statistics(x, groups, eps);
    context->save_for_backward({x, statistics.mean, statistics.rstd});
    const Tensor scaled = normalized(x, statistics) * per_channel(widened(weight)) + per_channel(widened(bias));
    return at::silu(scaled).to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor& x = saved[0];
    const GroupStatistics statistics{saved[1], saved[2]};
    const Tensor weight = context->saved_data["weight"].toTensor(), bias = context->saved_data["bias"].toTensor();
    return {gradient(x, gradients[0], weight, bias, statistics), {}, {}, {}, {}};
  }

 private:
  static Tensor gradient(const Tensor& x, const Tensor& incoming, const Tensor& weight, const Tensor& bias,
                         const GroupStatistics& statistics) {
#if defined(LIMBER_PRIOR_CUDA)
    if (FusedNorm::applies(x, statistics.mean.numel())) {
      return FusedNorm::backward(x, incoming, weight, bias, statistics);
    }
#endif
    const int64_t groups = statistics.mean.size(1);
    const Tensor normal = normalized(x, statistics);
    const Tensor scaled = normal * per_channel(widened(weight)) + per_channel(widened(bias));
    const Tensor gate = at::sigmoid(scaled);
    // d SiLU(u)/du = g (1 + u (1 - g)), then the norm's two corrections for the statistics.
    const Tensor g =
        grouped(widened(incoming) * gate * (1 + scaled * (1 - gate)) * per_channel(widened(weight)), groups);
    const Tensor n = grouped(normal, groups);
    const Tensor result = statistics.rstd * (g - g.mean(group_axes(), true) - n * (g * n).mean(group_axes(), true));
    return result.view(x.sizes()).to(x.scalar_type());
  }
};

/// x as a unit vector over channels, in float, and what multiplies it.
struct ChannelScale {
  ChannelScale(const Tensor& x, const Tensor& gamma) {
    const Tensor values = widened(x);
    length = values.square().sum(1, true).sqrt().clamp_min(1e-12);
    direction = values / length;
    gain = std::sqrt(static_cast<double>(x.size(1))) * per_channel(widened(gamma));
  }
  Tensor direction, length, gain;
};

/// SiLU of the channel norm that keeps x alone.
class ChannelNormSilu : public Function<ChannelNormSilu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gamma) {
    context->save_for_backward({x});
    context->saved_data["gamma"] = gamma;
    const ChannelScale scale(x, gamma);
    return at::silu(scale.direction * scale.gain).to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor x = context->get_saved_variables()[0];
    const ChannelScale scale(x, context->saved_data["gamma"].toTensor());
    const Tensor u = scale.direction * scale.gain, gate = at::sigmoid(u);
    const Tensor g = widened(gradients[0]) * gate * (1 + u * (1 - gate)) * scale.gain;
    // A unit vector moves only across itself.
    const Tensor along = (g * scale.direction).sum(1, true);
    return {((g - scale.direction * along) / scale.length).to(x.scalar_type()), {}};
  }
};

/// On a GPU the innermost axis is the channel: the convolutions are fastest so, and need no transposed copies.
Tensor channels_innermost(const Tensor& weight) {
  if (!weight.is_cuda()) return weight;
  return weight.contiguous(weight.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast);
}

}  // namespace

Conv take_conv(const nn::WeightScope& weights, int in, int out, const std::vector<int64_t>& kernel) {
  nn::Shape shape{out, in};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  const Conv conv{weights.get("weight", shape), weights.get("bias", {out}, nn::Init::constant(0)), {}};
  if (conv.weight.is_cuda() && kernel == std::vector<int64_t>{3, 3, 3}) return as_image_convolution(conv);
  return {channels_innermost(conv.weight), conv.bias, {}};
}

Conv as_image_convolution(const Conv& conv) {
  const Tensor turned = conv.weight.flip({2, 3, 4}).transpose(0, 1);
  return {channels_innermost(time_as_channels(conv.weight)), conv.bias, channels_innermost(time_as_channels(turned))};
}

Conv take_pointwise(const nn::WeightScope& weights, int in, int out) {
  Conv conv = take_conv(weights, in, out, {1, 1, 1});
  conv.weight = conv.weight.squeeze(2);
  return conv;
}

Tensor conv_in_time(const Tensor& frames, const Conv& conv) {
  if (conv.turned.defined()) return FrozenImageConv::apply(frames, conv.weight, conv.bias, conv.turned);
  return FrozenConv3d::apply(frames, conv.weight, conv.bias, int64_t{1}, int64_t{1});
}

Tensor conv_time_only(const Tensor& frames, const Conv& conv, int stride) {
  return FrozenConv3d::apply(frames, conv.weight, conv.bias, int64_t{stride}, int64_t{0});
}

Tensor conv_frames(const Tensor& frames, const Conv& conv) {
  return FrozenConv2d::apply(frames, conv.weight, conv.bias, int64_t{1}, conv.weight.size(2) / 2);
}

Tensor conv_down(const Tensor& frames, const Conv& conv) {
  LIMBER_EXPECT(frames.size(2) % 2 == 0 && frames.size(3) % 2 == 0, "odd size");
  return FrozenConv2d::apply(at::constant_pad_nd(frames, {0, 1, 0, 1}), conv.weight, conv.bias, int64_t{2}, int64_t{0});
}

Tensor norm_silu(const Tensor& x, const GroupNorm& norm) {
  return NormSilu::apply(x, norm.weight, norm.bias, int64_t{norm.groups}, norm.eps);
}

Tensor group_norm(const Tensor& x, const GroupNorm& norm) {
  const Tensor normal = normalized(x, group_statistics(x, norm.groups, norm.eps));
  return (normal * per_channel(widened(norm.weight)) + per_channel(widened(norm.bias))).to(x.scalar_type());
}

Tensor channel_norm(const Tensor& x, const Tensor& gamma) {
  const ChannelScale scale(x, gamma);
  return (scale.direction * scale.gain).to(x.scalar_type());
}

Tensor channel_norm_silu(const Tensor& x, const Tensor& gamma) { return ChannelNormSilu::apply(x, gamma); }

Tensor upsample_frames(const Tensor& x) { return at::upsample_nearest2d(x, {x.size(2) * 2, x.size(3) * 2}); }

// --- CausalState
// ------------------------------------------------------------------------------------------------------

void CausalState::begin_chunk() {
  previous_ = std::move(next_);
  next_.clear();
}

Tensor CausalState::exchange(const Tensor& next) {
  const std::size_t slot = next_.size();
  next_.push_back(next);
  return slot < previous_.size() ? previous_[slot] : Tensor();
}

Tensor CausalState::extend(const Tensor& x) {
  const std::size_t slot = next_.size();
  std::vector<Tensor> parts;
  if (slot < previous_.size()) {
    parts = {previous_[slot], x};
  } else if (start_ == Start::kZeros) {
    const Tensor frame = at::zeros_like(x.narrow(0, 0, 1));
    parts = {frame, frame, x};
  } else {
    const Tensor frame = x.narrow(0, 0, 1);
    parts = {frame, frame, x};
  }
  const Tensor extended = at::cat(parts);
  // A copy, so that the chunk itself can go.
  next_.push_back(extended.narrow(0, extended.size(0) - 2, 2).clone());
  return extended;
}

}  // namespace limber::prior
