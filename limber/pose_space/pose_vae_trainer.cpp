// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/base/files.h"
#include "limber/nn/device.h"
#include "limber/nn/training_loop.h"
#include "limber/pose_space/pose_lesson.h"
#include "limber/pose_space/pose_network.h"
#include "limber/pose_space/pose_trainer.h"
#include "limber/pose_space/pose_vae.h"

namespace limber::pose_space {
namespace {

constexpr double kDivergence = 0.02;  // of the loss, against squared errors of states
constexpr double kPlaces = 0.5;       // places that follow from turns, likewise
constexpr double kFilledIn = 0.5;     // share of poses of which a limb is hidden
constexpr std::int64_t kAtOnce = 64;  // bodies that are measured together

struct Autoencoder {
  PoseNetwork encoder, decoder;

  Autoencoder(const PoseModel& encoder_model, const PoseModel& decoder_model, const nn::WeightScope& weights)
      : encoder(encoder_model, weights / kEncoderFolder), decoder(decoder_model, weights / kDecoderFolder) {}
};

/// What came back of poses, [n * K, J, kStateSize], and how far latents are from a standard normal distribution.
struct Rebuilt {
  Tensor states, divergence;  ///< divergence: [n * K, J]
};

Rebuilt rebuild(const Autoencoder& networks, const PoseLesson& lesson, const Tensor& states, const Tensor& known,
                bool draws) {
  const Tensor none = at::zeros({states.size(0)}, states.options());
  const PoseSaid said =
      networks.encoder(networks.encoder.encode(lesson.bodies), states * known.unsqueeze(-1), none, known);
  const Tensor mean = said.velocities.narrow(-1, 0, kLatentSize);
  const Tensor spread = said.velocities.narrow(-1, kLatentSize, kLatentSize).clamp(-kMostLogVariance, kMostLogVariance);
  const Tensor latent = draws ? mean + (spread / 2).exp() * at::randn_like(mean) : mean;
  const Tensor padded = at::constant_pad_nd(latent, {0, kStateSize - kLatentSize});
  return {networks.decoder(networks.decoder.encode(lesson.bodies), padded, none).velocities,
          0.5 * (mean.square() + spread.exp() - 1 - spread).sum(-1)};
}

/// Half of the poses are known whole.
Tensor draw_known(const PoseLesson& lesson) {
  const Tensor whole = at::rand({lesson.turns.size(0), kPosesEach, 1}, lesson.turns.options()) >= kFilledIn;
  const Tensor known = draw_hidden(lesson, kPosesEach).logical_not().logical_or(whole);
  return known.logical_and(lesson.bodies.present.unsqueeze(1)).flatten(0, 1);
}

Tensor mean_of(const Tensor& values, const Tensor& counted) {
  const Tensor there = counted.to(at::kFloat);
  return (values * there).sum() / there.sum().clamp_min(1);
}

/// Distances of joints from where they are, [n * K, J], in radii.
Tensor apart(const PoseLesson& lesson, const Tensor& states) {
  const Tensor rotations = rotations_in(states.unflatten(0, {lesson.turns.size(0), kPosesEach}));
  return (lesson.places_of(rotations) - lesson.places_of(lesson.turns)).flatten(0, 1);
}

Tensor present_in_all(const PoseLesson& lesson) { return lesson.bodies.present.repeat_interleave(kPosesEach, 0); }

/// Poses that nobody takes are not for learning: the last one of each body is replaced by the first.
void mend(PoseLesson& lesson) { lesson.turns.select(1, kPosesEach - 1).copy_(lesson.turns.select(1, 0)); }

Tensor loss_of(const Autoencoder& networks, const PoseLesson& lesson) {
  const Tensor states = lesson.states_of(lesson.turns).flatten(0, 1), there = present_in_all(lesson);
  const Rebuilt made = rebuild(networks, lesson, states, draw_known(lesson), true);
  const Tensor wrong = (made.states - states).square().mean(-1);
  const Tensor displaced = (apart(lesson, made.states) / kPositionUnit).square().mean(-1).clamp_max(16);
  return mean_of(wrong + kPlaces * displaced + kDivergence * made.divergence, there);
}

struct Examination {
  struct Part {
    PoseLesson lesson;
    Tensor known;
  };
  std::vector<Part> parts;

