// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/blocks.h"
#include "limber/prior/sketch_model.h"

namespace limber::prior {

using nn::Tensor;

/// What the built-in prior is conditioned on, for a batch.
struct SketchCondition {
  Tensor text;      ///< [batch, width], from `SketchTransformer::text`
  Tensor rest;      ///< [batch, views, 3, size, size] in [-1, 1]
  Tensor has_rest;  ///< [batch], 1 or 0
  Tensor known;     ///< [batch, views, frames, 3, size, size] in [-1, 1]; undefined: no frame is known
  Tensor is_known;  ///< [batch, frames], 1 or 0: of other frames nothing is looked at
};

/// Whether the network goes along the noise by small steps, or jumps: then it is also told to which share of noise.
enum class Stride { kSmall, kJump };

/// The built-in prior's network (Peebles and Xie 2023, on pixels; x-prediction after Li and He 2025): an adaptive
/// layer-norm transformer over all views and frames at once.
class SketchTransformer {
 public:
  SketchTransformer(const SketchModel& model, const nn::WeightScope& weights, Stride stride = Stride::kSmall);

  /// [batch, width] of prompts given as `prompt_groups`, [batch, kPromptWords, kWordGroups] (int32 or int64); a prompt
  /// without words, and every one whose `keep` [batch] is 0, becomes the empty prompt.
  Tensor text(const Tensor& groups, const Tensor& keep) const;

  /// The clean video that it sees in a noisy one. `noisy` [batch, views, frames, 3, size, size], `sigma` [batch] or
  /// [batch, tubes] in [0, 1]: the share of noise. `target`, of the same shape: the share that is jumped to; undefined
  /// unless the stride is kJump.
  Tensor denoised(const Tensor& noisy, const Tensor& sigma, const SketchCondition& condition,
                  const Tensor& target = {}) const;

  nn::Placement placement() const;

  /// Names of the tensors that a version has and the one before it has not; they start at zero, and nothing changes.
  static std::vector<std::string> new_tensors(int version);

 private:
  struct Block {
    nn::Linear qkv, out, up, down;
    nn::LayerNorm norm_q, norm_k;
    Tensor table;  ///< [6, width]
  };
  /// Blocks of pixels -> tokens: [batch, view, tube, row and column, (frame, channel, y, x)].
  Tensor tokens_of(const Tensor& video) const;
  Tensor block_forward(const Block& block, Tensor x, const Tensor& modulation) const;

  SketchModel model_;
  Tensor letter_groups_;  ///< [buckets, word_width]; row 0 is padding
  nn::Linear word_up_, word_score_, text_1_, text_2_;
  Tensor no_text_;                    ///< [width]
  nn::Linear known_in_, known_bits_;  ///< of the second version
  nn::Linear video_in_, rest_in_, time_1_, time_2_, modulation_, out_;
  nn::Linear target_1_, target_2_;   ///< of jumps
  Tensor no_rest_, places_, views_;  ///< [width], [tokens_per_view, width], [views, width]
  std::vector<Block> blocks_;
  nn::LayerNorm plain_norm_;
};

}  // namespace limber::prior
