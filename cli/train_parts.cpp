// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "leave_out_options.h"
#include "limber/parts/parts_trainer.h"
#include "limber/training/character_file.h"
#include "limber/training/part_examples.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

struct PartsTrainingOptions {
  TrainingFiles files;
  std::string characters;
  parts::PartsTraining train;
  training::PartExampleSettings examples;
};

Result<parts::PartsReport> train_with_log(const Terminal& terminal, const parts::PartsSource& source,
                                          PartsTrainingOptions& options) {
  parts::PartsTraining& settings = options.train;
  TrainingLog log(terminal, options.files, settings.plan, "validation_loss,mesh,plain,seen,made_up");
  settings.on_report = [&](const parts::PartsStep& step) {
    const parts::PartsScore& v = step.validation;
    if (step.validated) {
      spdlog::info(
          "step {}: loss {:.4f}, validation {:.4f}; pixels right: mesh {:.3f}, colours alone {:.3f}, one picture "
          "{:.3f}, "
          "made-up views {:.3f}; {} bodies, {:.0f} s",
          step.step, step.loss, v.loss, v.mesh, v.plain, v.seen, v.made_up, step.examples, step.seconds);
    }
    return log.add(step, {v.loss, v.mesh, v.plain, v.seen, v.made_up});
  };
  LIMBER_TRY(const parts::PartsReport report, parts::train_parts(source, options.files.output, settings));
  LIMBER_CHECK_OK(log.status());
  return report;
}

nlohmann::ordered_json summary_of(const PartsTrainingOptions& options, const parts::PartsReport& report) {
  nlohmann::ordered_json summary = training_summary("train parts", options.files, options.train.plan, report);
  summary["stage"] = options.train.stage == parts::PartsStage::kRgb ? "rgb" : "both";
  summary["rgb_seconds"] = options.train.rgb_seconds;
  summary["frames"] = options.train.model.frames;
  summary["colors"] = options.train.colors;
  summary["fusion"] = options.train.fusion;
  summary["contrast"] = options.train.contrast;
  summary["bodies"] = report.examples;
  summary["validation_loss"] = report.validation.loss;
  summary["validation_mesh"] = report.validation.mesh;
  summary["validation_plain"] = report.validation.plain;
  summary["validation_seen"] = report.validation.seen;
  summary["validation_made_up"] = report.validation.made_up;
  summary["creatures"] = options.examples.creatures;
  summary["artists"] = options.characters.empty() ? 0.0 : options.examples.artists;
  add_left_out(options.examples.leave_out, summary);
  summary["gflop"] = 1e-9 * options.train.model.flops();
  return summary;
}

Status train(const Terminal& terminal, PartsTrainingOptions options) {
  auto characters = std::make_shared<std::vector<training::Character>>();
  if (!options.characters.empty()) {
    LIMBER_TRY(*characters, training::read_characters(options.characters));
  }
  parts::PartsTraining& settings = options.train;
  if (!settings.plan.from.empty()) {
    LIMBER_TRY(settings.model, parts::read_parts_model(settings.plan.from));
  }
  LIMBER_TRY(options.files.credits, training_credits(options.characters, options.files, settings.plan));
  const parts::PartsSource source = training::part_examples(characters, settings.model, options.examples);
  LIMBER_TRY(const parts::PartsReport report, train_with_log(terminal, source, options));
  const nlohmann::ordered_json summary = summary_of(options, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (terminal.json) {
    print_json(summary);
  } else {
    fmt::print(
        "{} steps of {} bodies in {:.0f} s: on other bodies, {:.1f} % of a mesh's pixels get their part's colour, "
        "{:.1f} % of a picture's\n",
        report.steps, settings.plan.batch, report.seconds, 100 * report.validation.mesh, 100 * report.validation.seen);
  }
  return Done{};
}

}  // namespace

void add_train_parts(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<PartsTrainingOptions>();
  CLI::App* command =
      add_command(group, terminal, "parts", torch_help("train", "parts"),
                  "  limber-lab train parts -o models/parts --characters characters.bin --seconds 900 --rgb-seconds 90",
                  [&terminal, options] { return train(terminal, *options); });
  parts::PartsTraining& training = options->train;
  add_plan_options(*command, options->files, training.plan, "Bodies, each in sixteen pictures,");
  command
      ->add_option_function<std::string>(
          "--stage",
          [options](const std::string& stage) {
            options->train.stage = stage == "rgb" ? parts::PartsStage::kRgb : parts::PartsStage::kBoth;
          },
          "rgb: the branch of colours alone; both: parts too")
      ->check(CLI::IsMember({"rgb", "both"}))
      ->default_str("both");
  command
      ->add_option("--rgb-seconds", training.rgb_seconds, "Of --seconds: first the branch of colours alone for so long")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--contrast", training.contrast, "Weight of the contrastive loss; 0: none")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("!--no-fusion", training.fusion, "Branches that know nothing of each other");
  command->add_flag("!--no-rgb", training.colors, "One branch, which knows places and normals alone");
  command->add_option("--frames", training.model.frames, "Of each view, where no weights are given to start with")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  command->add_option("--characters", options->characters, "Artists' characters, from `limber-lab train bake`")
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
  add_body_pool_options(*command, training.plan, "0.66 MB");
  add_shape_options(*command, training.model.layers, training.model.width, training.model.heads);
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.plan.seed = options->examples.seed = seed; },
      "Of weights and examples");
}

}  // namespace limber::cli
