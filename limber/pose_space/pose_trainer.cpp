// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_trainer.h"

#include <cmath>

#include "limber/base/files.h"
#include "limber/nn/device.h"
#include "limber/nn/training_loop.h"
#include "limber/pose_space/pose_lesson.h"
#include "limber/pose_space/pose_network.h"

namespace limber::pose_space {
namespace {

constexpr const char* kAveragedFile = "averaged.safetensors";
constexpr std::int64_t kAtOnce = 64;  // bodies that are measured together
/// Poses are judged with so little noise at most.
constexpr double kJudgedNoise = 0.08;
/// Share of poses of which most joints are known.
constexpr double kFilledIn = 0.35;
/// Of the loss: places that follow from turns, and judgements, against velocities.
constexpr double kPlaces = 0.5, kJudgement = 0.3;
/// One joint of thirty is a culprit.
constexpr double kCulprits = 5;

/// A lesson with its noise: poses as the network gets them, and what it should say.
struct NoisyPoses {
  Tensor states, noisy, velocities;  ///< [poses, J, kStateSize]
  Tensor times, clear, noise;        ///< [poses]; shares of pose and noise
  Tensor known;                      ///< bool [poses, J]: joints without noise; may be empty
};

/// The last pose of each body has `judged` as its time, the others those of `times`, [n, K].
NoisyPoses add_noise(const PoseLesson& lesson, const Tensor& times) {
  NoisyPoses poses;
  poses.states = lesson.states_of(lesson.turns).flatten(0, 1);
  poses.times = times.flatten();
  poses.clear = (poses.times * (M_PI / 2)).cos(), poses.noise = (poses.times * (M_PI / 2)).sin();
  const Tensor a = poses.clear.view({-1, 1, 1}), s = poses.noise.view({-1, 1, 1});
  const Tensor noise = at::randn(poses.states.sizes(), poses.states.options());
  poses.noisy = a * poses.states + s * noise, poses.velocities = a * noise - s * poses.states;
  return poses;
}

/// All but `hidden` joints, [n, K, J], are known.
void hide(const PoseLesson& lesson, const Tensor& hidden, NoisyPoses& poses) {
  poses.known = hidden.logical_not().logical_and(lesson.bodies.present.unsqueeze(1)).flatten(0, 1);
  poses.noisy = at::where(poses.known.unsqueeze(-1), poses.states, poses.noisy);
}

/// Some poses are known but for what hangs on one or two of their joints, which is to be filled in.
void tell_some(const PoseLesson& lesson, NoisyPoses& poses) {
  const std::int64_t count = lesson.turns.size(0);
  const Tensor told = at::rand({count, kPosesEach, 1}, lesson.turns.options()) < kFilledIn;
  told.select(1, kPosesEach - 1).zero_();  // which is judged
  hide(lesson, draw_hidden(lesson, kPosesEach).logical_or(told.logical_not()), poses);
}

Tensor draw_times(const PoseLesson& lesson, double judged) {
  Tensor times = at::rand({lesson.turns.size(0), kPosesEach}, lesson.turns.options());
  times.select(1, kPosesEach - 1).mul_(judged);
  return times;
}

/// The mean of [n, k, J] over joints that are there, [n, J], or that count, [n, k, J].
Tensor mean_of(const Tensor& values, const Tensor& counted) {
  const Tensor there = (counted.dim() == 2 ? counted.unsqueeze(1) : counted).to(at::kFloat).expand_as(values);
  return (values * there).sum() / there.sum().clamp_min(1);
}

/// All poses but the last of each body: [n * K, ...] -> [n, K - 1, ...].
Tensor denoised_part(const Tensor& of, std::int64_t bodies) {
  return of.unflatten(0, {bodies, kPosesEach}).narrow(1, 0, kPosesEach - 1);
}
Tensor judged_part(const Tensor& of, std::int64_t bodies) {
  return of.unflatten(0, {bodies, kPosesEach}).select(1, kPosesEach - 1);
}

Tensor entropy(const Tensor& logits, const Tensor& truth) {
  return at::binary_cross_entropy_with_logits(logits, truth, {}, {}, at::Reduction::None);
}

Tensor loss_of(const PoseNetwork& network, const PoseLesson& lesson) {
  const std::int64_t count = lesson.turns.size(0);
  const Tensor& present = lesson.bodies.present;
  NoisyPoses poses = add_noise(lesson, draw_times(lesson, kJudgedNoise));
  tell_some(lesson, poses);
  const PoseSaid said = network(network.encode(lesson.bodies), poses.noisy, poses.times, poses.known);

  const Tensor open = denoised_part(poses.known, count).logical_not().logical_and(present.unsqueeze(1));
  const Tensor wrong = (said.velocities - poses.velocities).square().mean(-1);
  const Tensor denoising = mean_of(denoised_part(wrong, count), open);

  // Where joints end up counts more than how each of them is turned.
  const Tensor a = poses.clear.view({-1, 1, 1}), s = poses.noise.view({-1, 1, 1});
  const Tensor guess = at::where(poses.known.unsqueeze(-1), poses.states, a * poses.noisy - s * said.velocities);
  const Tensor guessed = denoised_part(guess, count);
  const Tensor apart =
      lesson.places_of(rotations_in(guessed)) - lesson.places_of(lesson.turns.narrow(1, 0, kPosesEach - 1));
  const Tensor weight = denoised_part(poses.clear.square(), count).unsqueeze(-1);
  const Tensor displaced = mean_of((apart / kPositionUnit).square().mean(-1).clamp_max(16) * weight, open);

  const Tensor culprits = lesson.culprits.to(at::kFloat);
  const Tensor guilt = entropy(judged_part(said.plausible, count), 1 - culprits) * (1 + (kCulprits - 1) * culprits);
  const Tensor whole = entropy(judged_part(said.whole, count), 1 - lesson.spoiled.to(at::kFloat)).mean();
  return denoising + kPlaces * displaced + kJudgement * (mean_of(guilt.unsqueeze(1), present) + whole);
}

/// Chance that a good one's score is above a bad one's.
double area_under_curve(const Tensor& scores, const Tensor& good) {
  const Tensor ranks = scores.argsort().argsort().to(at::kDouble) + 1;
  const double goods = good.sum().item<double>(), bads = static_cast<double>(good.numel()) - goods;
  if (goods == 0 || bads == 0) return 0.5;
  return (ranks.masked_select(good).sum().item<double>() - goods * (goods + 1) / 2) / (goods * bads);
}

/// Bodies that are not taught, with their noise: the same every time.
struct Examination {
  struct Part {
    PoseLesson lesson;
    NoisyPoses poses, half;  ///< half: all at time one half
    NoisyPoses open;         ///< limbs that are noise alone, all else being known
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
      Part part;
      part.lesson = make_pose_lesson(PoseExamples::from(drawn), Variety::kNone);
      part.poses = add_noise(part.lesson, draw_times(part.lesson, 0));
      part.half = add_noise(part.lesson, at::full({count, kPosesEach}, 0.5, part.lesson.turns.options()));
      part.open = add_noise(part.lesson, at::ones({count, kPosesEach}, part.lesson.turns.options()));
      hide(part.lesson, draw_hidden(part.lesson, kPosesEach), part.open);
      examination.parts.push_back(std::move(part));
    }
    return examination;
  }

