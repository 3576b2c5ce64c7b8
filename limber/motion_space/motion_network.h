// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/motion_space/motion_model.h"
#include "limber/nn/blocks.h"

namespace limber::motion_space {

using nn::Tensor;

/// Bodies as tensors, see MotionConditions. N slots, the body first, then the joints; those that a body does not have
/// are zero.
struct BodyBatch {
  Tensor features;   ///< [bodies, N - 1, kFeatures] float
  Tensor relations;  ///< [bodies, N, N] long
  Tensor present;    ///< [bodies, N] bool: slots that are there
};

/// What is asked for and what is known, one motion a body.
struct Wishes {
  Tensor actions;  ///< [bodies] long; the last of the table: any
  Tensor facts;    ///< [bodies, kFactCount] long: places in the table of choices
  Tensor known;    ///< [bodies, kTokens, N, kKnownNumbers]
};

/// The network for training; MotionDenoiser computes the same without LibTorch. A transformer (Peebles and Xie 2023,
/// with one modulation for all layers as in PixArt, Chen et al. 2023) over tokens of a joint and four frames, whose
/// layers look at all joints of a time, then at all times of a joint.
class MotionNetwork {
 public:
  MotionNetwork(const MotionModel& model, const nn::WeightScope& weights);

  /// The clip, [bodies, kTokens, N, kTokenNumbers] float, that it sees in noisy tokens of that shape at `times`,
  /// [bodies], 0 to 1.
  Tensor operator()(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy, const Tensor& times) const;

  /// Of a model that judges: what speaks for each action, [bodies, actions] float.
  Tensor judge(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy, const Tensor& times) const;

 private:
  struct Block {
    nn::Linear qkv, out, time_qkv, time_out, up, down;
    Tensor modulation;  ///< [kModulations * width]
    Tensor times;       ///< [heads * kTokens, kTokens]
  };
  /// The last layer's tokens, normalised: [bodies, kTokens, N, width].
  Tensor seen(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy, const Tensor& times) const;
  Tensor embedded(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy, const Tensor& asked) const;
  Tensor across_joints(const Block& block, const Tensor& x, const Tensor& bias) const;
  Tensor across_times(const Block& block, const Tensor& x, std::int64_t slots) const;

  MotionModel model_;
  nn::Linear joint_1_, joint_2_, poses_, mean_, sway_, steady_, known_poses_, known_sway_, asked_;
  nn::Linear time_1_, time_2_, modulation_, say_poses_, say_mean_, say_sway_, say_steady_, judge_;
  Tensor body_, moments_, actions_, choices_, relations_;  ///< tables
  nn::LayerNorm norm_;
  std::vector<Block> blocks_;
};

}  // namespace limber::motion_space
