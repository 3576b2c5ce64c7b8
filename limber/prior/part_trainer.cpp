// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_trainer.h"

#include <algorithm>

#include "limber/nn/training_loop.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/part_prior.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

/// Clips as tensors.
struct Clips {
  Tensor video, rest;  ///< uint8
  Tensor groups;       ///< int16 [clips, words, letter groups]
};

/// Video, rest and the letter groups of all captions, [clips, captions, words, letter groups].
Result<nn::TensorRun> draw_run(const ClipSource& source, const PartModel& model, std::uint64_t first,
                               std::int64_t count) {
  const std::int64_t side = model.size;
  const Tensor videos = at::empty({count, model.views, model.frames, 3, side, side}, at::kByte);
  const Tensor rests = at::empty({count, model.views, 3, side, side}, at::kByte);
  const Tensor groups = at::empty({count, kClipCaptions, kPromptWords, kWordGroups}, at::kShort);
  const std::int64_t video = videos[0].numel(), rest = rests[0].numel(), words = groups[0].numel();
  LIMBER_CHECK_OK(nn::draw_examples(count, [&](std::int64_t i) -> Status {
    const std::uint64_t number = first + static_cast<std::uint64_t>(i);
    LIMBER_TRY(const PartClip clip, source(number));
    if (static_cast<std::int64_t>(clip.video.size()) != video || static_cast<std::int64_t>(clip.rest.size()) != rest ||
        clip.captions.size() != static_cast<std::size_t>(kClipCaptions)) {
      return Error{"a clip of another size", std::to_string(number)};
    }
    std::copy(clip.video.begin(), clip.video.end(), videos.data_ptr<std::uint8_t>() + i * video);
    std::copy(clip.rest.begin(), clip.rest.end(), rests.data_ptr<std::uint8_t>() + i * rest);
    std::int16_t* target = groups.data_ptr<std::int16_t>() + i * words;
    for (const std::string& caption : clip.captions) {
      for (const std::int32_t group : prompt_groups(caption, model.buckets)) {
        *target++ = static_cast<std::int16_t>(group);
      }
    }
    return Done{};
  }));
  return nn::TensorRun{videos, rests, groups};
}

/// With one of the captions of each clip, at random.
Clips with_captions(const nn::TensorRun& run) {
  const Tensor each = at::arange(run[0].size(0), run[0].options().dtype(at::kLong));
  const Tensor caption = at::randint(kClipCaptions, {each.size(0)}, each.options());
  return {run[0], run[1], run[2].index({each, caption})};
}

/// Channels of a grey pixel differ by less, of 255.
constexpr int kGreyRange = 12;

/// Bytes as the network takes them.
Tensor unit(const Tensor& bytes) { return bytes.to(at::kFloat).mul_(1 / 127.5).sub_(1); }

/// Mean of ((x_hat - x) / max(s, floor))^2: the loss in v-space of a network that predicts x. Pixels of the body, which
/// are few, count more than those of the ground.
Tensor loss_of(const PartTransformer& network, const Clips& clips, const Tensor& sigma, const Tensor& noise,
               const Tensor& keep_text, const Tensor& keep_rest, const TrainSettings& settings) {
  const Tensor x = unit(clips.video);
  const Tensor s = sigma.view({-1, 1, 1, 1, 1, 1});
  PartCondition condition{network.text(clips.groups, keep_text), unit(clips.rest), keep_rest};
  const Tensor seen = network.denoised((1 - s) * x + s * noise, sigma, condition).to(at::kFloat);
  const Tensor colored = (clips.video.amax(3, /*keepdim=*/true) - clips.video.amin(3, /*keepdim=*/true)) > kGreyRange;
  const Tensor weight = 1 + (settings.body_weight - 1) * colored.to(at::kFloat);
  return (((seen - x) / s.clamp_min(settings.noise_floor)).square() * (weight / weight.mean())).mean();
}

