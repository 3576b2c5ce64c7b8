// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/prior/autoencoder.h"
#include "limber/prior/denoiser.h"
#include "limber/prior/video_prior.h"

namespace limber::prior {

/// A prior that works on the latents of an autoencoder: CogVideoX and Wan.
class LatentPrior : public VideoPrior {
 public:
  /// One or more denoisers that are alike, each on a device of its own; the autoencoder on that of the first; the
  /// checkpoint that describes them, and what it may use there.
  LatentPrior(Checkpoint checkpoint, std::vector<std::unique_ptr<Denoiser>> denoisers,
              std::unique_ptr<Autoencoder> autoencoder, const LoadSettings& settings);

  const PriorInfo& info() const override { return info_; }
  Result<Condition> condition(const Prompt& prompt, const Frames* rest) override;
  Result<ScoreReport> score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                            Frames& grad_frames) override;
  Result<Frames> sample(const Condition& condition, const SampleSettings& settings) override;

  /// The latents that `sample` decodes, scaled: [frames, channels, h, w] in float.
  Result<Tensor> sample_latents(const Condition& condition, const SampleSettings& settings);

 private:
  /// The text of a condition and of its opposite, [2, length, width].
  Tensor text_pair(const Condition& condition) const;
  Status check(const VideoSize& size, const Condition& condition) const;
  /// c and u for one latent.
  struct Predictions {
    Tensor with_prompt, without;
  };
  /// A guided pair, or one half of it, on the device that is to compute it.
  struct Question {
    const Denoiser* denoiser;
    Tensor latents, text;
  };
  /// `draw` of `draws`: with at least as many draws as denoisers each takes whole draws, else the halves of a pair go
  /// to different ones. Inputs are sent out before anybody computes: a copy from a GPU waits for all that it was told
  /// before.
  std::vector<Question> share_out(const Tensor& latent, const Tensor& text, int draw, int draws) const;
  /// GPUs compute on while the next are told what to do.
  Predictions predict(const std::vector<Question>& questions, double timestep) const;
  /// z_t = signal z + sigma noise
  struct Mix {
    double signal = 0, sigma = 0;
  };
  Mix mix_at(int timestep) const;
  EncodedVideo encode_frames(const Frames& frames, const ScoreSettings& settings) const;
  Tensor latent_gradient(const Tensor& z, const Tensor& text, const ScoreSettings& settings, ScoreReport& report) const;
  Tensor start_noise(const std::optional<std::vector<float>>& given, const VideoSize& latent, std::uint64_t seed,
                     std::uint64_t iteration, int draw) const;

  Checkpoint checkpoint_;
  LoadSettings settings_;
  PriorInfo info_;
  std::vector<std::unique_ptr<Denoiser>> denoisers_;
  std::unique_ptr<Autoencoder> autoencoder_;
  std::optional<DdimSchedule> ddim_;
  std::optional<FlowSchedule> flow_;
};

/// Euclidean, over all entries.
double length_of(const Tensor& x);

/// A tensor's numbers, row by row.
std::vector<float> to_floats(const Tensor& tensor);

/// The devices, and the type, that settings ask for, at least one; sets LibTorch up for them.
Result<std::vector<nn::Placement>> placements_of(const LoadSettings& settings);
/// The only one; where there are more, an error that says that `who` computes on one.
Result<nn::Placement> placement_of(const LoadSettings& settings, const std::string& who);

/// Where the autoencoder goes. Wan's stays in float, as in the public pipeline: in bf16 its gradient is off by 3 %.
nn::Placement autoencoder_placement(const Checkpoint& checkpoint, nn::Placement placement);

/// Says before anything is loaded that it will not fit.
Status check_memory(const Checkpoint& checkpoint, const std::vector<nn::Placement>& placements,
                    const LoadSettings& settings);

/// Says that a model cannot read prompts of so many tokens.
Status check_text_length(const Checkpoint& checkpoint, std::optional<int> length);

/// The networks of a checkpoint from given weights, for `load_prior`, benchmarks and counting.
std::unique_ptr<Denoiser> make_denoiser(const Checkpoint& checkpoint, const nn::WeightScope& weights);
std::unique_ptr<Autoencoder> make_autoencoder(const Checkpoint& checkpoint, const nn::WeightScope& weights);

/// Whether the blocks' feed-forward layers are to multiply in 8-bit floats.
bool wants_float8(const LoadSettings& settings);

}  // namespace limber::prior