  /// Mean distance of hidden joints from where they are, in radii, the likeliest pose being guessed at once.
  static double measure_filled(const PoseNetwork& network, const Part& part) {
    const std::int64_t count = part.lesson.turns.size(0);
    const PoseSaid said =
        network(network.encode(part.lesson.bodies), part.open.noisy, part.open.times, part.open.known);
    const Tensor guess = at::where(part.open.known.unsqueeze(-1), part.open.states, -said.velocities);
    const Tensor truth = part.lesson.places_of(part.lesson.turns.narrow(1, 0, kPosesEach - 1));
    const Tensor apart = (part.lesson.places_of(rotations_in(denoised_part(guess, count))) - truth).norm(2, -1);
    const Tensor hidden = denoised_part(part.open.known, count).logical_not();
    return mean_of(apart, hidden.logical_and(part.lesson.bodies.present.unsqueeze(1))).item<double>();
  }

  PoseScore measure(const PoseNetwork& network) const {
    PoseScore score;
    std::vector<Tensor> whole, plausible, good, innocent;
    for (const Part& part : parts) {
      const std::int64_t count = part.lesson.turns.size(0);
      const double share = 1 / static_cast<double>(parts.size());
      const Tensor& present = part.lesson.bodies.present;
      const BodyCode code = network.encode(part.lesson.bodies);
      const PoseSaid said = network(code, part.poses.noisy, part.poses.times);
      const Tensor wrong = (said.velocities - part.poses.velocities).square().mean(-1);
      score.loss += share * mean_of(denoised_part(wrong, count), present).item<double>();
      whole.push_back(judged_part(said.whole, count)), good.push_back(part.lesson.spoiled.logical_not());
      plausible.push_back(judged_part(said.plausible, count).masked_select(present));
      innocent.push_back(part.lesson.culprits.logical_not().masked_select(present));

      const PoseSaid half = network(code, part.half.noisy, part.half.times);
      const Tensor clear = std::sqrt(0.5) * (part.half.noisy - half.velocities);
      const Tensor truth = part.lesson.places_of(part.lesson.turns.narrow(1, 0, kPosesEach - 1));
      const Tensor guessed = part.lesson.places_of(rotations_in(denoised_part(clear, count)));
      score.denoised += share * mean_of((guessed - truth).norm(2, -1), present).item<double>();
      score.still += share * mean_of((part.lesson.places.unsqueeze(1) - truth).norm(2, -1), present).item<double>();
    }
    for (const Part& part : parts) score.filled += measure_filled(network, part) / static_cast<double>(parts.size());
    score.whole = area_under_curve(at::cat(whole), at::cat(good));
    score.joints = area_under_curve(at::cat(plausible), at::cat(innocent));
    return score;
  }
};

Status save_poses(const PoseModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kPoseWeightsFile, nn::in_bytes(weights, "blocks."), {}, at::kHalf));
  LIMBER_CHECK_OK(nn::save_tensors(folder / kAveragedFile, weights, {}, at::kHalf));
  return write_file(folder / kPoseModelFile, pose_model_to_json(model));
}

