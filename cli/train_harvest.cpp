// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "command.h"
#include "limber/animate/harvest.h"
#include "limber/animate/models.h"
#include "limber/base/files.h"
#include "limber/base/stopwatch.h"
#include "limber/training/character_file.h"
#include "limber/training/harvest_bodies.h"
#include "outputs.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostReport = std::uint64_t{64} << 20;

struct HarvestOptions {
  std::string output, characters, prior, device = "auto";
  training::HarvestPlan plan;
  std::uint64_t first = 0;
  int bodies = 50;
  double seconds = 0;  ///< 0: as long as it takes
  std::optional<int> steps;
  bool resume = false;
};

/// What has been harvested so far, and how: a baked file and its report.
struct Harvest {
  training::TrainingSet set;
  Json plan, samples = Json::array();

  int kept() const {
    int count = 0;
    for (const training::Character& character : set.characters) count += static_cast<int>(character.clips.size());
    return count;
  }
};

/// Everything that decides what a harvest is but how many bodies it has.
Json plan_json(const HarvestOptions& options) {
  return {{"seed", options.plan.seed},
          {"first", options.first},
          {"samples_each", options.plan.samples_each},
          {"characters", fs::path(options.characters).filename().string()},
          {"character_share", options.characters.empty() ? 0.0 : options.plan.characters},
          {"any_body", options.plan.any_body},
          {"prior", fs::path(options.prior).filename().string()},
          {"steps", options.steps ? Json(*options.steps) : Json()}};
}

std::string report_file(const std::string& output) { return output + ".json"; }

/// What a run that was stopped had harvested; nothing where there is no such run.
Result<Harvest> resume_harvest(const HarvestOptions& options) {
  Harvest harvest;
  harvest.plan = plan_json(options);
  std::error_code failed;
  if (!options.resume || !fs::exists(report_file(options.output), failed)) return harvest;
  LIMBER_TRY(const Bytes bytes, read_file(report_file(options.output), kMostReport));
  const Json before = Json::parse(as_text(bytes), nullptr, /*allow_exceptions=*/false);
  if (!before.is_object() || !before.contains("plan") || !before.contains("samples") || !before["samples"].is_array())
    return Error{"not the report of a harvest", report_file(options.output)};
  if (before["plan"] != harvest.plan)
    return Error{"another harvest is there: give its options, or another --output", options.output,
                 ErrorKind::kConflict};
  harvest.samples = before["samples"];
  if (fs::exists(options.output, failed)) {
    LIMBER_TRY(harvest.set, training::read_training_set(options.output));
  }
  return harvest;
}

Json summary_of(const Harvest& harvest, double seconds) {
  return {{"limber", LIMBER_VERSION},
          {"command", "train harvest"},
          {"plan", harvest.plan},
          {"seconds", seconds},
          {"bodies", harvest.set.characters.size()},
          {"kept", harvest.kept()},
          {"of", harvest.samples.size()},
          {"credits", harvest.set.credits},
          {"samples", harvest.samples}};
}

/// The file, where anything is in it, and its report, together.
Status keep(const Harvest& harvest, const std::string& output, double seconds) {
  const std::string report = summary_of(harvest, seconds).dump(1) + "\n";
  if (harvest.set.characters.empty()) return write_file(report_file(output), report);
  const Bytes bytes = training::write_training_set(harvest.set);
  return write_files(std::vector<PendingFile>{{report_file(output), as_bytes(report)}, {output, bytes}});
}

/// The clip of a sample that went well.
training::CharacterClip clip_of(const training::HarvestBody::Wish& wish, kinematics::Motion motion) {
  training::CharacterClip clip;
  clip.name = wish.prompt, clip.meaning.actions = {wish.action};
  clip.motion = std::move(motion);
  return clip;
}

/// All samples of a body.
Status harvest_one(training::HarvestBody body, prior::VideoPrior& prior, const HarvestOptions& options,
                   Harvest& harvest) {
  for (const training::HarvestBody::Wish& wish : body.wishes) {
    animate::HarvestSettings settings;
    settings.seed = wish.seed, settings.steps = options.steps;
    Json sample{{"body", body.character.name}, {"prompt", wish.prompt}, {"seed", wish.seed}};
    Result<animate::Harvested> harvested = animate::harvest_motion(body.subject, prior, wish.prompt, settings);
    if (!harvested.ok()) {
      // A body that cannot be lifted is no reason to stop.
      sample["kept"] = false, sample["failed"] = Json::array({harvested.error().message()});
      harvest.samples.push_back(sample);
      continue;
    }
    Json against = Json::array();
    for (const animate::Answer& answer : harvested->answers) {
      if (!answer.passed.value_or(true)) against.push_back(animate::name(answer.question));
    }
    sample["kept"] = harvested->sound(), sample["failed"] = against;
    harvest.samples.push_back(sample);
    if (harvested->sound()) body.character.clips.push_back(clip_of(wish, std::move(harvested->motion)));
  }
  if (!body.character.clips.empty()) harvest.set.characters.push_back(std::move(body.character));
  return Done{};
}

