// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/nn/weights.h"
#include "limber/prior/part_transformer.h"
#include "limber/prior/score_batch.h"
#include "limber/prior/video_prior.h"

namespace limber::prior {

/// Steps that the share of noise is counted in.
inline constexpr int kPartSteps = 1000;

/// The prior that ships with limber. It works on pixels: its z is the video in [-1, 1], z_t = (1 - s) z + s noise with
/// s = t / train_steps.
class PartPrior : public VideoPrior {
 public:
  PartPrior(const PartModel& model, nn::Weights weights, std::string name);

  /// From here on it can draw in few steps (few_steps.h); everything else stays as it is.
  void add_adapter(const nn::TensorList& adapter);

  const PriorInfo& info() const override { return info_; }
  /// `rest`: one frame in each view, of the model's size; without it the body is left to chance.
  Result<Condition> condition(const Prompt& prompt, const Frames* rest) override;
  Result<ScoreReport> score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                            Frames& grad_frames) override;
  /// Of several bodies, in one pass of the network. All ask for as many draws.
  Result<std::vector<ScoredVideo>> score_all(std::span<const VideoToScore> videos);
  /// Known frames come back as they were given. The first version was not taught them: there they are only kept at the
  /// share of noise that all frames have, and what comes between them may not join well.
  Result<Frames> sample(const Condition& condition, const SampleSettings& settings) override;

 private:
  /// With the prompt and with its negative, a batch of two.
  struct Conditions {
    PartCondition both;
  };
  /// What is known of a video while it is sampled.
  struct Known {
    Tensor video;  ///< [views, frames, 3, size, size] in [-1, 1]
    Tensor bits;   ///< [frames]: 1 or 0
    Tensor noisy;  ///< [tubes]: 0 where all frames are known and the network understands that, else 1
  };
  Status check_rest(const Frames& rest) const;
  Status check_scored(const VideoToScore& video) const;
  Result<Known> known_of(const KnownFrames& given) const;
  Result<Conditions> conditions_of(const Condition& condition) const;
  /// The clean video that is seen with (0) and without (1) the prompt, each [views, frames, 3, size, size]. `sigma`:
  /// one number, or one per tube.
  Tensor predict(const Tensor& noisy, const Tensor& sigma, const Conditions& conditions) const;
  /// The clean video that a jump from `sigma` to `target` aims at.
  Tensor predict_jump(const Tensor& noisy, const Tensor& sigma, const Tensor& target,
                      const Conditions& conditions) const;
  Tensor noise(const std::optional<std::vector<float>>& given, std::uint64_t seed, std::uint64_t iteration,
               int draw) const;
  std::vector<std::int64_t> shape() const;

  PartModel model_;
  nn::Weights weights_;
  PartTransformer network_;
  std::optional<PartTransformer> jumping_;  ///< with the adapter merged
  PriorInfo info_;
};

/// Pictures as the network sees them: [views, frames, 3, height, width] in [-1, 1].
Tensor from_frames(const Frames& frames, at::Device device);

/// Shares of noise that sampling passes through, from 1 to 0; `steps` + 1 of them.
std::vector<double> part_sigmas(int steps);

Result<std::unique_ptr<VideoPrior>> load_part_prior(const std::filesystem::path& folder, const LoadSettings& settings);

/// The weights of a model folder, whole or in shards, matrices in bytes where they were written so.
Result<nn::Weights> open_part_weights(const std::filesystem::path& folder, const nn::Placement& placement);

/// The weights to train on with: in 16 bits where a training left them, else those that ship. Tensors that versions
/// after the folder's own have, up to `version`, start at zero.
Result<nn::Weights> open_first_weights(const std::filesystem::path& folder, int version,
                                       const nn::Placement& placement);

/// Writes description and weights into a folder: matrices in bytes with a scale per row, for use, and all in 16 bits
/// (`averaged.safetensors`), for training on.
Status save_part_prior(const PartModel& model, const nn::TensorList& weights, const std::filesystem::path& folder);

}  // namespace limber::prior
