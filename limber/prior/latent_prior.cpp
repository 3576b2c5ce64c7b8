// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/latent_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/stopwatch.h"
#include "limber/nn/device.h"
#include "limber/nn/weights_id.h"
#include "limber/prior/cogvideox_transformer.h"
#include "limber/prior/cogvideox_vae.h"
#include "limber/prior/wan_transformer.h"
#include "limber/prior/wan_vae.h"

namespace limber::prior {
namespace {

Tensor from_floats(const std::vector<float>& values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat);
}

/// k of n, ascending.
std::vector<int> choose(int n, int k, Rng rng) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  for (int i = 0; i < k; ++i) {
    const auto other = static_cast<std::size_t>(i) + rng.below(static_cast<std::uint32_t>(n - i));
    std::swap(all[static_cast<std::size_t>(i)], all[other]);
  }
  all.resize(static_cast<std::size_t>(k));
  std::sort(all.begin(), all.end());
  return all;
}

PriorInfo describe(const Checkpoint& checkpoint, const LoadSettings& settings) {
  PriorInfo info;
  info.name = checkpoint.name;
  info.sampler = "weights " + nn::weights_id(checkpoint.path);
  info.native = native_size(checkpoint);
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    info.size_multiple = 8 * model->transformer.patch;
    info.train_steps = model->schedule.train_steps;
    info.latent_channels = model->transformer.channels;
    info.text_length = model->transformer.text_length;
  } else {
    const auto& wan = std::get<WanModel>(checkpoint.model);
    info.prediction = Prediction::kFlow;
    info.size_multiple = 8 * wan.transformer.patch;
    info.train_steps = wan.schedule.train_steps;
    info.latent_channels = wan.transformer.channels;
    info.text_length = settings.text_length.value_or(wan.transformer.text_length);
    info.sample_guidance = 5;
    info.fps = 16;
  }
  return info;
}

int text_width(const Checkpoint& checkpoint) {
  return std::visit([](const auto& model) { return model.transformer.text_width; }, checkpoint.model);
}

}  // namespace

double length_of(const Tensor& x) { return x.to(at::kFloat).norm().item<double>(); }

std::vector<float> to_floats(const Tensor& tensor) {
  const Tensor flat = tensor.to(at::kCPU).to(at::kFloat).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

std::unique_ptr<Denoiser> make_denoiser(const Checkpoint& checkpoint, const nn::WeightScope& weights) {
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    return std::make_unique<CogVideoXTransformer>(model->transformer, weights);
  }
  return std::make_unique<WanTransformer>(std::get<WanModel>(checkpoint.model).transformer, weights);
}

std::unique_ptr<Autoencoder> make_autoencoder(const Checkpoint& checkpoint, const nn::WeightScope& weights) {
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    return std::make_unique<CogVideoXVae>(model->vae, weights);
  }
  return std::make_unique<WanVae>(std::get<WanModel>(checkpoint.model).vae, weights);
}

LatentPrior::LatentPrior(Checkpoint checkpoint, std::vector<std::unique_ptr<Denoiser>> denoisers,
                         std::unique_ptr<Autoencoder> autoencoder, const LoadSettings& settings)
    : checkpoint_(std::move(checkpoint)),
      settings_(settings),
      info_(describe(checkpoint_, settings)),
      denoisers_(std::move(denoisers)),
      autoencoder_(std::move(autoencoder)) {
  LIMBER_EXPECT(!denoisers_.empty(), "at least one denoiser");
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint_.model)) {
    ddim_.emplace(model->schedule);
  } else {
    flow_.emplace(std::get<WanModel>(checkpoint_.model).schedule);
  }
}

Tensor LatentPrior::text_pair(const Condition& condition) const {
  const std::vector<int64_t> shape{1, condition.length, condition.width};
  return at::cat({from_floats(condition.text, shape), from_floats(condition.negative, shape)})
      .to(denoisers_.front()->placement().options());
}

