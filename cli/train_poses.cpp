// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "leave_out_options.h"
#include "limber/pose_space/pose_trainer.h"
#include "limber/training/character_file.h"
#include "limber/training/pose_examples.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

struct PoseOptions {
  TrainingFiles files;
  std::string characters;
  pose_space::PoseTraining train;
  training::PoseExampleSettings examples;
};

Result<pose_space::PoseReport> train_with_log(const Terminal& terminal, const pose_space::PoseSource& source,
                                              PoseOptions& options) {
  pose_space::PoseTraining& settings = options.train;
  TrainingLog log(terminal, options.files, settings.plan, "validation_loss,denoised,still,whole_auc,joint_auc");
  settings.on_report = [&](const pose_space::PoseStep& step) {
    const pose_space::PoseScore& v = step.validation;
    if (step.validated) {
      spdlog::info(
          "step {}: loss {:.4f}, validation {:.4f}; half noise: {:.4f} radii off (at rest {:.4f}); AUC of poses "
          "{:.3f}, "
          "of joints {:.3f}; {} bodies, {:.0f} s",
          step.step, step.loss, v.loss, v.denoised, v.still, v.whole, v.joints, step.examples, step.seconds);
    }
    return log.add(step, {v.loss, v.denoised, v.still, v.whole, v.joints});
  };
  LIMBER_TRY(const pose_space::PoseReport report, pose_space::train_poses(source, options.files.output, settings));
  LIMBER_CHECK_OK(log.status());
  return report;
}

nlohmann::ordered_json summary_of(const PoseOptions& options, const pose_space::PoseReport& report) {
  nlohmann::ordered_json summary = training_summary("train poses", options.files, options.train.plan, report);
  summary["poses"] = report.examples * pose_space::kPosesEach;
  summary["validation_loss"] = report.validation.loss;
  summary["validation_denoised"] = report.validation.denoised;
  summary["validation_still"] = report.validation.still;
  summary["validation_whole_auc"] = report.validation.whole;
  summary["validation_joint_auc"] = report.validation.joints;
  summary["creatures"] = options.examples.creatures;
  summary["artists"] = options.characters.empty() ? 0.0 : options.examples.artists;
  add_left_out(options.examples.leave_out, summary);
  summary["gflop"] = 1e-9 * options.train.model.flops();
  return summary;
}

Status train(const Terminal& terminal, PoseOptions options) {
  auto characters = std::make_shared<std::vector<training::Character>>();
  if (!options.characters.empty()) {
    LIMBER_TRY(*characters, training::read_characters(options.characters));
  }
  pose_space::PoseTraining& settings = options.train;
  if (!settings.plan.from.empty()) {
    LIMBER_TRY(settings.model, pose_space::read_pose_model(settings.plan.from));
  }
  LIMBER_TRY(options.files.credits, training_credits(options.characters, options.files, settings.plan));
  LIMBER_TRY(const pose_space::PoseReport report,
             train_with_log(terminal, training::pose_examples(characters, options.examples), options));
  const nlohmann::ordered_json summary = summary_of(options, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (terminal.json) {
    print_json(summary);
  } else {
    fmt::print(
        "{} steps of {} bodies in {:.0f} s: on other bodies, poses that are half noise are {:.1f} % of the radius "
        "off, and {:.1f} % are told from spoiled ones\n",
        report.steps, settings.plan.batch, report.seconds, 100 * report.validation.denoised,
        100 * report.validation.whole);
  }
  return Done{};
}

}  // namespace

void add_train_poses(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<PoseOptions>();
  CLI::App* command = add_command(group, terminal, "poses", torch_help("train", "poses"),
                                  "  limber train poses -o models/pose_space --characters characters.bin --seconds 480",
                                  [&terminal, options] { return train(terminal, *options); });
  pose_space::PoseTraining& training = options->train;
  add_plan_options(*command, options->files, training.plan, "Bodies, each in four poses,");
  command->add_option("--characters", options->characters, "Artists' characters, from `limber train bake`")
      ->type_name("FILE");
  command->add_option("--artists", options->examples.artists, "Share of them among the bodies")
      ->needs("--characters")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_leave_out_options(*command, options->examples.leave_out);
  command->add_option("--creatures", options->examples.creatures, "Different creatures of the zoo")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--any-body", options->examples.any_body, "Share of bodies of the grammar among them")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_body_pool_options(*command, training.plan, "15 kB");
  add_shape_options(*command, training.model.layers, training.model.width, training.model.heads);
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.plan.seed = options->examples.seed = seed; },
      "Of weights and examples");
}

}  // namespace limber::cli
