// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/weights.h"
#include "limber/prior/autoencoder.h"
#include "limber/prior/model_config.h"

namespace limber::prior {

/// CogVideoX's causal video autoencoder (Yang et al. 2024, section 2.1).
class CogVideoXVae : public Autoencoder {
 public:
  /// `weights`: the root of the `vae` component.
  CogVideoXVae(const CogVideoXVaeConfig& config, const nn::WeightScope& weights);

  std::vector<ChunkRange> encoder_chunks(int frames) const override;
  std::vector<ChunkRange> decoder_chunks(int latent_frames) const override;
  CausalState start() const override { return CausalState(CausalState::Start::kRepeatFirst); }
  Posterior encode_chunk(const Tensor& video, CausalState& state) const override;
  Tensor decode_chunk(const Tensor& latent, CausalState& state) const override;
  Tensor scaled(const Tensor& latent) const override { return latent * config_.scaling_factor; }
  Tensor unscaled(const Tensor& latent) const override { return latent / config_.scaling_factor; }
  Tensor scaled_gradient(const Tensor& gradient) const override { return gradient * config_.scaling_factor; }
  nn::Placement placement() const override;

 private:
  /// A GroupNorm, and in the decoder the two 1x1 convolutions of the latent that scale and shift its result.
  struct Norm {
    GroupNorm group;
    Conv scale, shift;
  };
  struct Resnet {
    Norm norm1, norm2;
    Conv conv1, conv2, shortcut;  ///< shortcut undefined where the width stays
  };
  struct Level {
    std::vector<Resnet> resnets;
    Conv resize;  ///< undefined on the last level
    bool in_time = false;
  };
  struct Half {
    Conv conv_in, conv_out;
    std::vector<Resnet> middle;
    std::vector<Level> levels;
    Norm norm_out;
  };

  Norm take_norm(const nn::WeightScope& weights, int channels, bool spatial) const;
  Resnet take_resnet(const nn::WeightScope& weights, int in, int out, bool spatial) const;
  Half take_encoder(const nn::WeightScope& weights) const;
  Half take_decoder(const nn::WeightScope& weights) const;
  Tensor normalized(const Tensor& x, const Norm& norm, const Tensor& latent) const;
  Tensor resnet(const Tensor& x, const Resnet& block, const Tensor& latent, CausalState& state) const;

  CogVideoXVaeConfig config_;
  Half encoder_, decoder_;
};

}  // namespace limber::prior