Result<std::shared_ptr<const std::vector<training::Character>>> read_bodies(const HarvestOptions& options,
                                                                            Harvest& harvest) {
  auto characters = std::make_shared<std::vector<training::Character>>();
  if (!options.characters.empty()) {
    LIMBER_TRY(training::TrainingSet set, training::read_training_set(options.characters));
    harvest.set.credits = set.credits;
    *characters = std::move(set.characters);
  }
  return std::shared_ptr<const std::vector<training::Character>>(characters);
}

Status train_harvest(const Terminal& terminal, const HarvestOptions& options) {
  LIMBER_TRY(Harvest harvest, resume_harvest(options));
  LIMBER_TRY(const auto characters, read_bodies(options, harvest));
  animate::ModelSettings models;
  if (!options.prior.empty()) models.prior = options.prior;
  models.loading.device = options.device;
  LIMBER_TRY(const std::shared_ptr<prior::VideoPrior> prior, animate::find_models(models).open_prior());
  const Stopwatch watch;
  {
    Activity activity(terminal, "harvesting");
    const auto done = static_cast<int>(harvest.samples.size()) / options.plan.samples_each;
    for (int i = done; i < options.bodies && (options.seconds <= 0 || watch.seconds() < options.seconds); ++i) {
      activity.say(fmt::format("harvesting body {} of {}, {} motions so far", i + 1, options.bodies, harvest.kept()));
      activity.update(static_cast<double>(i) / options.bodies);
      LIMBER_TRY(training::HarvestBody body,
                 training::harvest_body(characters, options.plan, options.first + static_cast<std::uint64_t>(i)));
      LIMBER_CHECK_OK(harvest_one(std::move(body), *prior, options, harvest));
      LIMBER_CHECK_OK(keep(harvest, options.output, watch.seconds()));
    }
  }
  LIMBER_CHECK_OK(keep(harvest, options.output, watch.seconds()));
  if (terminal.json) {
    print_json(summary_of(harvest, watch.seconds()));
  } else {
    fmt::print("{} of {} samples kept, of {} bodies, in {:.0f} s\n", harvest.kept(), harvest.samples.size(),
               harvest.set.characters.size(), watch.seconds());
  }
  if (harvest.set.characters.empty()) spdlog::warn("no sample passed, and there is no file");
  return Done{};
}

}  // namespace

void add_train_harvest(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<HarvestOptions>();
  CLI::App* command = add_command(group, terminal, "harvest", torch_help("train", "harvest"),
                                  "  limber-lab train harvest --bodies 100 -o harvest.bin\n"
                                  "  limber-lab train harvest --characters characters.bin --resume -o harvest.bin",
                                  [&terminal, options] { return train_harvest(terminal, *options); });
  command
      ->add_option("-o,--output", options->output,
                   "File for `limber-lab train poses --harvest`; a report goes beside it")
      ->required()
      ->type_name("FILE");
  also_writes(*command, [options] { return std::vector<UnnamedOutput>{{"the report", report_file(options->output)}}; });
  command->add_flag("--resume", options->resume, "Resume a harvest into the same file where it was stopped");
  command->add_option("--characters", options->characters, "Artists' characters, from `limber-lab train bake`")
      ->type_name("FILE");
  command->add_option("--character-share", options->plan.characters, "Share of them among the bodies")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--any-body", options->plan.any_body, "Share of bodies of the grammar among creatures of the zoo")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--bodies", options->bodies, "How many bodies")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--first", options->first, "Number of the first, to share the work among several runs")
      ->capture_default_str();
  command->add_option("--samples", options->plan.samples_each, "Samples of each body")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Begin no body after so long; 0: however long it takes")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--prior", options->prior, "Folder of the prior; by default that which ships")->type_name("DIR");
  command->add_option("--steps", options->steps, "Of sampling; by default the prior's own")->check(CLI::Range(1, 1000));
  command->add_option("--device", options->device, "cpu, cuda or cuda:N; auto: the GPU if there is one")
      ->capture_default_str();
  command->add_option("--seed", options->plan.seed, "Of bodies and samples")->capture_default_str();
}

}  // namespace limber::cli
