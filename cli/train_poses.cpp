// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "leave_out_options.h"
#include "limber/pose_space/pose_trainer.h"
#include "limber/training/character_file.h"
#include "limber/training/credits.h"
#include "limber/training/pose_examples.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

struct PoseOptions {
  TrainingFiles files;
  std::string characters, sources;
  std::vector<std::string> harvests;
  bool autoencoder = false;
  pose_space::PoseTraining train;
  training::PoseExampleSettings examples;
};

Result<pose_space::PoseReport> train_with_log(const Terminal& terminal, const pose_space::PoseSource& source,
                                              PoseOptions& options) {
  pose_space::PoseTraining& settings = options.train;
  TrainingLog log(terminal, options.files, settings.plan, "validation_loss,denoised,still,filled,whole_auc,joint_auc");
  settings.on_report = [&](const pose_space::PoseStep& step) {
    const pose_space::PoseScore& v = step.validation;
    if (step.validated) {
      spdlog::info(
          "step {}: loss {:.4f}, validation {:.4f}; half noise: {:.4f} radii off (at rest {:.4f}), filled in: {:.4f}; "
          "AUC of poses {:.3f}, of joints {:.3f}; {} bodies, {:.0f} s",
          step.step, step.loss, v.loss, v.denoised, v.still, v.filled, v.whole, v.joints, step.examples, step.seconds);
    }
    return log.add(step, {v.loss, v.denoised, v.still, v.filled, v.whole, v.joints});
  };
  const auto teach = options.autoencoder ? pose_space::train_pose_vae : pose_space::train_poses;
  LIMBER_TRY(const pose_space::PoseReport report, teach(source, options.files.output, settings));
  LIMBER_CHECK_OK(log.status());
  return report;
}

nlohmann::ordered_json summary_of(const PoseOptions& options, const pose_space::PoseReport& report) {
  nlohmann::ordered_json summary = training_summary("train poses", options.files, options.train.plan, report);
  summary["poses"] = report.examples * pose_space::kPosesEach;
  summary["validation_loss"] = report.validation.loss;
  summary["validation_denoised"] = report.validation.denoised;
  summary["validation_still"] = report.validation.still;
  summary["validation_filled"] = report.validation.filled;
  summary["validation_whole_auc"] = report.validation.whole;
  summary["validation_joint_auc"] = report.validation.joints;
  summary["creatures"] = options.examples.creatures;
  summary["artists"] = options.characters.empty() ? 0.0 : options.examples.artists;
  summary["harvested"] = options.harvests.empty() ? 0.0 : options.examples.harvested;
  summary["sources"] = options.sources;
  summary["vae"] = options.autoencoder;
  add_left_out(options.examples.leave_out, summary);
  summary["gflop"] = 1e-9 * options.train.model.flops();
  return summary;
}

/// Whom it learns from; shares follow where only some sources are wanted.
Result<training::PoseTeachers> teachers_of(PoseOptions& options) {
  const auto sources = training::PoseSources::parse(options.sources);
  if (!sources) return Error{"sources are zoo, artists, people and video, with commas between them", options.sources};
  const bool of_characters = sources->artists || sources->people;
  if (!sources->zoo && of_characters) options.examples.artists = 1;
  if (!of_characters) options.examples.artists = 0;
  if (!sources->zoo && !of_characters) options.examples.harvested = 1;
  const std::vector<std::filesystem::path> harvests(options.harvests.begin(), options.harvests.end());
  LIMBER_TRY(training::PoseTeachers teachers, training::pose_teachers(options.characters, harvests, *sources));
  if (!sources->zoo && (of_characters ? options.characters.empty() : harvests.empty()))
    return Error{"these sources need --characters or --harvest", options.sources, ErrorKind::kConflict};
  return teachers;
}

/// Whom it owes that to.
Result<std::vector<std::string>> credits_of(const PoseOptions& options) {
  LIMBER_TRY(std::vector<std::string> credits, training_credits(options.characters, options.files, options.train.plan));
  for (const std::string& harvest : options.harvests) {
    LIMBER_TRY(const training::TrainingSet set, training::read_training_set(harvest));
    credits = training::joined_credits(std::move(credits), set.credits);
  }
  return credits;
}

Status train(const Terminal& terminal, PoseOptions options) {
  LIMBER_TRY(const training::PoseTeachers teachers, teachers_of(options));
  pose_space::PoseTraining& settings = options.train;
  if (!settings.plan.from.empty()) {
    LIMBER_TRY(settings.model, pose_space::read_pose_model(settings.plan.from));
  }
  LIMBER_TRY(options.files.credits, credits_of(options));
  LIMBER_TRY(const pose_space::PoseReport report,
             train_with_log(terminal, training::pose_examples(teachers, options.examples), options));
  const nlohmann::ordered_json summary = summary_of(options, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (terminal.json) {
    print_json(summary);
  } else if (options.autoencoder) {
    fmt::print("{} steps of {} bodies in {:.0f} s: poses of other bodies come back {:.1f} % of the radius off\n",
               report.steps, settings.plan.batch, report.seconds, 100 * report.validation.denoised);
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
  CLI::App* command =
      add_command(group, terminal, "poses", torch_help("train", "poses"),
                  "  limber-lab train poses -o models/pose_space --characters characters.bin --seconds 480",
                  [&terminal, options] { return train(terminal, *options); });
  pose_space::PoseTraining& training = options->train;
  add_plan_options(*command, options->files, training.plan, "Bodies, each in four poses,");
  command->add_option("--characters", options->characters, "Artists' characters, from `limber-lab train bake`")
      ->type_name("FILE");
  command->add_option("--artists", options->examples.artists, "Share of them among the bodies")
      ->needs("--characters")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      ->add_option("--harvest", options->harvests,
                   "Poses from samples of the video prior, from `limber-lab train harvest`; several files are one")
      ->type_name("FILE");
  command->add_option("--harvested", options->examples.harvested, "Share of them among the bodies")
      ->needs("--harvest")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  options->sources = "zoo,artists,people,video";
  command
      ->add_option("--sources", options->sources,
                   "Which poses are taught, of those that there are: zoo, artists (clips of the characters), people "
                   "(recordings on characters that move like them), video (harvested)")
      ->capture_default_str()
      ->type_name("LIST");
  command->add_flag("--vae", options->autoencoder,
                    "A variational autoencoder of the same size instead, for `limber-lab bench poses --vae`");
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
