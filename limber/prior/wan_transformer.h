// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/blocks.h"
#include "limber/prior/denoiser.h"
#include "limber/prior/model_config.h"

namespace limber::prior {

/// Wan 2.1's transformer (Wan team 2025, section 4.2): video tokens that look at the text by cross-attention. Predicts
/// noise - z.
class WanTransformer : public Denoiser {
 public:
  /// `weights`: the root of the `transformer` component.
  WanTransformer(const WanConfig& config, const nn::WeightScope& weights);

  Tensor predict(const Tensor& latents, double timestep, const Tensor& text) const override;
  nn::Placement placement() const override;
  void stream_blocks_to(at::Device device) override;
  void narrow_blocks() override;

 private:
  struct Attention {
    nn::Linear to_q, to_k, to_v, to_out;
    nn::RmsNorm norm_q, norm_k;  ///< over all heads together
  };
  struct Block {
    Attention self, cross;
    nn::LayerNorm norm2;
    Projection up, down;
    Tensor table;  ///< [1, 6, width]
  };

  template <class F>
  static void each(Block& block, F&& f);
  Attention take_attention(const nn::WeightScope& weights) const;
  Tensor attend(const Attention& layer, const Tensor& x, const Tensor& source, bool rotary) const;

  WanConfig config_;
  Tensor patch_weight_, patch_bias_, table_;
  nn::LayerNorm plain_norm_;
  nn::Linear time_1_, time_2_, time_proj_, text_1_, text_2_, proj_out_;
  std::vector<Block> blocks_;
  bool streams_ = false;

  // Of the grid last seen.
  mutable TokenGrid grid_;
  mutable Rotation rotation_;
};

}  // namespace limber::prior
