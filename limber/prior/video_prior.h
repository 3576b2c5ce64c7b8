// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/frames.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/prior/checkpoint.h"
#include "limber/prior/sketch_model.h"

/// \file
/// Video-diffusion models as priors on motion: they draw videos, and they say how a video should change to look more
/// like one of theirs (score distillation, AKD section 4.3).
///
///     LIMBER_TRY(auto prior, prior::load_prior("models/sketch_prior"));
///     LIMBER_TRY(auto condition, prior->condition({"a fox trots"}));
///     LIMBER_TRY(auto report, prior->score(frames, condition, {.seed = 7, .iteration = i}, grad_frames));

namespace limber::prior {

using limber::Frames;
inline VideoSize video_size(const Frames& frames) { return {frames.frames, frames.height, frames.width}; }

/// What the video should show. Models that know no negative prompt use the empty one.
struct Prompt {
  std::string text;
  std::string negative;
};

/// A prompt (and rest-pose renders, where a prior uses them) as a model understands it. Plain data: it can be kept.
struct Condition {
  Prompt prompt;
  int length = 0, width = 0;          ///< of the text embeddings
  int left_out = 0;                   ///< tokens at the end of a long text that the model does not read
  std::vector<float> text, negative;  ///< [length, width] each
  std::optional<Frames> rest;         ///< one frame per view
};

/// What the network predicts.
enum class Prediction {
  kVelocity,  ///< v = sqrt(a) noise - sqrt(1 - a) z (CogVideoX)
  kFlow,      ///< v = noise - z (Wan)
  kSample,    ///< z itself (limber's own prior)
};

struct PriorInfo {
  std::string name;
  int views = 1;
  VideoSize native;                        ///< trained for; others work, with a loss of quality
  int frame_step = 4, size_multiple = 16;  ///< best frames = frame_step k + 1; height and width are multiples
  Prediction prediction = Prediction::kVelocity;
  int train_steps = 1000;
  int latent_channels = 16, latent_reduction = 8, text_length = 226;
  double sample_guidance = 6;  ///< usual for sampling
  int sample_steps = 50;
  int few_steps = 0;                 ///< passes of `SampleSettings::few_steps`; 0: it knows no such thing
  std::string sampler;               ///< what else samples depend on, in words; may be empty
  bool uses_rest = false;            ///< whether `condition` wants rest-pose renders
  double fps = 8;                    ///< of its videos
  Framing framing = Framing::kRest;  ///< of the rest-pose renders and of what it draws
  std::vector<ActionWords> actions;  ///< that it was taught; empty: whatever a prompt can say
};

/// How the guidance scale G combines the predictions with (c) and without (u) the prompt.
enum class GuidanceRule {
  kFromUnconditional,  ///< u + G (c - u): papers and diffusers; 1 means none
  kFromConditional,    ///< c + G (c - u): threestudio and TC4D; 0 means none. G here is G + 1 above
};

/// What is distilled.
enum class Residual {
  kSds,  ///< guided prediction minus the noise that was added (Poole et al. 2023; AKD eq. 7)
  kCsd,  ///< G (c - u) alone: classifier score (Yu et al. 2024), the same direction at high guidance with less variance
};

/// w(t), on z - z_hat.
enum class NoiseWeight {
  kAkd,         ///< 1: AKD eq. 17
  kNoiseError,  ///< makes it noise_hat - noise, the SDS of DreamFusion with its weight left out
};

/// How the gradient goes through the encoder; the first two are exact and equal.
enum class EncoderGradient {
  kAuto,        ///< kept if it fits the memory, else recomputed
  kKept,        ///< fastest
  kRecomputed,  ///< chunk by chunk: the memory of one chunk, one more forward pass
  kSampled,     ///< a few random chunks, scaled up: cheap, noisy
};

/// One score-distillation step. The defaults are AKD's (appendix D).
struct ScoreSettings {
  std::uint64_t seed = 0;
  int iteration = 0;        ///< of the run: draws new noise, and anneals t
  int draws = 1;            ///< (t, noise) per encoding; their mean counts. Times are stratified
  bool antithetic = false;  ///< every second draw uses the noise of the one before, negated

  double t_min = 0.02, t_max = 0.98;  ///< of the training steps
  double t_max_end = 0.5;             ///< t_max falls linearly to this ...
  int anneal_iterations = 5000;       ///< ... over so many iterations; 0: at once
  std::optional<int> timestep;        ///< instead of a random one

  double guidance = 100;
  GuidanceRule rule = GuidanceRule::kFromUnconditional;
  Residual residual = Residual::kSds;
  NoiseWeight weight = NoiseWeight::kAkd;

