// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/weights.h"

/// What the video autoencoders are made of. Videos are [frames, channels, height, width], one at a time, so that a
/// frame is a batch entry of the 2-D layers; on a GPU channels lie innermost. The weights are frozen: a convolution's
/// backward pass needs its weights only, a norm's its input, and nothing else is kept.
namespace limber::prior {

using nn::Tensor;

/// A convolution's parameters: [out, in, 3, 3, 3], [out, in, 3, 1, 1], [out, in, 3, 3] or [out, in, 1, 1].
struct Conv {
  Tensor weight, bias;
  Tensor turned;  ///< of an image convolution (see below): the weights of its gradient; else undefined
};

/// A 3x3x3 convolution as one of images that have three frames as channels, [out, 3 in, 3, 3]. GPUs run these several
/// times faster than the same thing in three dimensions, forward and, with turned weights, backward.
Conv as_image_convolution(const Conv& conv);

/// Takes a convolution from a model's weights, prepared for the device.
Conv take_conv(const nn::WeightScope& weights, int in, int out, const std::vector<int64_t>& kernel);
/// One of kernel 1x1x1 that is used on single frames.
Conv take_pointwise(const nn::WeightScope& weights, int in, int out);

/// 3x3x3 with stride 1, zeros around each frame, no padding in time: [T + 2, in, H, W] -> [T, out, H, W].
Tensor conv_in_time(const Tensor& frames, const Conv& conv);

/// 3x1x1 with a stride in time and no padding: [T, in, H, W] -> [(T - 3) / stride + 1, out, H, W].
Tensor conv_time_only(const Tensor& frames, const Conv& conv, int stride);

/// 3x3 or 1x1 on each frame, "same" padding.
Tensor conv_frames(const Tensor& frames, const Conv& conv);

/// Half the size: zeros right and below, then 3x3 with stride 2.
Tensor conv_down(const Tensor& frames, const Conv& conv);

struct GroupNorm {
  Tensor weight, bias;  ///< [channels]
  int groups = 32;
  double eps = 1e-6;
};

/// SiLU(GroupNorm(x)) with statistics over all frames of x.
Tensor norm_silu(const Tensor& x, const GroupNorm& norm);

/// GroupNorm alone. No gradient.
Tensor group_norm(const Tensor& x, const GroupNorm& norm);

/// SiLU(x / |x| sqrt(C) gamma), |x| over channels.
Tensor channel_norm_silu(const Tensor& x, const Tensor& gamma);
Tensor channel_norm(const Tensor& x, const Tensor& gamma);

/// Twice the height and width, nearest neighbour.
Tensor upsample_frames(const Tensor& x);

/// What the causal layers of a network remember from one chunk of frames to the next, in the order of their use.
class CausalState {
 public:
  enum class Start { kRepeatFirst, kZeros };
  explicit CausalState(Start start) : start_(start) {}

  /// [memory ; x]: the layer's last two input frames, then x; before the first chunk two copies of frame 0, or zeros.
  /// Remembers the last two frames of the result.
  Tensor extend(const Tensor& x);
  /// What this slot remembered (undefined in the first chunk); remembers `next` instead.
  Tensor exchange(const Tensor& next);

  /// Call before each chunk.
  void begin_chunk();
  bool first_chunk() const { return previous_.empty(); }
  /// The memories going into the next chunk: those of the chunk just done. Empty before the first.
  const std::vector<Tensor>& memories() const { return next_; }
  /// Continues as if `memories` had just been left behind.
  void restore(std::vector<Tensor> memories) { next_ = std::move(memories); }

 private:
  Start start_;
  std::vector<Tensor> previous_, next_;
};

}  // namespace limber::prior