  static Result<Examination> draw(const PoseSource& source, const nn::TrainingPlan& plan, at::Device device) {
    Examination examination;
    at::manual_seed(plan.seed + 1);
    for (std::int64_t first = 0; first < plan.validation_examples; first += kAtOnce) {
      const std::int64_t count = std::min<std::int64_t>(kAtOnce, plan.validation_examples - first);
      LIMBER_TRY(nn::TensorRun drawn,
                 draw_pose_run(source, kValidationPoses + static_cast<std::uint64_t>(first), count));
      for (Tensor& tensor : drawn) tensor = tensor.to(device);
      Part part{make_pose_lesson(PoseExamples::from(drawn), Variety::kNone), {}};
      mend(part.lesson);
      part.known = draw_hidden(part.lesson, kPosesEach).flatten(0, 1).logical_not();
      part.known = part.known.logical_and(present_in_all(part.lesson));
      examination.parts.push_back(std::move(part));
    }
    return examination;
  }

  PoseScore measure(const Autoencoder& networks) const {
    PoseScore score;
    for (const Part& part : parts) {
      const double share = 1 / static_cast<double>(parts.size());
      const Tensor states = part.lesson.states_of(part.lesson.turns).flatten(0, 1);
      const Tensor there = present_in_all(part.lesson), hidden = part.known.logical_not().logical_and(there);
      const Rebuilt whole = rebuild(networks, part.lesson, states, there, false);
      const Rebuilt filled = rebuild(networks, part.lesson, states, part.known, false);
      score.loss += share * mean_of((whole.states - states).square().mean(-1), there).item<double>();
      score.denoised += share * mean_of(apart(part.lesson, whole.states).norm(2, -1), there).item<double>();
      const Tensor made = at::where(part.known.unsqueeze(-1), states, filled.states);
      score.filled += share * mean_of(apart(part.lesson, made).norm(2, -1), hidden).item<double>();
      score.still += share * mean_of(apart(part.lesson, 0 * states).norm(2, -1), there).item<double>();
    }
    return score;
  }
};

/// Each half as a model of its own, as PoseDenoiser reads them.
Status save_half(const PoseModel& model, const nn::TensorList& weights, const std::filesystem::path& folder,
                 const std::string& half) {
  nn::TensorList own;
  for (const auto& [name, tensor] : weights) {
    if (name.rfind(half + ".", 0) == 0) own.emplace_back(name.substr(half.size() + 1), tensor);
  }
  std::error_code error;
  std::filesystem::create_directories(folder / half, error);
  if (error) return Error{error.message(), (folder / half).string()};
  LIMBER_CHECK_OK(nn::save_tensors(folder / half / kPoseWeightsFile, nn::in_bytes(own, "blocks."), {}, at::kHalf));
  return write_file(folder / half / kPoseModelFile, pose_model_to_json(model));
}

Result<PoseReport> train_on(at::Device device, const PoseSource& source, const std::filesystem::path& folder,
                            const PoseTraining& settings) {
  PoseModel decoder = settings.model, encoder = settings.model;
  encoder.fills = 1;
  // Both together are as large as the diffusion model.
  encoder.layers = decoder.layers = std::max(1, settings.model.layers / 2);
  const nn::Placement placement{device, nn::fast_dtype(device)};
  const auto open = [&] { return nn::Weights::open(settings.plan.from, placement); };
  const auto describe = [&](const nn::WeightScope& scope) { Autoencoder(encoder, decoder, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement, open, describe));
  LIMBER_TRY(const Examination examination, Examination::draw(source, settings.plan, device));
  const Autoencoder networks(encoder, decoder, weights.root());

  PoseScore score;
  nn::TrainingTask task;
  task.run = 2048, task.stream = 79;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_pose_run(source, first, count); };
  task.loss = [&](const nn::TensorRun& batch) {
    PoseLesson lesson = make_pose_lesson(PoseExamples::from(batch), Variety::kAll);
    mend(lesson);
    return loss_of(networks, lesson);
  };
  task.validate = [&](const nn::TensorList& averaged) {
    const at::NoGradGuard no_gradients;
    nn::Weights measured = nn::Weights::from_tensors(averaged);
    score = examination.measure(Autoencoder(encoder, decoder, measured.root()));
  };
  task.save = [&](const nn::TensorList& averaged) -> Status {
    LIMBER_CHECK_OK(save_half(encoder, averaged, folder, kEncoderFolder));
    return save_half(decoder, averaged, folder, kDecoderFolder);
  };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, score}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return PoseReport{report, score};
}

}  // namespace

Result<PoseReport> train_pose_vae(const PoseSource& source, const std::filesystem::path& folder,
                                  const PoseTraining& settings) {
  if (!settings.plan.from.empty())
    return Error{"an autoencoder of poses starts from nothing", settings.plan.from.string(), ErrorKind::kUnsupported};
  LIMBER_TRY([[maybe_unused]] const PoseModel readable,
             pose_model_from_json(pose_model_to_json(settings.model), folder.string()));
  LIMBER_TRY(const at::Device device, nn::device_named(settings.plan.device));
  return nn::guarded(folder.string(), [&] { return train_on(device, source, folder, settings); });
}

}  // namespace limber::pose_space
