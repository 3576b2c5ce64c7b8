// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/nn/weights.h"
#include "limber/prior/part_transformer.h"
#include "limber/prior/video_prior.h"

namespace limber::prior {

/// The prior that ships with limber. It works on pixels: its z is the video in [-1, 1], z_t = (1 - s) z + s noise with
/// s = t / train_steps.
class PartPrior : public VideoPrior {
 public:
  PartPrior(const PartModel& model, nn::Weights weights, std::string name);

  const PriorInfo& info() const override { return info_; }
  /// `rest`: one frame in each view, of the model's size; without it the body is left to chance.
  Result<Condition> condition(const Prompt& prompt, const Frames* rest) override;
  Result<ScoreReport> score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                            Frames& grad_frames) override;
  Result<Frames> sample(const Condition& condition, const SampleSettings& settings) override;

 private:
  /// With the prompt and with its negative, a batch of two.
  struct Conditions {
    PartCondition both;
  };
  Status check_rest(const Frames& rest) const;
  Result<Conditions> conditions_of(const Condition& condition) const;
  /// The clean video that is seen with (0) and without (1) the prompt, each [views, frames, 3, size, size].
  Tensor predict(const Tensor& noisy, double sigma, const Conditions& conditions) const;
  Tensor noise(const std::optional<std::vector<float>>& given, std::uint64_t seed, std::uint64_t iteration,
               int draw) const;
  std::vector<std::int64_t> shape() const;

  PartModel model_;
  nn::Weights weights_;
  PartTransformer network_;
  PriorInfo info_;
};

/// Shares of noise that sampling passes through, from 1 to 0; `steps` + 1 of them.
std::vector<double> part_sigmas(int steps);

Result<std::unique_ptr<VideoPrior>> load_part_prior(const std::filesystem::path& folder, const LoadSettings& settings);

/// The weights of a model folder, whole or in shards.
Result<nn::Weights> open_part_weights(const std::filesystem::path& folder, const nn::Placement& placement);

/// Writes description and weights (16 bits, in shards) into a folder.
Status save_part_prior(const PartModel& model, const nn::TensorList& weights, const std::filesystem::path& folder);

}  // namespace limber::prior
