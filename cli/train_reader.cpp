// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "leave_out_options.h"
#include "limber/anatomy/reader_trainer.h"
#include "limber/training/character_file.h"
#include "limber/training/posed_bodies.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

struct ReaderOptions {
  TrainingFiles files;
  std::string characters;
  std::vector<std::string> calibrated_by;
  anatomy::ReaderTraining train;
  training::PosedBodySettings bodies;
};

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// Everything that a validation measures, under the names that tables and reports use.
struct NamedScore {
  const char* name;
  double anatomy::ReadScore::*value;
};
constexpr NamedScore kScores[] = {{"loss", &anatomy::ReadScore::loss},     {"regions", &anatomy::ReadScore::regions},
                                  {"starts", &anatomy::ReadScore::starts}, {"limbs", &anatomy::ReadScore::limbs},
                                  {"sides", &anatomy::ReadScore::sides},   {"along", &anatomy::ReadScore::along},
                                  {"roots", &anatomy::ReadScore::roots},   {"tips", &anatomy::ReadScore::tips},
                                  {"counts", &anatomy::ReadScore::counts}, {"kinds", &anatomy::ReadScore::kinds},
                                  {"up", &anatomy::ReadScore::up},         {"forward", &anatomy::ReadScore::forward}};

void log_scores(const anatomy::ReaderStep& step) {
  const anatomy::ReadScore& v = step.validation;
  spdlog::info(
      "step {}: loss {:.3f}, validation {:.3f}: parts {}, joints {:.3f}; limbs {}, sides {}, along {:.3f}, roots "
      "{:.3f}, "
      "tips {:.3f}, counts {}; kind {}, up {}, front {}; {} bodies, {:.0f} s",
      step.step, step.loss, v.loss, percent(v.regions), v.starts, percent(v.limbs), percent(v.sides), v.along, v.roots,
      v.tips, percent(v.counts), percent(v.kinds), percent(v.up), percent(v.forward), step.examples, step.seconds);
}

using Characters = std::shared_ptr<const std::vector<training::Character>>;

Result<anatomy::ReaderReport> train_with_log(const Terminal& terminal, const Characters& characters,
                                             ReaderOptions& options) {
  anatomy::ReaderTraining& settings = options.train;
  TrainingLog log(terminal, options.files, settings.plan,
                  "validation_loss,regions,starts,limbs,sides,along,roots,tips,counts,kinds,up,forward");
  settings.on_report = [&](const anatomy::ReaderStep& step) {
    if (step.validated) log_scores(step);
    const anatomy::ReadScore& v = step.validation;
    return log.add(step, {v.loss, v.regions, v.starts, v.limbs, v.sides, v.along, v.roots, v.tips, v.counts, v.kinds,
                          v.up, v.forward});
  };
  const auto source = training::reader_examples(training::posed_bodies(characters, options.bodies));
  LIMBER_TRY(const anatomy::ReaderReport report, anatomy::train_reader(source, options.files.output, settings));
  LIMBER_CHECK_OK(log.status());
  return report;
}

nlohmann::ordered_json summary_of(const ReaderOptions& options, const anatomy::ReaderReport& report) {
  nlohmann::ordered_json summary = training_summary("train reader", options.files, options.train.plan, report);
  for (const NamedScore& score : kScores)
    summary[std::string("validation_") + score.name] = report.validation.*score.value;
  summary["examples"] = report.examples;
  summary["creatures"] = options.bodies.creatures;
  summary["artists"] = options.characters.empty() ? 0.0 : options.bodies.artists;
  summary["any_body"] = options.bodies.any_body;
  add_left_out(options.bodies.leave_out, summary);
  summary["gflop"] = 1e-9 * options.train.model.flops();
  return summary;
}

Status train(const Terminal& terminal, ReaderOptions options) {
  anatomy::ReaderTraining& settings = options.train;
  std::vector<training::Character> characters;
  if (!options.characters.empty()) {
    LIMBER_TRY(characters, training::read_characters(options.characters));
  }
  if (!settings.plan.from.empty()) {
    LIMBER_TRY(settings.model, anatomy::read_reader_model(settings.plan.from));
  }
  LIMBER_TRY(options.files.credits, training_credits(options.characters, options.files, settings.plan));
  for (const std::string& folder : options.calibrated_by) {
    LIMBER_TRY(const anatomy::ReaderModel fold, anatomy::read_reader_model(folder));
    settings.folds.push_back(fold.temperatures);
  }
  options.bodies.points = settings.model.points;
  for (int r = 0; r < anatomy::kRegionCount; ++r)
    settings.mirrored.push_back(static_cast<int>(anatomy::mirrored(static_cast<anatomy::Region>(r))));
  LIMBER_TRY(const anatomy::ReaderReport report,
             train_with_log(terminal, std::make_shared<const std::vector<training::Character>>(std::move(characters)),
                            options));
  const nlohmann::ordered_json summary = summary_of(options, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (terminal.json) {
    print_json(summary);
  } else {
    fmt::print("{} steps of {} on {} bodies in {:.0f} s: of unseen ones {} of the parts, {} of the fronts are right\n",
               report.steps, settings.plan.batch, report.examples, report.seconds, percent(report.validation.regions),
               percent(report.validation.forward));
  }
  return Done{};
}

}  // namespace

void add_train_reader(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<ReaderOptions>();
  CLI::App* command =
      add_command(group, terminal, "reader", torch_help("train", "reader"),
                  "limber-lab train reader -o models/body_reader --characters characters.bin --seconds 480",
                  [&terminal, options] { return train(terminal, *options); });
  anatomy::ReaderTraining& training = options->train;
  add_plan_options(*command, options->files, training.plan, "Bodies");
  command->add_option("--characters", options->characters, "Artists' characters, from `limber-lab train bake`")
      ->type_name("FILE");
  command->add_option("--artists", options->bodies.artists, "Share of them among the bodies")
      ->needs("--characters")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_leave_out_options(*command, options->bodies.leave_out);
  command
      ->add_option("--calibrated-by", options->calibrated_by,
                   "Readers trained with --fold: how sure this one is of whole bodies is fitted on what they left out")
      ->type_name("DIR");
  command->add_option("--any-body", options->bodies.any_body, "Share of creatures with any limbs; the others are plans")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--creatures", options->bodies.creatures, "Different creatures of the zoo")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_body_pool_options(*command, training.plan, "57 kB");
  add_shape_options(*command, training.model.layers, training.model.width, training.model.heads);
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.plan.seed = options->bodies.seed = seed; },
      "Of weights and bodies");
}

}  // namespace limber::cli
