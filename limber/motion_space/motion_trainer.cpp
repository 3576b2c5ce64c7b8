// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_trainer.h"

#include <cmath>

#include "limber/base/files.h"
#include "limber/motion_space/motion_lesson.h"
#include "limber/motion_space/motion_network.h"
#include "limber/motion_space/motion_teacher.h"
#include "limber/nn/device.h"
#include "limber/nn/training_loop.h"

namespace limber::motion_space {
namespace {

constexpr const char* kAveragedFile = "averaged.safetensors";
constexpr std::int64_t kAtOnce = 64;  // motions that are measured together
constexpr int kParts = 4;             // sizes of bodies in a batch
/// Of the loss, against the motion of joints about their mean.
constexpr double kMeanPose = 0.4, kSway = 0.25, kSteady = 0.4, kContact = 0.15, kVelocities = 0.4, kPlaces = 0.5,
                 kFootholds = 0.5;
/// A judge is sure to so much less than all, and sees clips at times up to this.
constexpr double kSmoothed = 0.05, kJudgedTime = 0.3;
constexpr double kVelocityUnit = 0.15;  // of a frame, against the motion itself
constexpr double kFootUnit = 0.02;      // radii a frame
/// Validation looks at these times.
constexpr double kEarly = 0.95, kMiddle = 0.85, kLate = 0.5;

Wishes wishes_of(const MotionLesson& lesson, const Tensor& known) {
  Wishes wishes;
  wishes.actions = lesson.actions;
  std::vector<std::int64_t> first;
  for (int i = 0; i < kFactCount; ++i) first.push_back(first_choice(static_cast<Fact>(i)));
  wishes.facts = lesson.facts + at::tensor(first, lesson.facts.options());
  wishes.known = known_numbers(lesson, known);
  return wishes;
}

/// Mean over what counts of each motion: [n, ...] -> [n].
Tensor mean_of(const Tensor& values, const Tensor& counted) {
  const Tensor there = counted.expand_as(values);
  return (values * there).flatten(1).sum(1) / there.flatten(1).sum(1).clamp_min(1);
}

/// The four kinds of tokens, and contacts apart from poses.
struct Errors {
  Tensor poses, mean, sway, steady, contacts;  ///< [n] each

