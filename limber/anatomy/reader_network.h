// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/anatomy/reader_model.h"
#include "limber/nn/blocks.h"

namespace limber::anatomy {

using nn::Tensor;

/// Bodies as tensors, see BodyTokens.
struct TokenBatch {
  Tensor points, normals;     ///< [batch, points, 3] float
  Tensor tokens, neighbours;  ///< [batch, tokens], [batch, tokens, neighbours] long
};

/// What the network says, in float.
struct ReadBatch {
  Tensor regions;      ///< [batch, tokens, regions], before softmax
  Tensor starts;       ///< [batch, tokens, 3]: from the token to the joint that starts its part
  Tensor limbs;        ///< [batch, tokens, limbs]: kinds of limb, before softmax
  Tensor sides;        ///< [batch, tokens, 3], before softmax
  Tensor along;        ///< [batch, tokens]: how far along its limb, 0 to 1
  Tensor roots, tips;  ///< [batch, tokens, 3]: from the token to where its limb leaves, and ends
  Tensor kinds;        ///< [batch, kinds], before softmax
  Tensor up, forward;  ///< [batch, 3]: the surer, the longer, as the concentration of a von Mises-Fisher distribution
  Tensor counts;       ///< [batch, limbs, kCountClasses], before softmax
};

/// The network for training; BodyReader computes the same without LibTorch. Each token feels the points around it
/// (PointNet, Qi et al. 2017), then all tokens and one for the whole body look at each other.
class ReaderNetwork {
 public:
  ReaderNetwork(const ReaderModel& model, const nn::WeightScope& weights);

  ReadBatch operator()(const TokenBatch& bodies) const;

 private:
  struct Block {
    nn::LayerNorm norm_1, norm_2;
    nn::Linear qkv, out, up, down;
  };

  ReaderModel model_;
  nn::Linear place_1_, place_2_, group_1_, group_2_, group_out_;
  Tensor whole_;  ///< [width]
  std::vector<Block> blocks_;
  nn::LayerNorm norm_;
  nn::Linear part_, limb_, body_, count_;
};

}  // namespace limber::anatomy
