// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/few_steps_trainer.h"

#include <algorithm>

#include "limber/prior/few_steps.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/sketch_weights.h"
#include "limber/prior/trajectories.h"

namespace limber::prior {
namespace {

/// The prior that teaches, in 16 bits where a training left it so, and the one that ships and is adapted.
struct Pair {
  SketchModel model;
  nn::Weights teaching, adapted;
};

Result<Pair> open_pair(const FewStepsSettings& settings, const nn::Placement& placement) {
  LIMBER_TRY(SketchModel model, read_sketch_model(settings.plan.from));
  LIMBER_TRY(nn::Weights teaching, open_first_weights(settings.plan.from, model.version, placement));
  LIMBER_TRY(nn::Weights adapted, open_sketch_weights(settings.plan.from, placement));
  for (nn::Weights* weights : {&teaching, &adapted}) {
    SketchTransformer(model, weights->root());
    LIMBER_CHECK_OK(weights->finish());
  }
  return Pair{std::move(model), std::move(teaching), std::move(adapted)};
}

/// Where an adapter begins: as the one of the prior's folder, or so that it changes nothing. One of a smaller rank gets
/// rows and columns that change nothing at first.
Result<nn::Weights> first_adapter(const SketchModel& model, const FewStepsSettings& settings, at::Device device) {
  nn::Weights adapter = nn::Weights::random(settings.plan.seed, {device, at::kFloat});
  describe_adapter(model, settings.rank, adapter.root());
  LIMBER_TRY(const std::optional<nn::Weights> found, open_adapter(model, settings.plan.from, device));
  if (found && model.few_steps.rank <= settings.rank) grow_adapter(found->tensors(), adapter.tensors());
  return adapter;
}

/// What is told and shown of some clips, by both networks' readings of the prompt, and what of them is known.
struct Asked {
  DrawingTask of_teacher;
  Tensor without, text;  ///< [clips, width]: without the prompt to the teacher; with it to the one who learns