Status LatentPrior::check(const VideoSize& size, const Condition& condition) const {
  LIMBER_CHECK_OK(check_size(checkpoint_, size));
  const auto expected = static_cast<std::size_t>(info_.text_length) * static_cast<std::size_t>(text_width(checkpoint_));
  if (condition.text.size() != expected || condition.negative.size() != expected) {
    return Error{"the condition was made by another model", info_.name};
  }
  return Done{};
}

std::vector<LatentPrior::Question> LatentPrior::share_out(const Tensor& latent, const Tensor& text, int draw,
                                                          int draws) const {
  const auto count = static_cast<int>(denoisers_.size());
  const auto question = [&](int which, const Tensor& texts) {
    const Denoiser* denoiser = denoisers_[static_cast<std::size_t>(which % count)].get();
    const at::Device device = denoiser->placement().device;
    return Question{denoiser, latent.to(device).unsqueeze(0).expand({texts.size(0), -1, -1, -1, -1}), texts.to(device)};
  };
  if (draws >= count) return {question(draw, text)};
  return {question(2 * draw, text.narrow(0, 0, 1)), question(2 * draw + 1, text.narrow(0, 1, 1))};
}

LatentPrior::Predictions LatentPrior::predict(const std::vector<Question>& questions, double timestep) const {
  std::vector<Tensor> seen;
  for (const Question& question : questions) {
    const c10::OptionalDeviceGuard there(question.denoiser->placement().device);
    const Tensor some = question.denoiser->predict(question.latents, timestep, question.text);
    for (const Tensor& one : some.unbind(0)) seen.push_back(one);
  }
  return {seen[0], seen[1]};
}

LatentPrior::Mix LatentPrior::mix_at(int timestep) const {
  if (ddim_) {
    const double a = ddim_->alpha_bar(timestep);
    return {std::sqrt(a), std::sqrt(1 - a)};
  }
  const double s = static_cast<double>(timestep) / info_.train_steps;
  return {1 - s, s};
}

Tensor LatentPrior::start_noise(const std::optional<std::vector<float>>& given, const VideoSize& latent,
                                std::uint64_t seed, std::uint64_t iteration, int draw) const {
  const std::vector<int64_t> shape{latent.frames, info_.latent_channels, latent.height, latent.width};
  const auto count = static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3]);
  const std::vector<float> values = noise_of_draw(given, count, seed, iteration, draw);
  return from_floats(values, shape).to(denoisers_.front()->placement().device, at::kFloat, false, true);
}

// --- score
// ------------------------------------------------------------------------------------------------------------

EncodedVideo LatentPrior::encode_frames(const Frames& frames, const ScoreSettings& settings) const {
  const nn::Placement place = autoencoder_->placement();
  Tensor video = from_floats(frames.values, {frames.frames, 3, frames.height, frames.width}).to(place.device);
  video = (video * 2 - 1).to(place.dtype);
  if (place.device.is_cuda()) video = video.contiguous(at::MemoryFormat::ChannelsLast);

  EncoderTape tape = EncoderTape::kRecompute;
  std::vector<int> kept;
  if (settings.encoder == EncoderGradient::kSampled) {
    const auto chunks = static_cast<int>(autoencoder_->encoder_chunks(frames.frames).size());
    const int count = std::clamp(settings.sampled_chunks, 1, chunks);
    tape = EncoderTape::kSampled;
    kept = choose(chunks, count, Rng(settings.seed, static_cast<std::uint64_t>(settings.iteration)));
  } else if (settings.encoder == EncoderGradient::kKept) {
    tape = EncoderTape::kKeep;
  } else if (settings.encoder == EncoderGradient::kAuto) {
    const auto bytes = static_cast<int>(at::elementSize(denoisers_.front()->placement().dtype));
    const MemoryNeed need = memory_needed(checkpoint_, video_size(frames), bytes);
    const std::uint64_t limit = settings_.memory_limit ? *settings_.memory_limit : nn::device_memory(place.device);
    if (need.score_kept() - (settings_.offload ? need.offloaded : 0) < limit) tape = EncoderTape::kKeep;
  }
  return EncodedVideo(*autoencoder_, video, tape, std::move(kept));
}

