// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_trainer.h"

#include <algorithm>

#include "limber/prior/latent_prior.h"
#include "limber/prior/prompt_words.h"
#include "limber/prior/sketch_batches.h"
#include "limber/prior/sketch_weights.h"

namespace limber::prior {
namespace {

/// What a clip is shown with.
struct Shown {
  Tensor sigma;                 ///< [clips]: share of noise of what is not known
  Tensor noise;                 ///< as the video
  Tensor keep_text, keep_rest;  ///< [clips], 1 or 0
  Tensor known;                 ///< [clips, frames], 1 or 0; undefined: nothing is
};

/// Mean of ((x_hat - x) / max(s, floor))^2: the loss in v-space of a network that predicts x. Pixels of the body, which
/// are few, count more than those of the ground, and known frames not at all. Tubes of which every frame is known are
/// shown without noise.
Tensor loss_of(const SketchTransformer& network, const Clips& clips, const Shown& shown,
               const TrainSettings& settings) {
  const Tensor x = unit(clips.video);
  const std::int64_t count = x.size(0), tubes = settings.model.tubes(), length = settings.model.patch_frames;
  SketchCondition condition{network.text(clips.groups, shown.keep_text), unit(clips.rest), shown.keep_rest, {}, {}};
  Tensor weight = pixel_weights(clips.video, settings.body_weight);
  Tensor shares = shown.sigma.unsqueeze(1).expand({count, tubes});
  if (shown.known.defined()) {
    condition.known = x, condition.is_known = shown.known;
    shares = shares * open_tubes(shown.known, settings.model);
    weight = weight * per_frame(1 - shown.known);
  }
  const Tensor s = per_frame(shares.repeat_interleave(length, 1));
  const Tensor seen = network.denoised((1 - s) * x + s * shown.noise, shares, condition).to(at::kFloat);
  const Tensor error = ((seen - x) / s.clamp_min(settings.noise_floor)).square();
  return (error * (weight / weight.mean().clamp_min(1e-6))).mean();
}

/// The loss of a batch with noise, conditions and known frames at random.
Tensor random_loss(const SketchTransformer& network, const Clips& clips, const TrainSettings& settings) {
  const auto options = clips.video.options().dtype(at::kFloat);
  const std::int64_t count = clips.video.size(0);
  Shown shown;
  shown.sigma = at::sigmoid(at::randn({count}, options) * settings.noise_deviation + settings.noise_mean);
  shown.noise = at::randn(clips.video.sizes(), options);
  shown.keep_text = (at::rand({count}, options) >= settings.drop_text).to(at::kFloat);
  shown.keep_rest = (at::rand({count}, options) >= settings.drop_rest).to(at::kFloat);
  if (settings.model.version >= 2 && settings.model.tubes() > 1) {
    shown.known = draw_known(count, settings.model, settings.known, options);
  }
  return loss_of(network, clips, shown, settings);
}

/// The same clips, noise and shares of noise every time.
struct Validation {
  Clips clips;
  Tensor noise, sigma;
};

Result<Validation> draw_validation(const ClipSource& source, const TrainSettings& settings, at::Device device) {
  const std::int64_t count = settings.plan.validation_examples;
  LIMBER_TRY(const nn::TensorRun run, draw_clips(source, settings.model, kValidationClips, count));
  const std::vector<float> noise = normal_noise(static_cast<std::size_t>(run[0].numel()), 1, 0, 0);
  return Validation{{run[0].to(device), run[1].to(device), run[2].select(1, 0).to(device)},
                    at::tensor(noise).view(run[0].sizes()).to(device),
                    at::linspace(0.1, 0.95, count).to(device)};
}

/// `known`: [frames], of every clip; undefined: none.
double validation_loss(const Validation& validation, const nn::TensorList& tensors, const Tensor& known,
                       const TrainSettings& settings) {
  const at::NoGradGuard no_gradients;
  nn::Weights weights = nn::Weights::from_tensors(tensors);
  const SketchTransformer network(settings.model, weights.root());
  double sum = 0;
  const std::int64_t count = validation.sigma.size(0), piece = 16;
  for (std::int64_t i = 0; i < count; i += piece) {
    const std::int64_t n = std::min(piece, count - i);
    const auto part = [&](const Tensor& tensor) { return tensor.narrow(0, i, n); };
    const Clips clips{part(validation.clips.video), part(validation.clips.rest), part(validation.clips.groups)};
    const Tensor sigma = part(validation.sigma), all = at::ones_like(sigma);
    const Tensor marked = known.defined() ? known.to(sigma.options()).unsqueeze(0).repeat({n, 1}) : Tensor();
    const Tensor loss = loss_of(network, clips, {sigma, part(validation.noise), all, all, marked}, settings);
    sum += static_cast<double>(n) * loss.item<double>();
  }
  return sum / static_cast<double>(count);
}

Result<TrainReport> train_on(const nn::Placement& placement, const ClipSource& source,
                             const std::filesystem::path& folder, const TrainSettings& settings) {
  const SketchModel& model = settings.model;
  const auto open = [&] { return open_first_weights(settings.plan.from, model.version, placement); };
  const auto describe = [&](const nn::WeightScope& scope) { SketchTransformer(model, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement, open, describe));
  LIMBER_TRY(const Validation validation, draw_validation(source, settings, placement.device));
  const SketchTransformer network(model, weights.root());

  double measured = 0, continued = 0;
  nn::TrainingTask task;
  task.run = 256, task.stream = 77;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_clips(source, model, first, count); };
  task.loss = [&](const nn::TensorRun& batch) { return random_loss(network, with_captions(batch), settings); };
  task.validate = [&](const nn::TensorList& averaged) {
    measured = validation_loss(validation, averaged, {}, settings);
    if (model.version >= 2) continued = validation_loss(validation, averaged, first_third(model), settings);
  };
  task.save = [&](const nn::TensorList& averaged) { return save_sketch_prior(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, measured, continued}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return TrainReport{report, measured, continued};
}

}  // namespace

Result<TrainReport> train_sketch_prior(const ClipSource& source, const std::filesystem::path& folder,
                                       const TrainSettings& settings) {
  LoadSettings load;
  load.device = settings.plan.device, load.dtype = settings.dtype;
  LIMBER_TRY(const nn::Placement placement, placement_of(load, "training"));
  return nn::guarded(folder.string(), [&] { return train_on(placement, source, folder, settings); });
}

}  // namespace limber::prior
