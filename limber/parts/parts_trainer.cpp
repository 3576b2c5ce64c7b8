// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_trainer.h"

#include <algorithm>
#include <map>

#include "limber/base/files.h"
#include "limber/nn/device.h"
#include "limber/nn/training_loop.h"
#include "limber/parts/parts_lesson.h"
#include "limber/parts/parts_network.h"

namespace limber::parts {
namespace {

constexpr const char* kAveragedFile = "averaged.safetensors";
constexpr const char* kFirstStageFolder = "rgb";
constexpr std::int64_t kAtOnce = 16;  // examples that are measured together
constexpr int kSteps = 4;
/// Shares of noise that are taught: the logistic function of a normal distribution, most of them above one half.
constexpr double kNoiseMean = 0.4, kNoiseDeviation = 1.2;
constexpr double kNoiseFloor = 0.1;  // the loss does not grow any more below it
constexpr double kBodyWeight = 3;    // of the body's pixels, which are few
constexpr double kColorWeight = 0.5;

Result<nn::TensorRun> draw_run(const PartsSource& source, const PartsModel& model, std::uint64_t first,
                               std::int64_t count) {
  PartsExamples run = PartsExamples::empty(model, count);
  LIMBER_CHECK_OK(nn::draw_examples(count, [&](std::int64_t i) -> Status {
    const at::NoGradGuard no_gradients;
    LIMBER_TRY(const PartsExample example, source(first + static_cast<std::uint64_t>(i)));
    return run.put(i, example);
  }));
  return run.run();
}

/// Noise for colours and parts, and how much of it.
struct Noise {
  Tensor values;  ///< [2, n, K, S, S, 3]
  Tensor times;   ///< [n]

  static Noise draw(const Tensor& pictures) {
    std::vector<std::int64_t> shape = pictures.sizes().vec();
    shape.insert(shape.begin(), 2);
    const Tensor place = at::randn({pictures.size(0)}, pictures.options()) * kNoiseDeviation + kNoiseMean;
    return {at::randn(shape, pictures.options()), at::sigmoid(place)};
  }
};

/// Mean of ((x_hat - x) / max(s, floor))^2: the loss in v-space of a network that predicts x.
Tensor picture_loss(const Tensor& said, const Tensor& truth, const Tensor& weight, const Tensor& share) {
  const Tensor factor = weight / share.clamp_min(kNoiseFloor).square();
  return (at::mse_loss(said, truth, at::Reduction::None) * factor).mean();
}

PartsLesson lesson_of(const PartsTraining& settings, const PartsExamples& examples, const Tensor& uses,
                      bool backgrounds) {
  PartsLesson lesson = make_parts_lesson(settings.model, examples, uses, backgrounds);
  if (!settings.colors) hide_colors(lesson);
  return lesson;
}

Tensor loss_of(const PartsNetwork& network, const PartsTraining& settings, PartsStage stage, const PartsLesson& lesson,
               const Noise& noise) {
  const Tensor s = noise.times.view({-1, 1, 1, 1, 1});
  const Tensor colors = at::where(lesson.given, lesson.known.colors, at::lerp(lesson.colors, noise.values[0], s));
  const Tensor parts = at::lerp(lesson.parts, noise.values[1], s);
  const PartsSaid said = network(lesson.known, colors, parts, noise.times);
  const Tensor body = 1 + (kBodyWeight - 1) * lesson.body.to(at::kFloat);
  const Tensor weight = body / body.mean();
  const Tensor of_colors = picture_loss(said.colors, lesson.colors, weight * lesson.given.logical_not(), s);
  if (stage == PartsStage::kRgb) return of_colors;
  Tensor loss = picture_loss(said.parts, lesson.parts, weight, s);
  if (settings.colors) loss = loss + kColorWeight * of_colors;
  const PartsModel& model = settings.model;
  if (settings.contrast > 0 && model.pictures() > 1) {
    const Tensor pair = at::randperm(model.pictures(), at::TensorOptions().dtype(at::kLong));
    loss = loss + settings.contrast * contrast_of(model, said.features, lesson.labels, noise.times,
                                                  pair[0].item<std::int64_t>(), pair[1].item<std::int64_t>());
  }
  return loss;
}

/// Bodies that are not taught, with their noise: the same every time.
struct Examination {
  struct Part {
    PartsExamples examples;
    Tensor uses;
    Noise noise;
  };
  std::vector<Part> parts;

