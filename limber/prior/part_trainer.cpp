// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_trainer.h"

#include <algorithm>

#include "limber/nn/training_loop.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/part_weights.h"
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

/// What a clip is shown with.
struct Shown {
  Tensor sigma;                 ///< [clips]: share of noise of what is not known
  Tensor noise;                 ///< as the video
  Tensor keep_text, keep_rest;  ///< [clips], 1 or 0
  Tensor known;                 ///< [clips, frames], 1 or 0; undefined: nothing is
};

/// One number per frame for all its pixels.
Tensor per_frame(const Tensor& values) { return values.view({values.size(0), 1, -1, 1, 1, 1}); }

/// Mean of ((x_hat - x) / max(s, floor))^2: the loss in v-space of a network that predicts x. Pixels of the body, which
/// are few, count more than those of the ground, and known frames not at all. Tubes of which every frame is known are
/// shown without noise.
Tensor loss_of(const PartTransformer& network, const Clips& clips, const Shown& shown, const TrainSettings& settings) {
  const Tensor x = unit(clips.video);
  const std::int64_t count = x.size(0), tubes = settings.model.tubes(), length = settings.model.patch_frames;
  PartCondition condition{network.text(clips.groups, shown.keep_text), unit(clips.rest), shown.keep_rest, {}, {}};
  const Tensor colored = (clips.video.amax(3, /*keepdim=*/true) - clips.video.amin(3, /*keepdim=*/true)) > kGreyRange;
  Tensor weight = 1 + (settings.body_weight - 1) * colored.to(at::kFloat);
  Tensor shares = shown.sigma.unsqueeze(1).expand({count, tubes});
  if (shown.known.defined()) {
    condition.known = x, condition.is_known = shown.known;
    shares = shares * (1 - shown.known.view({count, tubes, length}).amin(2));
    weight = weight * per_frame(1 - shown.known);
  }
  const Tensor s = per_frame(shares.repeat_interleave(length, 1));
  const Tensor seen = network.denoised((1 - s) * x + s * shown.noise, shares, condition).to(at::kFloat);
  const Tensor error = ((seen - x) / s.clamp_min(settings.noise_floor)).square();
  return (error * (weight / weight.mean().clamp_min(1e-6))).mean();
}

/// Frames that are known, [clips, frames], 1 or 0.
Tensor draw_known(std::int64_t count, const TrainSettings& settings, const at::TensorOptions& options) {
  const PartModel& model = settings.model;
  const std::int64_t tubes = model.tubes(), most = std::clamp<std::int64_t>(tubes - 2, 1, 3);
  const Tensor kind = at::rand({count, 1}, options), tube = at::arange(tubes, options).unsqueeze(0);
  const Tensor first = (at::rand({count, 1}, options) * static_cast<double>(most)).floor() + 1;
  Tensor whole = at::logical_and(kind < settings.continued, tube < first);
  if (tubes > 2) {
    whole = at::logical_or(whole,
                           at::logical_and(kind < std::min(settings.between, settings.continued), tube == tubes - 1));
  }
  // Two or three frames, of clips whose beginning is open; now and then of others.
  constexpr double kFrames = 2.5, kBeside = 0.05;
  const Tensor open = at::logical_and(kind >= settings.continued, kind < settings.continued + settings.keyframes);
  const Tensor marked = at::logical_or(open, at::rand({count, 1}, options) < kBeside);
  const Tensor single = at::logical_and(marked, at::rand({count, model.frames}, options) < kFrames / model.frames);
  return at::logical_or(whole.repeat_interleave(model.patch_frames, 1), single).to(at::kFloat);
}

/// The loss of a batch with noise, conditions and known frames at random.
Tensor random_loss(const PartTransformer& network, const Clips& clips, const TrainSettings& settings) {
  const auto options = clips.video.options().dtype(at::kFloat);
  const std::int64_t count = clips.video.size(0);
  Shown shown;
  shown.sigma = at::sigmoid(at::randn({count}, options) * settings.noise_deviation + settings.noise_mean);
  shown.noise = at::randn(clips.video.sizes(), options);
  shown.keep_text = (at::rand({count}, options) >= settings.drop_text).to(at::kFloat);
  shown.keep_rest = (at::rand({count}, options) >= settings.drop_rest).to(at::kFloat);
  if (settings.model.version >= 2 && settings.model.tubes() > 1) shown.known = draw_known(count, settings, options);
  return loss_of(network, clips, shown, settings);
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

/// `known`: [frames], of every clip; undefined: none.
double validation_loss(const Validation& validation, const nn::TensorList& tensors, const Tensor& known,
                       const TrainSettings& settings) {
  const at::NoGradGuard no_gradients;
  nn::Weights weights = nn::Weights::from_tensors(tensors);
  const PartTransformer network(settings.model, weights.root());
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

/// The first third of a clip, in whole tubes.
Tensor first_third(const PartModel& model) {
  const std::int64_t tubes = std::max(1, model.tubes() / 3);
  return (at::arange(model.frames) < tubes * model.patch_frames).to(at::kFloat);
}

Result<TrainReport> train_on(const nn::Placement& placement, const ClipSource& source,
                             const std::filesystem::path& folder, const TrainSettings& settings) {
  const PartModel& model = settings.model;
  const auto open = [&] { return open_first_weights(settings.plan.from, model.version, placement); };
  const auto describe = [&](const nn::WeightScope& scope) { PartTransformer(model, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement, open, describe));
  LIMBER_TRY(const Validation validation, draw_validation(source, settings, placement.device));
  const PartTransformer network(model, weights.root());

  double measured = 0, continued = 0;
  nn::TrainingTask task;
  task.run = 256, task.stream = 77;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_run(source, model, first, count); };
  task.loss = [&](const nn::TensorRun& batch) { return random_loss(network, with_captions(batch), settings); };
  task.validate = [&](const nn::TensorList& averaged) {
    measured = validation_loss(validation, averaged, {}, settings);
    if (model.version >= 2) continued = validation_loss(validation, averaged, first_third(model), settings);
  };
  task.save = [&](const nn::TensorList& averaged) { return save_part_prior(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, measured, continued}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return TrainReport{report, measured, continued};
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