Tensor LatentPrior::latent_gradient(const Tensor& z, const Tensor& text, const ScoreSettings& settings,
                                    ScoreReport& report) const {
  const at::NoGradGuard no_gradients;
  const std::vector<int> timesteps = draw_timesteps(settings, info_.train_steps);
  const VideoSize latent{static_cast<int>(z.size(0)), static_cast<int>(z.size(2)), static_cast<int>(z.size(3))};
  struct Draw {
    Mix mix;
    Tensor noise;
    std::vector<Question> questions;
    Predictions v;
  };
  std::vector<Draw> draws;
  for (int k = 0; k < settings.draws; ++k) {
    const Mix mix = mix_at(timesteps[static_cast<std::size_t>(k)]);
    const bool mirrored = settings.antithetic && k % 2 == 1;
    const Tensor noise = mirrored ? -draws.back().noise
                                  : start_noise(settings.noise, latent, settings.seed,
                                                static_cast<std::uint64_t>(settings.iteration), k);
    draws.push_back({mix, noise, share_out(mix.signal * z + mix.sigma * noise, text, k, settings.draws), {}});
  }
  for (std::size_t k = 0; k < draws.size(); ++k) draws[k].v = predict(draws[k].questions, timesteps[k]);
  Tensor sum = at::zeros_like(z);
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const auto& [mix, noise, questions, v] = draws[k];
    const Tensor without = v.without.to(z.device()), guiding = v.with_prompt.to(z.device()) - without;
    // What the network would predict if it knew z and the noise.
    const Tensor target = flow_ ? noise - z : mix.signal * noise - mix.sigma * z;
    const Tensor residual =
        settings.residual == Residual::kCsd ? report.guidance * guiding : without + report.guidance * guiding - target;
    // sigma (v - v*) = z - z_hat (AKD eq. 7), signal (v - v*) = noise_hat - noise; neither divides by a small number.
    const double weight = settings.weight == NoiseWeight::kAkd ? mix.sigma : mix.signal;
    sum.add_(residual, weight);
    report.draws.push_back({timesteps[k], mix.signal, mix.sigma, weight, length_of(guiding), length_of(residual)});
  }
  return sum / settings.draws;
}

Result<ScoreReport> LatentPrior::score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                                       Frames& grad_frames) {
  LIMBER_EXPECT(settings.draws >= 1, std::to_string(settings.draws));
  LIMBER_EXPECT(frames.values.size() == frames.size(), fmt::format("{} numbers", frames.values.size()));
  if (frames.views != 1) return Error{fmt::format("one view at a time, not {}", frames.views), info_.name};
  LIMBER_CHECK_OK(check(video_size(frames), condition));
  return nn::guarded(info_.name, [&]() -> Result<ScoreReport> {
    const c10::OptionalDeviceGuard here(autoencoder_->placement().device);
    ScoreReport report;
    report.guidance = guidance_of(settings);
    Stopwatch watch;
    EncodedVideo encoded = encode_frames(frames, settings);
    const Tensor z = autoencoder_->scaled(encoded.mean().to(at::kFloat));
    report.latent_norm = length_of(z);
    report.encode_seconds = watch.lap();

    const Tensor gradient = latent_gradient(z, text_pair(condition), settings, report);
    report.latent_gradient_norm = length_of(gradient);
    if (settings.return_latent_gradient) report.latent_gradient = to_floats(gradient);
    report.denoise_seconds = watch.lap();

    // Frames are in [0, 1], the encoder's input in [-1, 1].
    const Tensor cotangent = autoencoder_->scaled_gradient(gradient).to(encoded.mean().scalar_type());
    Tensor pixels = 2 * encoded.backward(cotangent).to(at::kFloat);
    const Tensor finite = at::isfinite(pixels);
    report.not_finite = pixels.numel() - finite.sum().item<int64_t>();
    if (report.not_finite > 0) pixels = at::where(finite, pixels, at::zeros_like(pixels));
    report.gradient_norm = length_of(pixels);
    grad_frames.views = frames.views, grad_frames.frames = frames.frames;
    grad_frames.height = frames.height, grad_frames.width = frames.width;
    grad_frames.values.resize(frames.values.size());
    at::from_blob(grad_frames.values.data(), pixels.sizes(), at::kFloat).copy_(pixels);
    report.backward_seconds = watch.lap();
    return report;
  });
}