  static Result<Examination> draw(const PartsSource& source, const PartsTraining& settings, PartsStage stage,
                                  at::Device device) {
    Examination examination;
    at::manual_seed(settings.plan.seed + 1);
    const std::int64_t all = settings.plan.validation_examples;
    for (std::int64_t first = 0; first < all; first += kAtOnce) {
      LIMBER_TRY(nn::TensorRun drawn,
                 draw_run(source, settings.model, kValidationPictures + static_cast<std::uint64_t>(first),
                          std::min(kAtOnce, all - first)));
      for (Tensor& tensor : drawn) tensor = tensor.to(device);
      Part part{PartsExamples::from(drawn), {}, {}};
      const auto options = part.examples.elevations.options();
      part.uses = draw_uses(part.examples.orbits, stage);
      part.noise = Noise::draw(at::empty(part.examples.colors.sizes(), options));
      examination.parts.push_back(std::move(part));
    }
    return examination;
  }

  PartsScore measure(const PartsNetwork& network, const PartsTraining& settings, PartsStage stage) const {
    PartsScore score;
    const double share = 1 / static_cast<double>(parts.size());
    for (const Part& part : parts) {
      const PartsLesson lesson = lesson_of(settings, part.examples, part.uses, false);
      score.loss += share * loss_of(network, settings, stage, lesson, part.noise).item<double>();
    }
    if (stage == PartsStage::kRgb) return score;
    const int all = settings.model.pictures();
    score.mesh = right_pixels(network, settings, kMesh, 0, all);
    score.plain = right_pixels(network, settings, kPlain, 0, all);
    score.seen = right_pixels(network, settings, kPicture, 0, 1);
    if (all > 1) score.made_up = right_pixels(network, settings, kPicture, 1, all - 1);
    return score;
  }