/// The loss of a batch with noise and conditions at random.
Tensor random_loss(const PartTransformer& network, const Clips& clips, const TrainSettings& settings) {
  const auto options = clips.video.options().dtype(at::kFloat);
  const std::int64_t count = clips.video.size(0);
  const Tensor sigma = at::sigmoid(at::randn({count}, options) * settings.noise_deviation + settings.noise_mean);
  const Tensor noise = at::randn(clips.video.sizes(), options);
  const Tensor keep_text = (at::rand({count}, options) >= settings.drop_text).to(at::kFloat);
  const Tensor keep_rest = (at::rand({count}, options) >= settings.drop_rest).to(at::kFloat);
  return loss_of(network, clips, sigma, noise, keep_text, keep_rest, settings);
}

/// The same clips, noise and shares of noise every time.
struct Validation {
  Clips clips;
  Tensor noise, sigma;
};

Result<Validation> draw_validation(const ClipSource& source, const TrainSettings& settings, at::Device device) {
  const std::int64_t count = settings.plan.validation_examples;
  LIMBER_TRY(const nn::TensorRun run, draw_run(source, settings.model, kValidationClips, count));
  const std::vector<float> noise = normal_noise(static_cast<std::size_t>(run[0].numel()), 1, 0, 0);
  return Validation{{run[0].to(device), run[1].to(device), run[2].select(1, 0).to(device)},
                    at::tensor(noise).view(run[0].sizes()).to(device),
                    at::linspace(0.1, 0.95, count).to(device)};
}

double validation_loss(const Validation& validation, const nn::TensorList& tensors, const TrainSettings& settings) {
  const at::NoGradGuard no_gradients;
  nn::Weights weights = nn::Weights::from_tensors(tensors);
  const PartTransformer network(settings.model, weights.root());
  const Tensor all = at::ones_like(validation.sigma);
  double sum = 0;
  const std::int64_t count = validation.sigma.size(0), piece = 16;
  for (std::int64_t i = 0; i < count; i += piece) {
    const std::int64_t n = std::min(piece, count - i);
    const auto part = [&](const Tensor& tensor) { return tensor.narrow(0, i, n); };
    const Clips clips{part(validation.clips.video), part(validation.clips.rest), part(validation.clips.groups)};
    const Tensor loss =
        loss_of(network, clips, part(validation.sigma), part(validation.noise), part(all), part(all), settings);
    sum += static_cast<double>(n) * loss.item<double>();
  }
  return sum / static_cast<double>(count);
}

Result<TrainReport> train_on(const nn::Placement& placement, const ClipSource& source,
                             const std::filesystem::path& folder, const TrainSettings& settings) {
  const PartModel& model = settings.model;
  const auto open = [&] { return open_part_weights(settings.plan.from, placement); };
  const auto describe = [&](const nn::WeightScope& scope) { PartTransformer(model, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement, open, describe));
  LIMBER_TRY(const Validation validation, draw_validation(source, settings, placement.device));
  const PartTransformer network(model, weights.root());

  double measured = 0;
  nn::TrainingTask task;
  task.run = 256, task.stream = 77;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_run(source, model, first, count); };
  task.loss = [&](const nn::TensorRun& batch) { return random_loss(network, with_captions(batch), settings); };
  task.validate = [&](const nn::TensorList& averaged) { measured = validation_loss(validation, averaged, settings); };
  task.save = [&](const nn::TensorList& averaged) { return save_part_prior(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, measured}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return TrainReport{report, measured};
}

}  // namespace

Result<TrainReport> train_part_prior(const ClipSource& source, const std::filesystem::path& folder,
                                     const TrainSettings& settings) {
  LoadSettings load;
  load.device = settings.plan.device, load.dtype = settings.dtype;
  LIMBER_TRY(const nn::Placement placement, placement_of(load));
  return nn::guarded(folder.string(), [&] { return train_on(placement, source, folder, settings); });
}

}  // namespace limber::prior