  Errors(const Tensor& squares, const Tensor& counted) {
    const std::int64_t joints = squares.size(2) - 1;
    const auto part = [&](int moment, std::int64_t moments, int slot, std::int64_t slots) {
      const auto of = [&](const Tensor& x) { return x.narrow(1, moment, moments).narrow(2, slot, slots); };
      return std::pair(of(squares), of(counted));
    };
    const auto [all, all_counted] = part(1, kTokens - 1, 1, joints);
    const auto numbers = [](const Tensor& x, std::int64_t from, std::int64_t count) {
      return x.unflatten(3, {kFramesPerToken, kJointNumbers}).narrow(4, from, count);
    };
    poses = mean_of(numbers(all, 0, pose_space::kStateSize), numbers(all_counted, 0, pose_space::kStateSize));
    contacts = mean_of(numbers(all, pose_space::kStateSize, 1), numbers(all_counted, pose_space::kStateSize, 1));
    const auto [means, means_counted] = part(0, 1, 1, joints);
    mean = mean_of(means, means_counted);
    const auto [ways, ways_counted] = part(1, kTokens - 1, 0, 1);
    sway = mean_of(ways, ways_counted);
    const auto [whole, whole_counted] = part(0, 1, 0, 1);
    steady = mean_of(whole, whole_counted);
  }
};

/// Differences from frame to frame, round to the first one where a motion is periodic.
Tensor differences(const Tensor& frames, const Tensor& periodic) {
  const Tensor next = at::cat({frames.narrow(1, 1, kFrames - 1), frames.narrow(1, 0, 1)}, 1);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(frames.dim()), 1);
  shape[0] = frames.size(0);
  const Tensor last = periodic.to(at::kFloat).view(shape);
  const Tensor moved = next - frames;
  return at::cat({moved.narrow(1, 0, kFrames - 1), moved.narrow(1, kFrames - 1, 1) * last}, 1);
}

/// Where joints are in the world, [n, kFrames, J, 3], by rotations and way.
Tensor world_places(const MotionLesson& lesson, const Tensor& rotations, const Tensor& body) {
  const Tensor places = lesson.places_of(rotations);
  const Tensor c = body.select(-1, 0).cos().unsqueeze(-1), s = body.select(-1, 0).sin().unsqueeze(-1);
  const std::vector<Tensor> p = places.unbind(-1);
  const auto way = [&](int k) { return body.select(-1, k).unsqueeze(-1); };
  return at::stack({c * p[0] + s * p[2] + way(1), p[1] + way(3), c * p[2] - s * p[0] + way(2)}, -1);
}

/// Of each motion, what is wrong with its numbers and with how they change.
Tensor numbers_loss(const MotionLesson& lesson, const Tensor& said, const FrameStates& guess,
                    const FrameStates& truth) {
  const Errors errors((said - lesson.tokens).square(), lesson.counted);
  const Tensor loss = errors.poses + kMeanPose * errors.mean + kSway * errors.sway + kSteady * errors.steady +
                      kContact * errors.contacts;
  const std::int64_t joints = guess.poses.size(2);
  const Tensor there = lesson.bodies.present.narrow(1, 1, joints).to(at::kFloat).view({said.size(0), 1, joints, 1});
  const auto state = [](const Tensor& poses) { return poses.narrow(-1, 0, pose_space::kStateSize); };
  const Tensor moving =
      differences(state(guess.poses) - state(truth.poses), lesson.periodic) / (kMovingUnit * kVelocityUnit);
  return loss + kVelocities * mean_of(moving.square().clamp_max(100), there);
}

Tensor loss_of(const MotionLesson& lesson, const NoisyClip& clip, const Tensor& said) {
  const FrameStates guess = join(said), truth = join(lesson.tokens);
  Tensor loss = numbers_loss(lesson, said, guess, truth);
  const std::int64_t joints = guess.poses.size(2), count = said.size(0);
  const Tensor there = lesson.bodies.present.narrow(1, 1, joints).to(at::kFloat).view({count, 1, joints, 1});

  // Where joints end up counts more than how each of them is turned.
  const Tensor rotations = rotations_of(guess.poses);
  const Tensor apart =
      (lesson.places_of(rotations) - lesson.places_of(lesson.turns)) / (pose_space::kPositionUnit * kMovingUnit);
  loss = loss + kPlaces * mean_of(apart.square().clamp_max(16), there) * clip.clear.square();

  // Feet that stand do not slide.
  const Tensor stands = lesson.contacts.to(at::kFloat).unsqueeze(-1) *
                        lesson.feet.to(at::kFloat).view({count, 1, joints, 1}) *
                        lesson.way_known.to(at::kFloat).view({count, 1, 1, 1});
  const Tensor slid =
      differences(world_places(lesson, rotations, guess.body) - world_places(lesson, lesson.turns, truth.body),
                  at::zeros_like(lesson.periodic));
  loss = loss + kFootholds * mean_of((slid / kFootUnit).square().clamp_max(16), stands) * clip.clear.square();
  return (loss * clip.weights).sum();
}

/// Of a pupil: it is to say at once what its teacher says in two steps, wherever that ends.
Tensor pupils_loss(const MotionLesson& lesson, const NoisyClip& clip, const Tensor& taught, const Tensor& said) {
  MotionLesson lesson_of_teacher = lesson;
  lesson_of_teacher.tokens = taught;
  return (numbers_loss(lesson_of_teacher, said, join(said), join(taught)) * clip.weights).sum();
}

/// What a judge learns by: it is told nothing but the clip, which may be a little off.
struct Verdict {
  Tensor spoken, truth;  ///< [n, actions], [n]: the last, any: nobody knows

  Verdict(const MotionNetwork& network, const MotionLesson& lesson, const Tensor& times, int any) {
    const NoisyClip clip = add_noise(lesson, times);
    Wishes wishes;
    truth = lesson.actions;
    wishes.actions = at::full_like(lesson.actions, any);
    wishes.facts = at::empty_like(lesson.facts);
    for (int i = 0; i < kFactCount; ++i)
      wishes.facts.select(1, i).fill_(first_choice(static_cast<Fact>(i)) + not_said(static_cast<Fact>(i)));
    const std::int64_t slots = lesson.tokens.size(2);
    wishes.known = at::zeros({times.size(0), kTokens, slots, kKnownNumbers}, lesson.way.options());
    spoken = network.judge(lesson.bodies, wishes, clip.noisy, times);
  }
  Tensor loss(int any) const { return at::cross_entropy_loss(spoken, truth, {}, at::Reduction::Sum, any, kSmoothed); }
};

/// Motions of bodies that are not taught, with their noise: the same every time.
struct Examination {
  struct Part {
    MotionLesson lesson;
    NoisyClip any, early, middle, late;
    Tensor nothing;  ///< known
  };
  std::vector<Part> parts;
  std::int64_t count = 0;

