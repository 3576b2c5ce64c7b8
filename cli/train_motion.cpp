// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "leave_out_options.h"
#include "limber/motion_space/motion_trainer.h"
#include "limber/training/credits.h"
#include "limber/training/motion_examples.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

struct MotionOptions {
  TrainingFiles files;
  std::string characters;
  motion_space::MotionTraining train;
  bool pupil = false;
  motion_space::MotionPupil lesson;
  training::MotionExampleSettings examples;
};

Result<motion_space::MotionReport> train_with_log(const Terminal& terminal, const motion_space::MotionSource& source,
                                                  MotionOptions& options) {
  motion_space::MotionTraining& settings = options.train;
  TrainingLog log(terminal, options.files, settings.plan,
                  "validation_loss,early,middle,late,mean_pose,contacts,recognised");
  settings.on_report = [&](const motion_space::MotionStep& step) {
    const motion_space::MotionScore& v = step.validation;
    if (step.validated && settings.model.judges != 0) {
      spdlog::info(
          "step {}: loss {:.4f}, validation {:.4f}: {:.1f} % of actions told; gradient {:.2f}, {} clips, {:.0f} s",
          step.step, step.loss, v.loss, 100 * v.recognised, step.gradient_norm, step.examples, step.seconds);
    } else if (step.validated) {
      spdlog::info(
          "step {}: loss {:.4f}, validation {:.4f}; left of the motion when nearly all, most, half is noise: {:.3f}, "
          "{:.3f}, {:.3f}, of the mean pose {:.3f}; contacts {:.1f} %; gradient {:.2f}, {} clips, {:.0f} s",
          step.step, step.loss, v.loss, v.early, v.middle, v.late, v.mean, 100 * v.contacts, step.gradient_norm,
          step.examples, step.seconds);
    }
    return log.add(step, {v.loss, v.early, v.middle, v.late, v.mean, v.contacts, v.recognised});
  };
  LIMBER_TRY(const motion_space::MotionReport report,
             motion_space::train_motions(source, options.files.output, settings));
  LIMBER_CHECK_OK(log.status());
  return report;
}

nlohmann::ordered_json summary_of(const MotionOptions& options, const training::MotionCounts& counts,
                                  const motion_space::MotionReport& report) {
  nlohmann::ordered_json summary = training_summary("train motion", options.files, options.train.plan, report);
  const motion_space::MotionScore& v = report.validation;
  summary["validation_loss"] = v.loss;
  summary["validation_early"] = v.early, summary["validation_middle"] = v.middle, summary["validation_late"] = v.late;
  summary["validation_mean_pose"] = v.mean, summary["validation_contacts"] = v.contacts;
  summary["validation_recognised"] = v.recognised;
  if (options.pupil)
    summary["teacher_steps"] = options.lesson.teacher_steps, summary["guidance"] = options.lesson.guidance;
  summary["creatures"] = options.examples.creatures;
  summary["artists"] = options.examples.artists, summary["people"] = options.examples.people;
  summary["characters"] = counts.characters, summary["families"] = counts.families;
  summary["clips"] = counts.clips, summary["recordings"] = counts.recordings;
  summary["left_out_nameless"] = counts.nameless, summary["left_out_broken"] = counts.broken;
  summary["made_in_place"] = counts.without_way;
  add_left_out(options.examples.leave_out, summary);
  summary["gflop"] = 1e-9 * options.train.model.flops(25);
  return summary;
}

Status train(const Terminal& terminal, MotionOptions options) {
  motion_space::MotionTraining& settings = options.train;
  settings.model.actions = training::motion_actions();
  if (!settings.plan.from.empty()) {
    LIMBER_TRY(settings.model, motion_space::read_motion_model(settings.plan.from));
  }
  if (options.pupil) settings.pupil = options.lesson;
  LIMBER_TRY(options.files.credits, training_credits(options.characters, options.files, settings.plan));
  training::TrainingSet set;
  if (!options.characters.empty()) {
    LIMBER_TRY(set, training::read_training_set(options.characters));
  }
  const training::MotionTeachers teachers = training::motion_examples(set, options.examples);
  const training::MotionCounts& c = teachers.counts;
  spdlog::info(
      "{} characters of {} families: {} clips, {} recordings; without a meaning {}, broken {}, made in place {}",
      c.characters, c.families, c.clips, c.recordings, c.nameless, c.broken, c.without_way);
  LIMBER_TRY(const motion_space::MotionReport report, train_with_log(terminal, teachers.source, options));
  const nlohmann::ordered_json summary = summary_of(options, c, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (terminal.json) {
    print_json(summary);
  } else if (settings.model.judges != 0) {
    fmt::print("{} steps of {} motions in {:.0f} s: what clips of other bodies show is told of {:.0f} %\n",
               report.steps, settings.plan.batch, report.seconds, 100 * report.validation.recognised);
  } else {
    fmt::print(
        "{} steps of {} motions in {:.0f} s: of other bodies' motion {:.0f} % is left unknown where most is noise\n",
        report.steps, settings.plan.batch, report.seconds, 100 * report.validation.middle);
  }
  return Done{};
}

}  // namespace

void add_train_motion(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<MotionOptions>();
  CLI::App* command =
      add_command(group, terminal, "motion", torch_help("train", "motion"),
                  "  limber-lab train motion -o models/motion_space --characters characters.bin --seconds 1200",
                  [&terminal, options] { return train(terminal, *options); });
  motion_space::MotionTraining& training = options->train;
  add_plan_options(*command, options->files, training.plan, "Motions");
  command->add_option("--characters", options->characters, "Artists' characters, from `limber-lab train bake`")
      ->type_name("FILE");
  command->add_option("--artists", options->examples.artists, "Share of artists' clips")
      ->needs("--characters")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--people", options->examples.people, "Share of people's recordings, on characters like people")
      ->needs("--characters")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_flag("--judge", options->train.model.judges,
                    "Teach a judge instead, which tells what a clip shows and draws none");
  CLI::Option* pupil = command->add_flag(
      "--pupil", options->pupil, "Teach the network of --from to draw in half of the steps, with one pass each");
  pupil->needs("--from");
  command->add_option("--teacher-steps", options->lesson.teacher_steps, "Guided ones, of two passes")
      ->needs(pupil)
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--guidance", options->lesson.guidance, "Of the teacher")->needs(pupil)->capture_default_str();
  add_leave_out_options(*command, options->examples.leave_out);
  command->add_option("--creatures", options->examples.creatures, "Different creatures of the zoo")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--any-body", options->examples.any_body, "Share of bodies of the grammar among them")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_body_pool_options(*command, training.plan, "58 kB");
  add_shape_options(*command, training.model.layers, training.model.width, training.model.heads);
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.plan.seed = options->examples.seed = seed; },
      "Of weights and examples");
}

}  // namespace limber::cli
