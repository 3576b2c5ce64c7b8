// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/nn/blocks.h"
#include "limber/parts/parts_model.h"
#include "limber/parts/parts_trainer.h"

namespace limber::parts {

using nn::Tensor;

/// What is known of pictures, -1 to 1 and zero where it is not. K pictures of S x S pixels.
struct KnownBatch {
  Tensor colors, places, normals;  ///< [n, K, S, S, 3]
  Tensor bits;                     ///< [n, K, kKnownBits]
};

/// What the network makes of noisy pictures, in float.
struct PartsSaid {
  Tensor colors, parts;  ///< [n, K, S, S, 3]; parts are undefined in the first stage
  Tensor features;       ///< [n, tokens, width] of the part branch after `contrast_layers`
};

/// The network for training; PartsDenoiser computes the same without LibTorch. Two diffusion transformers (Peebles and
/// Xie 2023) over patches of all pictures, one modulation for all layers of a branch, which inform each other after
/// every layer (the BiDiFuse of SP4D, Zhang et al. 2025).
class PartsNetwork {
 public:
  /// In the first stage there is no part branch.
  PartsNetwork(const PartsModel& model, const nn::WeightScope& weights, PartsStage stage = PartsStage::kBoth);

  /// False: branches know nothing of each other.
  void set_fusion(bool fusion) { fusion_ = fusion; }

  /// Noisy colours and parts, [n, K, S, S, 3], and their shares of noise, [n], 0 to 1. In the first stage `parts` is
  /// not looked at.
  PartsSaid operator()(const KnownBatch& known, const Tensor& colors, const Tensor& parts, const Tensor& times) const;

 private:
  struct Block {
    nn::Linear qkv, out, up, down;
    nn::LayerNorm query_norm, key_norm;
    Tensor modulation;  ///< [kModulations * width]
  };
  struct Branch {
    nn::Linear in, known, out, modulation;
    std::vector<Block> blocks;
  };
  struct Fusion {
    nn::Linear mix, colors, parts;
  };

  Branch make_branch(const nn::WeightScope& weights, const std::string& name) const;
  /// `modulations` [kModulations, n, width].
  Tensor run_block(const Block& block, const Tensor& x, const Tensor& modulations) const;
  /// `known` is all of what is told of patches, [n, tokens, numbers]; `where` [tokens, width].
  Tensor tokens_of(const Branch& branch, const Tensor& noisy, const Tensor& known, const Tensor& bits,
                   const Tensor& where) const;
  Tensor patches(const Tensor& pictures) const;
  Tensor pictures(const Tensor& patches) const;

  PartsModel model_;
  PartsStage stage_;
  bool fusion_ = true;
  nn::Linear time_1_, time_2_;
  Tensor place_, view_, moment_;  ///< [tokens of a picture, width], [views, width], [frames, width]
  Branch colors_, parts_;
  std::vector<Fusion> fusions_;
  nn::LayerNorm plain_;
};

/// The name of the same tensor in the RGB branch: a part branch starts as its copy.
std::string name_in_color_branch(std::string name);

}  // namespace limber::parts