  static Result<Examination> draw(const MotionSource& source, const nn::TrainingPlan& plan, const MotionModel& model,
                                  at::Device device) {
    Examination examination;
    at::manual_seed(plan.seed + 1);
    for (std::int64_t first = 0; first < plan.validation_examples; first += kAtOnce) {
      const std::int64_t count = std::min<std::int64_t>(kAtOnce, plan.validation_examples - first);
      LIMBER_TRY(nn::TensorRun drawn,
                 draw_motion_run(source, kValidationMotions + static_cast<std::uint64_t>(first), count));
      for (Tensor& tensor : drawn) tensor = tensor.to(device);
      for (MotionLesson& lesson : make_motion_lessons(MotionExamples::from(drawn), Variety::kNone, 2,
                                                      static_cast<int>(model.actions.size()))) {
        const auto at_time = [&](double t) {
          return add_noise(lesson, at::full({lesson.turns.size(0)}, t, lesson.way.options()));
        };
        Part part{lesson,          add_noise(lesson, times_of(draw_steps(lesson))),
                  at_time(kEarly), at_time(kMiddle),
                  at_time(kLate),  {}};
        part.nothing =
            at::zeros({lesson.turns.size(0), kFrames, lesson.tokens.size(2)}, lesson.bodies.present.options());
        examination.parts.push_back(std::move(part));
      }
      examination.count += count;
    }
    return examination;
  }

  MotionScore measure_judge(const MotionNetwork& network, int any) const {
    MotionScore score;
    for (const Part& part : parts) {
      const Tensor times = at::zeros({part.lesson.turns.size(0)}, part.lesson.way.options());
      const Verdict verdict(network, part.lesson, times, any);
      score.loss += verdict.loss(any).item<double>() / static_cast<double>(count);
      score.recognised += (verdict.spoken.argmax(1) == verdict.truth).sum().item<double>() / static_cast<double>(count);
    }
    return score;
  }

  MotionScore measure(const MotionNetwork& network) const {
    MotionScore score;
    double power = 0, mean_power = 0;
    for (const Part& part : parts) {
      const MotionLesson& lesson = part.lesson;
      const Wishes wishes = wishes_of(lesson, part.nothing);
      const auto say = [&](const NoisyClip& clip) { return network(lesson.bodies, wishes, clip.noisy, clip.times); };
      const auto errors = [&](const Tensor& said) { return Errors((said - lesson.tokens).square(), lesson.counted); };
      const Errors of_nothing(lesson.tokens.square(), lesson.counted);
      power += of_nothing.poses.sum().item<double>(), mean_power += of_nothing.mean.sum().item<double>();
      score.loss += loss_of(lesson, part.any, say(part.any)).item<double>() / static_cast<double>(count);
      score.early += errors(say(part.early)).poses.sum().item<double>();
      const Tensor said = say(part.middle);
      const Errors middle = errors(said);
      score.middle += middle.poses.sum().item<double>(), score.mean += middle.mean.sum().item<double>();
      score.late += errors(say(part.late)).poses.sum().item<double>();
      const Tensor right = (join(said).poses.select(-1, pose_space::kStateSize) > 0) == lesson.contacts;
      const Tensor feet = lesson.feet.unsqueeze(1).expand_as(right).to(at::kFloat);
      score.contacts += (mean_of(right.to(at::kFloat), feet).sum() / static_cast<double>(count)).item<double>();
    }
    score.early /= power, score.middle /= power, score.late /= power, score.mean /= mean_power;
    return score;
  }
};

Status save_motions(const MotionModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kMotionWeightsFile, nn::in_bytes(weights, "blocks."), {}, at::kHalf));
  LIMBER_CHECK_OK(nn::save_tensors(folder / kAveragedFile, weights, {}, at::kHalf));
  return write_file(folder / kMotionModelFile, motion_model_to_json(model));
}