  /// The share of the body's pixels in some pictures that get their part's colour, where this is known of all examples;
  /// what orbits counts as a mesh alone.
  double right_pixels(const PartsNetwork& network, const PartsTraining& settings, Use use, int first, int count) const {
    double right = 0, body = 0;
    for (const Part& part : parts) {
      const Tensor uses = at::full_like(part.uses, static_cast<std::int64_t>(use));
      const PartsLesson lesson = lesson_of(settings, part.examples, uses, false);
      const PixelCounts counts = count_right(part.examples, draw_parts(network, lesson, part.noise.values, kSteps));
      const Tensor counted = part.examples.orbits.logical_not().logical_or(uses == kMesh).unsqueeze(1);
      right += (counts.right * counted).narrow(1, first, count).sum().item<double>();
      body += (counts.body * counted).narrow(1, first, count).sum().item<double>();
    }
    return right / std::max(body, 1.0);
  }
};

Status save_parts(const PartsModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  const nn::TensorList small = nn::in_bytes(nn::in_bytes(weights, "blocks."), "modulation.");
  LIMBER_CHECK_OK(nn::save_tensors(folder / kPartsWeightsFile, small, {}, at::kHalf));
  LIMBER_CHECK_OK(nn::save_tensors(folder / kAveragedFile, weights, {}, at::kHalf));
  return write_file(folder / kPartsModelFile, parts_model_to_json(model));
}

/// Weights to start with: in 16 bits where a training left them, else those of a model that ships.
std::filesystem::path weights_in(const std::filesystem::path& folder) {
  std::error_code error;
  return folder / (std::filesystem::exists(folder / kAveragedFile, error) ? kAveragedFile : kPartsWeightsFile);
}

/// Both branches from weights of the first stage: the part branch is a copy of the other, fusion starts at nothing.
Result<nn::Weights> with_part_branch(const PartsModel& model, std::uint64_t seed, nn::Weights first) {
  const PartsNetwork half(model, first.root(), PartsStage::kRgb);
  LIMBER_CHECK_OK(first.finish());
  std::map<std::string, Tensor> taught;
  for (const auto& [name, tensor] : first.tensors()) taught.emplace(name, tensor);
  nn::Weights random = nn::Weights::random(seed, first.placement());
  const PartsNetwork whole(model, random.root());
  nn::TensorList both;
  for (const auto& [name, tensor] : random.tensors()) {
    const auto own = taught.find(name), other = taught.find(name_in_color_branch(name));
    both.emplace_back(name,
                      own != taught.end() ? own->second : (other != taught.end() ? other->second.clone() : tensor));
  }
  return nn::Weights::from_tensors(both);
}

Result<nn::Weights> start_weights(const PartsTraining& settings, PartsStage stage, const nn::Placement& placement) {
  const auto describe = [&](const nn::WeightScope& scope) { PartsNetwork(settings.model, scope, stage); };
  const auto open = [&] { return nn::Weights::open(weights_in(settings.plan.from), placement); };
  if (stage == PartsStage::kBoth && !settings.plan.from.empty()) {
    LIMBER_TRY(nn::Weights weights, open());
    if (!weights.has("in.parts.weight"))
      return with_part_branch(settings.model, settings.plan.seed, std::move(weights));
  }
  return nn::first_weights(settings.plan, placement, open, describe);
}

Result<PartsReport> train_stage(at::Device device, const PartsSource& source, const std::filesystem::path& folder,
                                const PartsTraining& settings, PartsStage stage) {
  const PartsModel& model = settings.model;
  LIMBER_TRY(nn::Weights weights, start_weights(settings, stage, {device, nn::fast_dtype(device)}));
  LIMBER_TRY(const Examination examination, Examination::draw(source, settings, stage, device));
  PartsNetwork network(model, weights.root(), stage);
  network.set_fusion(settings.fusion && settings.colors);

  PartsScore score;
  nn::TrainingTask task;
  task.run = 256, task.stream = 83;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_run(source, model, first, count); };
  task.loss = [&](const nn::TensorRun& batch) {
    const PartsExamples examples = PartsExamples::from(batch);
    const Tensor uses = draw_uses(examples.orbits, stage);
    const PartsLesson lesson = lesson_of(settings, examples, uses, /*backgrounds=*/true);
    return loss_of(network, settings, stage, lesson, Noise::draw(lesson.colors));
  };
  task.validate = [&](const nn::TensorList& averaged) {
    const at::NoGradGuard no_gradients;
    nn::Weights measured = nn::Weights::from_tensors(averaged);
    PartsNetwork asked(model, measured.root(), stage);
    asked.set_fusion(settings.fusion && settings.colors);
    score = examination.measure(asked, settings, stage);
  };
  task.save = [&](const nn::TensorList& averaged) { return save_parts(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, score}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return PartsReport{report, score};
}

Result<PartsReport> train_on(at::Device device, const PartsSource& source, const std::filesystem::path& folder,
                             PartsTraining settings) {
  if (settings.stage == PartsStage::kBoth && settings.rgb_seconds > 0 && !settings.plan.resume) {
    PartsTraining first = settings;
    first.plan.seconds = settings.rgb_seconds;
    LIMBER_TRY([[maybe_unused]] const PartsReport taught,
               train_stage(device, source, folder / kFirstStageFolder, first, PartsStage::kRgb));
    settings.plan.from = folder / kFirstStageFolder;
    settings.plan.seconds -= settings.rgb_seconds;
  }
  return train_stage(device, source, folder, settings, settings.stage);
}

}  // namespace

Result<PartsReport> train_parts(const PartsSource& source, const std::filesystem::path& folder,
                                const PartsTraining& settings) {
  // What cannot be read back must not be trained.
  LIMBER_TRY([[maybe_unused]] const PartsModel readable,
             parts_model_from_json(parts_model_to_json(settings.model), folder.string()));
  if (settings.rgb_seconds > 0 && settings.rgb_seconds >= settings.plan.seconds)
    return Error{"the first stage takes all of the time", folder.string(), ErrorKind::kConflict};
  LIMBER_TRY(const at::Device device, nn::device_named(settings.plan.device));
  PartsTraining training = settings;
  training.model.colors = settings.colors;
  return nn::guarded(folder.string(), [&] { return train_on(device, source, folder, training); });
}

}  // namespace limber::parts