  SketchCondition of_learner() const {
    SketchCondition condition = of_teacher.condition;
    condition.text = text;
    return condition;
  }
};

/// The network of the prior as it ships, for its prompts, and the teacher.
struct Readers {
  SketchTransformer teacher, learner;
};

/// `known`: [clips, frames]; undefined: nothing is.
Asked ask(const Readers& readers, const Clips& clips, const Tensor& keep_text, const Tensor& keep_rest,
          const Tensor& known, const Tensor& noise) {
  const at::NoGradGuard no_gradients;
  Asked asked;
  SketchCondition& condition = asked.of_teacher.condition;
  condition.text = readers.teacher.text(clips.groups, keep_text);
  condition.rest = unit(clips.rest), condition.has_rest = keep_rest;
  if (known.defined()) condition.known = unit(clips.video), condition.is_known = known;
  asked.of_teacher.noise = noise;
  asked.without = readers.teacher.text(clips.groups, at::zeros_like(keep_text));
  asked.text = readers.learner.text(clips.groups, keep_text);
  return asked;
}

/// Clips with conditions and known frames at random.
Asked ask_at_random(const Readers& readers, const Clips& clips, const SketchModel& model,
                    const FewStepsSettings& settings) {
  const auto options = clips.video.options().dtype(at::kFloat);
  const std::int64_t count = clips.video.size(0);
  const auto kept = [&](double drop) { return (at::rand({count}, options) >= drop).to(at::kFloat); };
  const Tensor keep_text = kept(settings.drop_text), keep_rest = kept(settings.drop_rest);
  const bool knows = model.version >= 2 && model.tubes() > 1;
  const Tensor known = knows ? draw_known(count, model, settings.known, options) : Tensor();
  return ask(readers, clips, keep_text, keep_rest, known, at::randn(clips.video.sizes(), options));
}

/// The same clips and noise every time, and what the teacher draws of them: freely from two noises, and with the first
/// third known.
struct Measure {
  struct Drawn {
    Asked asked;
    Tensor video;  ///< the teacher's
  };
  std::vector<Drawn> drawn;  ///< two, or three where frames can be known
};

Result<Measure> draw_measure(const ClipSource& source, const Readers& readers, const SketchModel& model,
                             const FewStepsSettings& settings, at::Device device) {
  const std::int64_t count = settings.plan.validation_examples;
  LIMBER_TRY(const nn::TensorRun run, draw_clips(source, model, kValidationClips, count));
  const Clips clips{run[0].to(device), run[1].to(device), run[2].select(1, 0).to(device)};
  const Tensor all = at::ones({count}, clips.video.options().dtype(at::kFloat));
  const bool knows = model.version >= 2 && model.tubes() > 1;
  Measure measure;
  for (std::uint64_t i = 0; i < (knows ? 3u : 2u); ++i) {
    const std::vector<float> values = normal_noise(static_cast<std::size_t>(run[0].numel()), 1, 0, i % 2);
    const Tensor noise = at::tensor(values).view(run[0].sizes()).to(device);
    const Tensor known = i == 2 ? first_third(model).to(all.options()).unsqueeze(0).repeat({count, 1}) : Tensor();
    Asked asked = ask(readers, clips, all, all, known, noise);
    Tensor video = noise;
    for (int jump = 0; jump < settings.steps; ++jump) {
      const GuidedSteps some = steps_of_jump(jump, settings);
      video = draw_guided(readers.teacher, asked.of_teacher, asked.without, video, some, model).end;
    }
    measure.drawn.push_back({std::move(asked), video});
  }
  return measure;
}

/// Root mean square of the difference, pixels weighed by what is seen in `truth`.
double video_distance(const Tensor& video, const Tensor& truth, const Tensor& known, double body_weight) {
  Tensor weight = pixel_weights(truth, body_weight);
  if (known.defined()) weight = weight * per_frame(1 - known);
  return ((video - truth).square() * (weight / weight.mean())).mean().sqrt().item<double>();
}

FewStepsScores scores_of(const Measure& measure, const nn::TensorList& base, const nn::TensorList& adapter,
                         const SketchModel& model, const FewStepsSettings& settings) {
  const at::NoGradGuard no_gradients;
  nn::Weights weights = nn::Weights::from_tensors(merged_weights(base, adapter));
  const SketchTransformer network(model, weights.root(), Stride::kJump);
  std::vector<Tensor> videos;
  std::vector<double> errors;
  for (const Measure::Drawn& drawn : measure.drawn) {
    const SketchCondition condition = drawn.asked.of_learner();
    videos.push_back(draw_by_jumps(network, {condition, drawn.asked.of_teacher.noise}, model, settings.steps));
    errors.push_back(video_distance(videos.back(), drawn.video, condition.is_known, settings.body_weight));
  }
  const double apart = video_distance(videos[0], videos[1], {}, settings.body_weight);
  const double theirs = video_distance(measure.drawn[0].video, measure.drawn[1].video, {}, settings.body_weight);
  return {0.5 * (errors[0] + errors[1]), errors.size() > 2 ? errors[2] : 0, apart / std::max(theirs, 1e-9)};
}

/// Of clips, as many for each jump of a sample: the network draws them up to there, and the teacher goes on.
void add_jumps(const Readers& readers, const SketchTransformer& network, const Asked& asked, const SketchModel& model,
               const FewStepsSettings& settings, JumpPool& pool) {
  const std::int64_t count = asked.text.size(0), all = settings.steps;
  const SketchCondition learner = asked.of_learner();
  for (std::int64_t number = 0; number < all; ++number) {
    const std::int64_t first = number * count / all, some = (number + 1) * count / all - first;
    if (some == 0) continue;
    const DrawingTask task = some_of(asked.of_teacher, first, some);
    TaughtJump jump{static_cast<int>(number), {}, some_of(learner, first, some)};
    jump.start = draw_by_jumps(network, {jump.learner, task.noise}, model, jump.number);
    pool.add(teach_jump(readers.teacher, task, asked.without.narrow(0, first, some), jump, model, settings));
  }
}

/// Copies the prior that an adapter belongs to, unless it is there.
Status copy_prior(const std::filesystem::path& from, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& entry : std::filesystem::directory_iterator(from, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("sketch_prior") || std::filesystem::exists(folder / name, error)) continue;
    std::filesystem::copy_file(entry.path(), folder / name, error);
  }
  if (error) return Error{error.message(), folder.string()};
  return Done{};
}

Status check_settings(const FewStepsSettings& settings) {
  if (settings.plan.from.empty()) return Error{"few steps need a prior to start from", ""};
  if (settings.steps < 1 || settings.teacher_steps < settings.steps || settings.teacher_steps % settings.steps != 0) {
    return Error{"the teacher's steps must be a multiple of the few", std::to_string(settings.teacher_steps)};
  }
  if (!(settings.shift >= 1 && settings.shift <= kMostShift)) {
    return Error{"a shift is from 1 to " + std::to_string(static_cast<int>(kMostShift)),
                 std::to_string(settings.shift)};
  }
  if (settings.plan.batch < settings.steps) {
    return Error{"a batch has fewer clips than a sample has jumps", std::to_string(settings.plan.batch)};
  }
  if (settings.kept < settings.plan.batch) {
    return Error{"fewer jumps are kept than a batch has", std::to_string(settings.kept)};
  }
  return Done{};
}

Result<FewStepsReport> train_few_steps_on(const nn::Placement& placement, const ClipSource& source,
                                          const std::filesystem::path& folder, const FewStepsSettings& settings) {
  LIMBER_TRY(Pair pair, open_pair(settings, placement));
  LIMBER_TRY(nn::Weights adapter, first_adapter(pair.model, settings, placement.device));
  LIMBER_CHECK_OK(copy_prior(settings.plan.from, folder));
  SketchModel& model = pair.model;
  model.few_steps = {settings.steps, settings.rank, settings.shift};
  const Readers readers{SketchTransformer(model, pair.teaching.root()), SketchTransformer(model, pair.adapted.root())};
  const nn::TensorList& base = pair.adapted.tensors();
  LIMBER_TRY(const Measure measure, draw_measure(source, readers, model, settings, placement.device));

  FewStepsReport report;
  FewStepsScores measured;
  JumpPool pool(settings.kept);
  std::int64_t step = 0;
  nn::TrainingTask task;
  task.run = 256, task.stream = 83;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_clips(source, model, first, count); };
  task.loss = [&](const nn::TensorRun& batch) {
    nn::Weights merged = nn::Weights::from_tensors(merged_weights(base, adapter.tensors()));
    const SketchTransformer network(model, merged.root(), Stride::kJump);
    if (step++ % settings.uses == 0) {
      add_jumps(readers, network, ask_at_random(readers, with_captions(batch), model, settings), model, settings, pool);
    }
    return jump_loss(network, pool.draw(settings.plan.batch), model, settings);
  };
  task.validate = [&](const nn::TensorList& averaged) {
    measured = scores_of(measure, base, averaged, model, settings);
  };
  task.save = [&](const nn::TensorList& averaged) { return save_adapter(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& told) { return settings.on_report({told, measured}); };
  }
  report.before = scores_of(measure, base, adapter.tensors(), model, settings);
  LIMBER_TRY(static_cast<nn::TrainingReport&>(report), nn::train(adapter, settings.plan, folder, task));
  static_cast<FewStepsScores&>(report) = measured;
  report.jumps = pool.drawn();
  return report;
}

}  // namespace

double FewStepsSettings::guidance_of(int jump) const {
  const double done = steps > 1 ? static_cast<double>(jump) / (steps - 1) : 0;
  return guidance + done * (last_guidance.value_or(guidance) - guidance);
}

Result<FewStepsReport> train_few_steps(const ClipSource& source, const std::filesystem::path& folder,
                                       const FewStepsSettings& settings) {
  LIMBER_CHECK_OK(check_settings(settings));
  LoadSettings load;
  load.device = settings.plan.device, load.dtype = settings.dtype;
  LIMBER_TRY(const nn::Placement placement, placement_of(load, "training"));
  return nn::guarded(folder.string(), [&] { return train_few_steps_on(placement, source, folder, settings); });
}

}  // namespace limber::prior