/// Weights to start with: in 16 bits where a training left them, else those of a model that ships.
std::filesystem::path weights_in(const std::filesystem::path& folder) {
  std::error_code error;
  return folder / (std::filesystem::exists(folder / kAveragedFile, error) ? kAveragedFile : kMotionWeightsFile);
}

/// Whom a pupil learns from: the network that it starts as.
Result<std::optional<MotionTeacher>> open_teacher(const MotionTraining& settings, const nn::Placement& placement) {
  if (!settings.pupil) return std::optional<MotionTeacher>{};
  if (settings.plan.from.empty() || settings.model.judges != 0)
    return Error{"a pupil learns from a network that draws motions, whose weights it starts with",
                 settings.plan.from.string()};
  LIMBER_TRY(nn::Weights weights, nn::Weights::open(weights_in(settings.plan.from), placement));
  MotionTeacher teacher(settings.model, weights, *settings.pupil);
  LIMBER_CHECK_OK(weights.finish());
  return std::optional<MotionTeacher>(std::move(teacher));
}

Result<MotionReport> train_on(at::Device device, const MotionSource& source, const std::filesystem::path& folder,
                              const MotionTraining& settings) {
  const MotionModel& model = settings.model;
  const int any = static_cast<int>(model.actions.size());
  const nn::Placement placement{device, nn::fast_dtype(device)};
  const auto open = [&]() -> Result<nn::Weights> {
    return nn::Weights::open(weights_in(settings.plan.from), placement);
  };
  const auto describe = [&](const nn::WeightScope& scope) { MotionNetwork(model, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement, open, describe));
  LIMBER_TRY(const Examination examination, Examination::draw(source, settings.plan, model, device));
  const MotionNetwork network(model, weights.root());
  LIMBER_TRY(const std::optional<MotionTeacher> teacher, open_teacher(settings, placement));

  MotionScore score;
  nn::TrainingTask task;
  task.run = 1024, task.stream = 83;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_motion_run(source, first, count); };
  task.loss = [&](const nn::TensorRun& batch) {
    Tensor loss;
    const MotionExamples examples = MotionExamples::from(batch);
    for (const MotionLesson& lesson : make_motion_lessons(examples, Variety::kAll, kParts, any)) {
      if (model.judges != 0) {
        const Tensor times = kJudgedTime * at::rand({lesson.turns.size(0)}, lesson.way.options());
        const Tensor part =
            Verdict(network, lesson, times, any).loss(any) / static_cast<double>(examples.counts.size(0));
        loss = loss.defined() ? loss + part : part;
        continue;
      }
      const Tensor when = draw_steps(lesson);
      const NoisyClip clip = add_noise(lesson, times_of(when));
      const Wishes wishes = wishes_of(lesson, draw_known(lesson));
      const Tensor said = network(lesson.bodies, wishes, clip.noisy, clip.times);
      const Tensor sum = teacher ? pupils_loss(lesson, clip, teacher->two_steps(lesson, wishes, clip, when), said)
                                 : loss_of(lesson, clip, said);
      const Tensor part = sum / static_cast<double>(examples.counts.size(0));
      loss = loss.defined() ? loss + part : part;
    }
    return loss;
  };
  task.validate = [&](const nn::TensorList& averaged) {
    const at::NoGradGuard no_gradients;
    nn::Weights measured = nn::Weights::from_tensors(averaged);
    const MotionNetwork averaged_network(model, measured.root());
    score =
        model.judges != 0 ? examination.measure_judge(averaged_network, any) : examination.measure(averaged_network);
  };
  task.save = [&](const nn::TensorList& averaged) { return save_motions(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, score}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return MotionReport{report, score};
}

}  // namespace

Result<MotionReport> train_motions(const MotionSource& source, const std::filesystem::path& folder,
                                   const MotionTraining& settings) {
  // What cannot be read back must not be trained.
  LIMBER_TRY([[maybe_unused]] const MotionModel readable,
             motion_model_from_json(motion_model_to_json(settings.model), folder.string()));
  LIMBER_TRY(const at::Device device, nn::device_named(settings.plan.device));
  return nn::guarded(folder.string(), [&] { return train_on(device, source, folder, settings); });
}

}  // namespace limber::motion_space
