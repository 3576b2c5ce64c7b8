// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/prior/autoencoder.h"
#include "limber/prior/model_config.h"

namespace limber::prior {

/// Wan 2.1's causal video autoencoder (Wan team 2025, section 4.1): the first frame alone, then four at a time.
class WanVae : public Autoencoder {
 public:
  /// `weights`: the root of the `vae` component.
  WanVae(const WanVaeConfig& config, const nn::WeightScope& weights);

  std::vector<ChunkRange> encoder_chunks(int frames) const override;
  std::vector<ChunkRange> decoder_chunks(int latent_frames) const override;
  CausalState start() const override { return CausalState(CausalState::Start::kZeros); }
  Posterior encode_chunk(const Tensor& video, CausalState& state) const override;
  Tensor decode_chunk(const Tensor& latent, CausalState& state) const override;
  Tensor scaled(const Tensor& latent) const override { return (latent - mean_) / deviation_; }
  Tensor unscaled(const Tensor& latent) const override { return latent * deviation_ + mean_; }
  Tensor scaled_gradient(const Tensor& gradient) const override { return gradient / deviation_; }
  nn::Placement placement() const override;

 private:
  struct Resnet {
    Tensor norm1, norm2;
    Conv conv1, conv2, shortcut;  ///< shortcut undefined where the width stays
  };
  struct Attention {
    Tensor norm;
    Conv to_qkv, proj;
  };
  struct Middle {
    Resnet first, second;
    Attention attention;
  };
  struct Level {
    std::vector<Resnet> resnets;
    Conv resize, time;  ///< undefined on the last level; `time` where time changes too
  };
  struct Half {
    Conv conv_in, conv_out;
    Middle middle;
    std::vector<Level> levels;
    Tensor norm_out;
  };

  Half take_encoder(const nn::WeightScope& weights) const;
  Half take_decoder(const nn::WeightScope& weights) const;
  static Middle take_middle(const nn::WeightScope& weights, int width);
  static Resnet take_resnet(const nn::WeightScope& weights, int in, int out);
  static Tensor resnet(const Tensor& x, const Resnet& block, CausalState& state);
  static Tensor attend(const Tensor& x, const Attention& block);
  static Tensor through_middle(const Tensor& x, const Middle& middle, CausalState& state);

  WanVaeConfig config_;
  Half encoder_, decoder_;
  Conv quant_, post_quant_;
  Tensor mean_, deviation_;  ///< [1, channels, 1, 1], float
};

}  // namespace limber::prior