// --- sample
// -----------------------------------------------------------------------------------------------------------

Result<Tensor> LatentPrior::sample_latents(const Condition& condition, const SampleSettings& settings) {
  const VideoSize size = settings.size.value_or(info_.native);
  LIMBER_CHECK_OK(check(size, condition));
  const int steps = settings.steps.value_or(info_.sample_steps);
  LIMBER_EXPECT(steps >= 1, std::to_string(steps));
  if (steps > info_.train_steps) return Error{fmt::format("at most {} steps", info_.train_steps), info_.name};
  const double guidance = settings.guidance.value_or(info_.sample_guidance);

  return nn::guarded(info_.name, [&]() -> Result<Tensor> {
    const at::NoGradGuard no_gradients;
    const c10::OptionalDeviceGuard here(denoisers_.front()->placement().device);
    const Tensor text = text_pair(condition);
    Tensor z = start_noise(settings.noise, latent_size(checkpoint_, size), settings.seed, 0, 0);
    const std::vector<int> timesteps = ddim_ ? ddim_->timesteps(steps) : std::vector<int>();
    const std::vector<double> sigmas = flow_ ? flow_->sigmas(steps) : std::vector<double>();
    for (int i = 0; i < steps; ++i) {
      if (settings.progress && !settings.progress("denoising", static_cast<double>(i) / steps)) {
        return cancelled(info_.name);
      }
      const auto step = static_cast<std::size_t>(i);
      const double t = ddim_ ? timesteps[step] : sigmas[step] * info_.train_steps;
      const Predictions v = predict(share_out(z, text, 0, 1), t);
      double scale = guidance;
      if (settings.dynamic_guidance) {
        // The timestep, not the step, as in the public pipeline.
        scale = 1 + guidance * (1 - std::cos(kPi * std::pow((steps - t) / steps, 5.0))) / 2;
      }
      const Tensor without = v.without.to(z.device());
      const Tensor guided = without + scale * (v.with_prompt.to(z.device()) - without);
      if (ddim_) {
        const Mix mix = mix_at(timesteps[step]);
        const DdimStep ddim = ddim_->step(timesteps[step], steps);
        z = ddim.sample * z + ddim.denoised * (mix.signal * z - mix.sigma * guided);
      } else {
        z = z + (sigmas[step + 1] - sigmas[step]) * guided;
      }
    }
    return z;
  });
}

Result<Frames> LatentPrior::sample(const Condition& condition, const SampleSettings& settings) {
  if (settings.known) {
    return Error{"it cannot pass through frames that are given: only limber's own prior can", info_.name,
                 ErrorKind::kUnsupported};
  }
  LIMBER_TRY(const Tensor z, sample_latents(condition, settings));
  return nn::guarded(info_.name, [&]() -> Result<Frames> {
    if (settings.progress && !settings.progress("decoding", 0)) return cancelled(info_.name);
    const c10::OptionalDeviceGuard here(autoencoder_->placement().device);
    Tensor latent = autoencoder_->unscaled(z).to(autoencoder_->placement().dtype);
    if (latent.is_cuda()) latent = latent.contiguous(at::MemoryFormat::ChannelsLast);
    const Tensor video = (decode(*autoencoder_, latent).to(at::kFloat) / 2 + 0.5).clamp(0, 1);
    Frames frames;
    frames.frames = static_cast<int>(video.size(0));
    frames.height = static_cast<int>(video.size(2)), frames.width = static_cast<int>(video.size(3));
    frames.values = to_floats(video);
    return frames;
  });
}

}  // namespace limber::prior
