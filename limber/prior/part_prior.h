// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/base/device.h"
#include "limber/prior/part_model.h"
#include "limber/prior/part_network.h"
#include "limber/prior/video_prior.h"

namespace limber::prior {

/// Steps that the share of noise is counted in.
inline constexpr int kPartSteps = 1000;

/// The prior that ships with limber. It works on pixels: its z is the video in [-1, 1], z_t = (1 - s) z + s noise with
/// s = t / train_steps.
class PartPrior : public VideoPrior {
 public:
  PartPrior(const PartModel& model, std::unique_ptr<const PartNetwork> network, std::string name);

  const PriorInfo& info() const override { return info_; }
  const PartModel& model() const { return model_; }
  const PartNetwork& network() const { return *network_; }
  /// `rest`: one frame in each view, of the model's size; without it the body is left to chance.
  Result<Condition> condition(const Prompt& prompt, const Frames* rest) override;
  Result<ScoreReport> score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                            Frames& grad_frames) override;
  /// Known frames come back as they were given. The first version was not taught them: there they are only kept at the
  /// share of noise that all frames have, and what comes between them may not join well.
  Result<Frames> sample(const Condition& condition, const SampleSettings& settings) override;

 private:
  using Video = std::vector<float>;  ///< [views, frames, 3, size, size] in [-1, 1]
  /// What is known of a video while it is sampled.
  struct Known {
    Video video;               ///< 0 where nothing is known
    std::vector<float> bits;   ///< [frames]: 1 or 0
    std::vector<float> noisy;  ///< [tubes]: 0 where all frames are known and the network understands that, else 1
  };
  Status check_rest(const Frames& rest) const;
  Status check_condition(const Condition& condition) const;
  Status check_size(const SampleSettings& settings) const;
  Result<Known> known_of(const KnownFrames& given) const;
  /// `x` with its known frames at the shares of noise of their tubes.
  void hold(const Known& known, const Video& noise, std::span<const float> shares, Video& x) const;
  /// The clean video that is seen with, and, if both are wanted, without the prompt.
  Result<std::vector<Video>> see(const PartInput& input, const Condition& condition, bool both) const;
  Result<Video> guided(const PartInput& input, const Condition& condition, double guidance) const;

  PartModel model_;
  std::unique_ptr<const PartNetwork> network_;
  PriorInfo info_;
};

/// Numbers in [-1, 1] from those in [0, 1].
std::vector<float> from_unit(const std::vector<float>& values);
/// The pictures of the body at rest as the network takes them; empty where there are none.
std::vector<float> rest_of(const Condition& condition);

/// Without LibTorch, on the CPU or, in builds with CUDA, on a GPU, where `memory_limit` bounds the bytes that it takes.
Result<std::unique_ptr<VideoPrior>> open_part_prior(const std::filesystem::path& folder, Device device = Device::kCpu,
                                                    std::optional<std::uint64_t> memory_limit = {});

}  // namespace limber::prior
