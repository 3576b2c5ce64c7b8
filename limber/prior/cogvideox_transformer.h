// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/blocks.h"
#include "limber/prior/denoiser.h"
#include "limber/prior/model_config.h"

namespace limber::prior {

/// CogVideoX's expert transformer (Yang et al. 2024, section 2.2): text and video in one sequence, each with its own
/// modulation. Predicts v.
class CogVideoXTransformer : public Denoiser {
 public:
  /// `weights`: the root of the `transformer` component.
  CogVideoXTransformer(const CogVideoXConfig& config, const nn::WeightScope& weights);

  Tensor predict(const Tensor& latents, double timestep, const Tensor& text) const override;
  nn::Placement placement() const override;
  void stream_blocks_to(at::Device device) override;
  void narrow_blocks() override;

 private:
  /// A layer norm shared by both streams, and the layer that gives each its shift, scale and gate.
  struct Modulation {
    nn::Linear linear;
    nn::LayerNorm norm;
  };
  struct Block {
    Modulation norm1, norm2;
    nn::Linear to_q, to_k, to_v, to_out;
    Projection up, down;
    nn::LayerNorm norm_q, norm_k;
  };
  /// What a modulation says for one timestep; text and video apart.
  struct Modulated {
    Tensor hidden, video_gate, text_gate;
  };

  template <class F>
  static void each(Block& block, F&& f);
  Modulated modulate(const Tensor& hidden, const Modulation& modulation, const Tensor& time) const;
  Tensor attend(const Tensor& hidden, const Block& block) const;
  void prepare_positions(const TokenGrid& grid) const;

  CogVideoXConfig config_;
  Tensor patch_weight_, patch_bias_;
  nn::Linear text_proj_, time_1_, time_2_, norm_out_linear_, proj_out_;
  nn::LayerNorm norm_final_, norm_out_;
  std::vector<Block> blocks_;
  bool streams_ = false;

  // Of the grid last seen.
  mutable TokenGrid grid_;
  mutable Tensor positions_;
  mutable Rotation rotation_;
};

}  // namespace limber::prior