/// Weights to start with: in 16 bits where a training left them, else those of a model that ships.
std::filesystem::path weights_in(const std::filesystem::path& folder) {
  std::error_code error;
  return folder / (std::filesystem::exists(folder / kAveragedFile, error) ? kAveragedFile : kPoseWeightsFile);
}

Result<PoseReport> train_on(at::Device device, const PoseSource& source, const std::filesystem::path& folder,
                            const PoseTraining& settings) {
  PoseModel model = settings.model;
  model.fills = 1;
  const nn::Placement placement{device, nn::fast_dtype(device)};
  const auto open = [&]() -> Result<nn::Weights> {
    LIMBER_TRY(nn::Weights weights, nn::Weights::open(weights_in(settings.plan.from), placement));
    weights.may_lack(PoseNetwork::kNewTensor);
    return weights;
  };
  const auto describe = [&](const nn::WeightScope& scope) { PoseNetwork(model, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement, open, describe));
  LIMBER_TRY(const Examination examination, Examination::draw(source, settings.plan, device));
  const PoseNetwork network(model, weights.root());

  PoseScore score;
  nn::TrainingTask task;
  task.run = 2048, task.stream = 79;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_pose_run(source, first, count); };
  task.loss = [&](const nn::TensorRun& batch) {
    return loss_of(network, make_pose_lesson(PoseExamples::from(batch), Variety::kAll));
  };
  task.validate = [&](const nn::TensorList& averaged) {
    const at::NoGradGuard no_gradients;
    nn::Weights measured = nn::Weights::from_tensors(averaged);
    score = examination.measure(PoseNetwork(model, measured.root()));
  };
  task.save = [&](const nn::TensorList& averaged) { return save_poses(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, score}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return PoseReport{report, score};
}

}  // namespace

Result<PoseReport> train_poses(const PoseSource& source, const std::filesystem::path& folder,
                               const PoseTraining& settings) {
  // What cannot be read back must not be trained.
  LIMBER_TRY([[maybe_unused]] const PoseModel readable,
             pose_model_from_json(pose_model_to_json(settings.model), folder.string()));
  LIMBER_TRY(const at::Device device, nn::device_named(settings.plan.device));
  return nn::guarded(folder.string(), [&] { return train_on(device, source, folder, settings); });
}

}  // namespace limber::pose_space
