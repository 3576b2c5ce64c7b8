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
#include "limber/prior/device_prior.h"
#include "limber/prior/sketch_model.h"
#include "limber/prior/sketch_network.h"
#include "limber/prior/video_prior.h"

namespace limber::prior {

/// Steps that the share of noise is counted in.
inline constexpr int kSketchSteps = 1000;

/// The prior that ships with limber. It works on pixels: its z is the video in [-1, 1], z_t = (1 - s) z + s noise with
/// s = t / train_steps.
class SketchPrior : public VideoPrior, private DevicePrior {
 public:
  /// `weights`: what tells them from others of the same shape, as in PriorInfo::sampler.
  SketchPrior(const SketchModel& model, std::unique_ptr<const SketchNetwork> network, std::string name,
              const std::string& weights = {});

  const PriorInfo& info() const override { return info_; }
  const SketchModel& model() const { return model_; }
  const SketchNetwork& network() const { return *network_; }
  /// `rest`: one frame in each view, of the model's size; without it the body is left to chance.
  Result<Condition> condition(const Prompt& prompt, const Frames* rest) override;
  Result<ScoreReport> score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                            Frames& grad_frames) override;
  /// Known frames come back as they were given. The first version was not taught them: there they are only kept at the
  /// share of noise that all frames have, and what comes between them may not join well.
  Result<Frames> sample(const Condition& condition, const SampleSettings& settings) override;
  DevicePrior* on_device() override { return network_->device() != nullptr ? this : nullptr; }
  bool draws_together() const override { return network_->device() != nullptr; }
  Result<std::vector<Frames>> sample_all(const Condition& condition, std::span<const SampleSettings> settings) override;

 private:
  using Video = std::vector<float>;  ///< [views, frames, 3, size, size] in [-1, 1]
  /// What is known of a video while it is sampled.
  struct Known {
    Video video;               ///< 0 where nothing is known
    std::vector<float> bits;   ///< [frames]: 1 or 0
    std::vector<float> noisy;  ///< [tubes]: 0 where all frames are known and the network understands that, else 1
  };
  /// A sample on its way.
  struct Sampling {
    std::optional<Known> known;
    Video noise, x;
    std::vector<float> shares, targets;  ///< [tubes], of this step
  };
  /// How all samples of a call are drawn.
  struct Passes {
    int steps = 0;
    bool few = false;
    double guidance = 1;
    double shift = 1;
    /// A jump knows the guidance that it was taught with; a guidance of 1 is none.
    bool pairs() const { return !few && guidance != 1; }
    /// Of noise before a step: falls from 1 to 0.
    double share(int step) const { return noise_share(static_cast<double>(steps - step) / steps, shift); }
    /// What of that is left after it.
    float left(int step) const { return static_cast<float>(share(step + 1) / share(step)); }
  };
  Result<Passes> passes_of(const Condition& condition, const SampleSettings& settings) const;
  Result<Sampling> begin_sample(const SampleSettings& settings) const;
  /// Shares of noise at a step, and where it jumps to.
  void share_out(const Passes& passes, int step, Sampling& sampling) const;
  /// What the network is asked at a step. Refers to the sample and `rest`.
  SketchInput ask(const Passes& passes, int step, const Video& rest, Sampling& sampling) const;
  /// From what was seen, with the prompt and, where there are two, without, to the next step.
  void go_on(const Passes& passes, int step, const std::vector<Video>& seen, Sampling& sampling) const;
  /// Display values, of which known frames are as they were given.
  Frames end_sample(const SampleSettings& settings, Video shown) const;

  // Where the network does all that by itself (sketch_on_device.cpp).
  struct Walking;
  Result<std::vector<Frames>> sample_there(const Condition& condition, std::span<const SampleSettings> settings) const;
  Walking walking_of(const Condition& condition, const ScoreSettings& settings, std::span<const int> timesteps) const;
  Result<ScoreReport> score_from_here(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                                      Frames& grad_frames) const;
  Status check_there(const DeviceFrames& frames, const Condition& condition) const;
  Result<ScoreReport> score_there(const DeviceFrames& frames, const Condition& condition, const ScoreSettings& settings,
                                  float* gradient) override;
  Result<Denoised> denoise_there(const DeviceFrames& frames, const Condition& condition, const ScoreSettings& settings,
                                 std::span<const int> timesteps, float* target) override;
  Result<std::vector<double>> squares_there(const DeviceFrames& frames, std::span<const Condition> conditions,
                                            const ScoreSettings& settings) override;

  Status check_frames(int views, VideoSize size) const;
  Status check_rest(const Frames& rest) const;
  Status check_condition(const Condition& condition) const;
  Status check_size(const SampleSettings& settings) const;
  Result<Known> known_of(const KnownFrames& given) const;
  /// `x` with its known frames at the shares of noise of their tubes.
  void hold(const Known& known, const Video& noise, std::span<const float> shares, Video& x) const;
  /// The clean video that is seen with, and, if both are wanted, without the prompt.
  Result<std::vector<Video>> see(const SketchInput& input, const Condition& condition, bool both) const;
  SketchModel model_;
  std::unique_ptr<const SketchNetwork> network_;
  PriorInfo info_;
};

/// Of noise, at one of the steps that it is counted in.
double share_at(int timestep);
/// Of a draw's residual.
double weight_at(int timestep, const ScoreSettings& settings);
/// Numbers in [-1, 1] from those in [0, 1].
std::vector<float> from_unit(const std::vector<float>& values);
/// The pictures of the body at rest as the network takes them; empty where there are none.
std::vector<float> rest_of(const Condition& condition);

/// Without LibTorch, on the CPU or, in builds with CUDA, on a GPU, where `memory_limit` bounds the bytes that it takes.
Result<std::unique_ptr<VideoPrior>> open_sketch_prior(const std::filesystem::path& folder, Device device = Device::kCpu,
                                                      std::optional<std::uint64_t> memory_limit = {});

}  // namespace limber::prior