  EncoderGradient encoder = EncoderGradient::kAuto;
  int sampled_chunks = 1;                   ///< of kSampled
  std::optional<std::vector<float>> noise;  ///< instead of random noise: [draws, latent frames, channels, h, w]
  bool return_latent_gradient = false;
};

/// The guidance scale in the rule kFromUnconditional.
double guidance_of(const ScoreSettings& settings);

/// The range of t at an iteration, in training steps, both ends included.
struct TimestepRange {
  int low = 0, high = 0;
};
TimestepRange timestep_range(const ScoreSettings& settings, int train_steps);

/// The t of each draw: one per equal part of the range.
std::vector<int> draw_timesteps(const ScoreSettings& settings, int train_steps);

struct DrawReport {
  int timestep = 0;
  double signal = 0, sigma = 0;  ///< z_t = signal z + sigma noise
  double weight = 0;             ///< on the residual of the predictions
  double guidance_norm = 0;      ///< |c - u|; 0 where a guidance of 1 makes u needless and the prior leaves it out
  double residual_norm = 0;      ///< |guided - target|, or |G (c - u)|
};

/// What a step did. Norms are Euclidean over all entries.
struct ScoreReport {
  std::vector<DrawReport> draws;
  double guidance = 0;                 ///< in the rule kFromUnconditional
  std::vector<float> latent_gradient;  ///< [latent frames, channels, h, w]: d(loss)/d(scaled latent), where asked for
  double latent_norm = 0;              ///< |z|, scaled
  double latent_gradient_norm = 0;     ///< |g|
  double gradient_norm = 0;            ///< of what is returned
  std::int64_t not_finite = 0;         ///< entries of the gradient, set to zero
  double encode_seconds = 0, denoise_seconds = 0, backward_seconds = 0;
};

/// Frames that are given, in all views: a sample passes through them (continuations, loops, keyframes).
struct KnownFrames {
  Frames frames;                    ///< of the size that is sampled; what is not known is not looked at
  std::vector<std::uint8_t> known;  ///< one per frame: 1 or 0
};

/// Sampling. What is not said is as usual for the checkpoint (`PriorInfo`).
struct SampleSettings {
  std::uint64_t seed = 0;
  std::optional<int> steps;        ///< >= 1
  bool few_steps = false;          ///< where the prior can: few passes, without guidance and negative prompt
  std::optional<double> guidance;  ///< kFromUnconditional
  bool dynamic_guidance = false;   ///< CogVideoX: grows with the steps
  std::optional<VideoSize> size;
  std::optional<KnownFrames> known;  ///< limber's own prior alone; others answer with an error
  Progress progress;
  std::optional<std::vector<float>> noise;  ///< instead of random noise: [latent frames, channels, h, w]
};

class DevicePrior;

/// A conditioned video prior. Not thread-safe.
class VideoPrior {
 public:
  virtual ~VideoPrior() = default;

  virtual const PriorInfo& info() const = 0;

  /// Understands a prompt, and rest-pose renders if the prior uses them (else they are ignored). Unless overridden,
  /// prompt and renders are only kept: for priors that embed nothing.
  virtual Result<Condition> condition(const Prompt& prompt, const Frames* rest = nullptr);

  /// The score-distillation gradient with respect to the pixels, of a loss summed over latent entries. `grad_frames` is
  /// overwritten. Same frames, condition, settings: same gradient.
  virtual Result<ScoreReport> score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                                    Frames& grad_frames) = 0;

  /// A video under the condition.
  virtual Result<Frames> sample(const Condition& condition, const SampleSettings& settings) = 0;

  /// What looks at frames on a GPU (device_prior.h); null: it wants them here.
  virtual DevicePrior* on_device() { return nullptr; }

  /// Whether `sample_all` draws in fewer passes than one after the other would take.
  virtual bool draws_together() const { return false; }
  /// A video for each of some settings, which differ in their seeds and known frames alone. Progress is that of the
  /// first. The bits of each may depend on which others there are.
  virtual Result<std::vector<Frames>> sample_all(const Condition& condition, std::span<const SampleSettings> settings) {
    std::vector<Frames> all;
    for (const SampleSettings& one : settings) {
      LIMBER_TRY(Frames frames, sample(condition, one));
      all.push_back(std::move(frames));
    }
    return all;
  }
};

/// How a checkpoint is brought into memory.
struct LoadSettings {
  /// "cpu", "cuda", "cuda:1"; auto: the GPU if there is one, but for the built-in prior the CPU. Several for CogVideoX
  /// and Wan, "cuda:0,cuda:1": each has the weights, and computes some of the draws or one half of a guided pair.
  std::string device = "auto";
  /// "float32", "bfloat16"; auto: bfloat16 on a GPU, float32 on a CPU and for the built-in prior. "float8": as auto,
  /// but the feed-forward layers of CogVideoX and Wan multiply in 8-bit floats, which is quicker on Hopper and less
  /// exact (docs/prior.md).
  std::string dtype = "auto";
  bool offload = false;  ///< the transformer's blocks stay in main memory and visit the device in turn
  /// Bytes on the device; unset: what it has. Too little is an error: before loading, of the built-in prior
  /// when a batch does not fit.
  std::optional<std::uint64_t> memory_limit;
  std::optional<std::filesystem::path> text_cache;  ///< folder of prompt embeddings; unset: none
  std::optional<int> text_length;                   ///< tokens of a prompt, >= 1, Wan only; unset: the model's own
};

/// Loads the built-in prior, or a checkpoint folder (checkpoint.h), whose text encoder is loaded when a prompt needs it
/// and freed again. `kUnsupported` for what needs LibTorch in a program without it.
Result<std::unique_ptr<VideoPrior>> load_prior(const std::filesystem::path& folder, const LoadSettings& settings = {});

/// Whether a prior needs LibTorch: any but the built-in one; and that one in 16 bits, or on a GPU other than the first
/// or in a build without CUDA.
bool needs_torch(const std::filesystem::path& folder, const LoadSettings& settings);

/// How those are loaded, unless null; see torch_priors.h. Not while a prior is being loaded.
using PriorLoader = Result<std::unique_ptr<VideoPrior>> (*)(const std::filesystem::path&, const LoadSettings&);
void set_torch_loader(PriorLoader loader);

/// `count` standard normal numbers that depend on (seed, iteration, draw) alone.
std::vector<float> normal_noise(std::size_t count, std::uint64_t seed, std::uint64_t iteration, std::uint64_t draw);

/// The numbers of one draw: from `given`, where all draws follow each other, or else random.
std::vector<float> noise_of_draw(const std::optional<std::vector<float>>& given, std::size_t count, std::uint64_t seed,
                                 std::uint64_t iteration, int draw);

}  // namespace limber::prior
