// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "command.h"
#include "limber/anatomy/reader_trainer.h"
#include "limber/base/files.h"
#include "limber/training/character_file.h"
#include "limber/training/posed_bodies.h"
#include "train.h"

namespace limber::cli {
namespace {

struct ReaderOptions {
  std::string output, csv, from, characters;
  anatomy::ReaderTraining train;
  training::PosedBodySettings bodies;
};

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

Status train(const Terminal& terminal, ReaderOptions options) {
  anatomy::ReaderTraining& settings = options.train;
  auto characters = std::make_shared<std::vector<training::Character>>();
  if (!options.characters.empty()) {
    LIMBER_TRY(*characters, training::read_characters(options.characters));
  }
  options.bodies.points = settings.model.points;
  settings.from = options.from;
  if (!options.from.empty()) {
    LIMBER_TRY(settings.model, anatomy::read_reader_model(options.from));
  }
  for (int r = 0; r < anatomy::kRegionCount; ++r)
    settings.mirrored.push_back(static_cast<int>(anatomy::mirrored(static_cast<anatomy::Region>(r))));
  std::string rows = "step,seconds,loss,validation_loss,regions,starts,kinds,up,forward,learning_rate,examples\n";
  Status csv_status = Done{};
  Activity activity(terminal, "training");
  settings.on_report = [&](const anatomy::ReaderStep& step) {
    activity.update(settings.max_steps > 0 ? static_cast<double>(step.step) / static_cast<double>(settings.max_steps)
                                           : step.seconds / settings.seconds);
    const anatomy::ReadScore& v = step.validation;
    const std::string score = step.scored ? fmt::format("{:.5f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}", v.loss, v.regions,
                                                        v.starts, v.kinds, v.up, v.forward)
                                          : ",,,,,";
    rows += fmt::format("{},{:.2f},{:.5f},{},{:.3e},{}\n", step.step, step.seconds, step.loss, score,
                        step.learning_rate, step.examples);
    if (step.scored) {
      spdlog::info(
          "step {}: loss {:.3f}, validation {:.3f}: parts {}, joints {:.3f}, kind {}, up {}, front {}; {:.0f} s",
          step.step, step.loss, v.loss, percent(v.regions), v.starts, percent(v.kinds), percent(v.up),
          percent(v.forward), step.seconds);
    }
    if (!options.csv.empty()) csv_status = write_file(options.csv, rows);
    return csv_status.ok();
  };
  const auto source = training::reader_examples(training::posed_bodies(characters, options.bodies));
  LIMBER_TRY(const anatomy::ReaderReport report, anatomy::train_reader(source, options.output, settings));
  LIMBER_CHECK_OK(csv_status);
  const nlohmann::ordered_json summary{{"limber", LIMBER_VERSION},
                                       {"command", "train reader"},
                                       {"output", std::filesystem::path(options.output).filename().string()},
                                       {"from", std::filesystem::path(options.from).filename().string()},
                                       {"device", report.device},
                                       {"parameters", report.parameters},
                                       {"gflop", 1e-9 * settings.model.flops()},
                                       {"steps", report.steps},
                                       {"batch", settings.batch},
                                       {"examples", report.examples},
                                       {"creatures", options.bodies.creatures},
                                       {"artists", characters->empty() ? 0.0 : options.bodies.artists},
                                       {"seed", settings.seed},
                                       {"seconds", report.seconds},
                                       {"seconds_before", report.first_seconds},
                                       {"loss", report.loss},
                                       {"validation_loss", report.validation.loss},
                                       {"validation_regions", report.validation.regions},
                                       {"validation_starts", report.validation.starts},
                                       {"validation_kinds", report.validation.kinds},
                                       {"validation_up", report.validation.up},
                                       {"validation_forward", report.validation.forward}};
  LIMBER_CHECK_OK(write_file(std::filesystem::path(options.output) / "training.json", summary.dump(1) + "\n"));
  if (terminal.json) {
    print_json(summary);
  } else {
    fmt::print("{} steps of {} on {} bodies in {:.0f} s: of unseen ones {} of the parts, {} of the fronts are right\n",
               report.steps, settings.batch, report.examples, report.seconds, percent(report.validation.regions),
               percent(report.validation.forward));
  }
  return Done{};
}

}  // namespace

void add_train_reader(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<ReaderOptions>();
  CLI::App* command =
      add_command(group, terminal, "reader", "Train the network that reads bodies: parts, joints, kind, up and front",
                  "limber train reader -o models/body_reader --characters characters.bin --seconds 480",
                  [&terminal, options] { return train(terminal, *options); });
  anatomy::ReaderTraining& training = options->train;
  command->add_option("-o,--output", options->output, "Folder for the model")->required()->type_name("DIR");
  command->add_option("--from", options->from, "Go on from the weights of this folder")->type_name("DIR");
  command->add_option("--characters", options->characters, "Artists' characters, from `limber train bake`")
      ->type_name("FILE");
  command->add_option("--artists", options->bodies.artists, "Share of them among the bodies")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--creatures", options->bodies.creatures, "Different creatures of the zoo")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seconds", training.seconds, "How long to train")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--steps", training.max_steps, "At most so many steps; 0: as many as fit")->capture_default_str();
  command->add_option("--batch", training.batch, "Bodies per step")->check(CLI::Range(1, 4096))->capture_default_str();
  command->add_option("--pool", training.pool, "Bodies in memory, 54 kB each")
      ->check(CLI::Range(1, 4000000))
      ->capture_default_str();
  command->add_option("--first", training.first_examples, "Bodies to draw before training begins")
      ->capture_default_str();
  command->add_option("--learning-rate", training.learning_rate, "At its height")->capture_default_str();
  command->add_option("--layers", training.model.layers, "Depth of the network")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--width", training.model.width, "Width of the network; a multiple of --heads")
      ->capture_default_str();
  command->add_option("--heads", training.model.heads, "Attention heads")->capture_default_str();
  command->add_option("--device", training.device, "cpu, cuda or cuda:N; auto: the GPU if there is one")
      ->capture_default_str();
  command->add_option("--csv", options->csv, "Losses and scores, written as the training goes")->type_name("FILE");
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.seed = options->bodies.seed = seed; },
      "Of weights and bodies");
}

}  // namespace limber::cli
