// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/vae_ops.h"

#include <cmath>

#include "limber/base/expect.h"

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

/// [T, C, H, W] -> [T, groups, C / groups, H, W]
Tensor grouped(const Tensor& x, int64_t groups) {
  return x.view({x.size(0), groups, x.size(1) / groups, x.size(2), x.size(3)});
}
Tensor per_channel(const Tensor& parameter) { return parameter.view({1, -1, 1, 1}); }

struct Normalized {
  Tensor value;       ///< (x - mean) / deviation, fp32, [T, C, H, W]
  Tensor mean, rstd;  ///< [1, groups, 1, 1, 1]
};

const std::vector<int64_t>& group_axes() {
  static const std::vector<int64_t> axes{0, 2, 3, 4};
  return axes;
}

Tensor normalize(const Tensor& x, int64_t groups, const Tensor& mean, const Tensor& rstd) {
  return ((grouped(x.to(at::kFloat), groups) - mean) * rstd).view(x.sizes());
}

Normalized group_statistics(const Tensor& x, int64_t groups, double eps) {
  const Tensor values = grouped(x.to(at::kFloat), groups);
  const Tensor mean = values.mean(group_axes(), true);
  const Tensor centred = values - mean;
  const Tensor rstd = (centred.square().mean(group_axes(), true) + eps).rsqrt();
  return {(centred * rstd).view(x.sizes()), mean, rstd};
}

/// SiLU(GroupNorm(x)) that keeps x and two numbers per group.
class NormSilu : public Function<NormSilu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        int64_t groups, double eps) {
    const Normalized normal = group_statistics(x, groups, eps);
    context->save_for_backward({x, normal.mean, normal.rstd});
    context->saved_data["weight"] = weight;
    context->saved_data["bias"] = bias;
    const Tensor scaled = normal.value * per_channel(weight.to(at::kFloat)) + per_channel(bias.to(at::kFloat));
    return at::silu(scaled).to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &mean = saved[1], &rstd = saved[2];
    const Tensor weight = per_channel(context->saved_data["weight"].toTensor().to(at::kFloat));
    const Tensor bias = per_channel(context->saved_data["bias"].toTensor().to(at::kFloat));
    const int64_t groups = mean.size(1);
    const Tensor normal = normalize(x, groups, mean, rstd);
    const Tensor gate = at::sigmoid(normal * weight + bias);
    const Tensor scaled = normal * weight + bias;
    // d SiLU(u)/du = g (1 + u (1 - g)), then the norm's two corrections for the statistics.
    const Tensor g = grouped(gradients[0].to(at::kFloat) * gate * (1 + scaled * (1 - gate)) * weight, groups);
    const Tensor n = grouped(normal, groups);
    const Tensor result = rstd * (g - g.mean(group_axes(), true) - n * (g * n).mean(group_axes(), true));
    return {result.view(x.sizes()).to(x.scalar_type()), {}, {}, {}, {}};
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
  return {channels_innermost(weights.get("weight", shape)), weights.get("bias", {out}, nn::Init::constant(0))};
}

Conv take_pointwise(const nn::WeightScope& weights, int in, int out) {
  Conv conv = take_conv(weights, in, out, {1, 1, 1});
  conv.weight = conv.weight.squeeze(2);
  return conv;
}

Tensor conv_in_time(const Tensor& frames, const Conv& conv) {
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
  const Normalized normal = group_statistics(x, norm.groups, norm.eps);
  return (normal.value * per_channel(norm.weight.to(at::kFloat)) + per_channel(norm.bias.to(at::kFloat)))
      .to(x.scalar_type());
}

Tensor channel_norm(const Tensor& x, const Tensor& gamma) {
  const Tensor values = x.to(at::kFloat);
  const Tensor length = values.square().sum(1, true).sqrt().clamp_min(1e-12);
  const double scale = std::sqrt(static_cast<double>(x.size(1)));
  return (values / length * (scale * per_channel(gamma.to(at::kFloat)))).to(x.scalar_type());
}

Tensor channel_norm_silu(const Tensor& x, const Tensor& gamma) { return at::silu(channel_norm(x, gamma)); }

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
