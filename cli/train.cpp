// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "train.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>

#include "command.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/prior/sketch_trainer.h"
#include "limber/prior/video_prior.h"
#include "limber/scene/sketch_view.h"
#include "limber/zoo/creature.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

struct TrainOptions {
  TrainingFiles files;
  std::string sheet;
  prior::TrainSettings train;
  TrainingData data;
};

/// What the sheet asks for, of creatures that no training has seen.
struct SheetRow {
  zoo::Plan plan;
  const char* prompt;
  const char* body = nullptr;  ///< of the grammar; wins over the plan
};
constexpr std::array<SheetRow, 20> kSheet{
    {{zoo::Plan::kQuadruped, "a fox walks"},
     {zoo::Plan::kQuadruped, "a grimlock trots"},
     {zoo::Plan::kQuadruped, "the horse gallops"},
     {zoo::Plan::kQuadruped, "a dog lies down"},
     {zoo::Plan::kQuadruped, "idle"},
     {zoo::Plan::kBiped, "a man walks"},
     {zoo::Plan::kBiped, "running fast"},
     {zoo::Plan::kBiped, "a robot waves"},
     {zoo::Plan::kBiped, "jump"},
     {zoo::Plan::kBird, "a bird flies"},
     {zoo::Plan::kTheropod, "a dinosaur runs"},
     {zoo::Plan::kHexapod, "an ant crawls"},
     {zoo::Plan::kOctopod, "a spider walks"},
     {zoo::Plan::kFish, "a fish swims"},
     {zoo::Plan::kSnake, "a snake slithers"},
     {zoo::Plan::kQuadruped, "a cow eats"},
     {{}, "a dragon flies", "legs:2,wings:1,neck:long,tail:1"},
     {{}, "a centaur trots, turning left", "legs:2/unguligrade,arms:1,body:6/upright"},
     {{}, "a tired millipede crawls", "legs:15,antennae,neck:none"},
     {{}, "an octopus swims", "body:upright,heads:0,tentacles:8"}}};
constexpr std::uint64_t kSheetSeed = 900000;

/// One row per view: the rest pose, then every third frame.
void add_row(Bitmap& sheet, int row, const Frames& rest, const Frames& video) {
  for (int view = 0; view < video.views; ++view) {
    const auto place = [&](const Bitmap& picture, int column) {
      for (int y = 0; y < picture.height; ++y) {
        std::copy_n(picture.at(0, y), 3 * picture.width, sheet.at(column * picture.width, row * picture.height + y));
      }
    };
    const int columns = 1 + video.frames / 3;
    place(asset::frame_picture(rest, view, 0), view * columns);
    for (int i = 0; i < video.frames / 3; ++i) place(asset::frame_picture(video, view, 3 * i), view * columns + 1 + i);
  }
}

Status write_sheet(const TrainOptions& options) {
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> model, prior::load_prior(options.files.output));
  const prior::PriorInfo& info = model->info();
  const int size = info.native.width;
  Bitmap sheet(size * info.views * (1 + info.native.frames / 3), size * static_cast<int>(kSheet.size()), 3);
  for (std::size_t i = 0; i < kSheet.size(); ++i) {
    zoo::CreatureSettings settings;
    settings.plan = kSheet[i].plan, settings.seed = kSheetSeed + i;
    if (kSheet[i].body != nullptr) {
      LIMBER_TRY(settings.body, zoo::parse_body(kSheet[i].body));
    }
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(settings));
    scene::SketchViewSettings view;
    view.views = info.views, view.size = size, view.framing = info.framing;
    scene::SketchView seen(creature.subject.rig, scene::part_gaussians(creature.subject), view);
    const Frames rest = seen.rest();
    LIMBER_TRY(const prior::Condition condition, model->condition({kSheet[i].prompt, ""}, &rest));
    prior::SampleSettings sampling;
    sampling.seed = i;
    LIMBER_TRY(const Frames video, model->sample(condition, sampling));
    add_row(sheet, static_cast<int>(i), rest, video);
  }
  return asset::write_picture(sheet, options.sheet);
}

nlohmann::ordered_json summary_of(const TrainOptions& options, const prior::TrainReport& report) {
  const TrainingData& data = options.data;
  nlohmann::ordered_json summary = training_summary("train prior", options.files, options.train.plan, report);
  summary["validation_loss"] = report.validation_loss;
  summary["continued_loss"] = report.continued_loss;
  summary["clips"] = report.examples;
  summary["samples"] = report.steps * options.train.plan.batch;
  summary["creatures"] = data.creatures;
  summary["any_body"] = data.any_body;
  summary["character_share"] = data.characters.empty() ? 0.0 : data.character_share;
  summary["gflop_per_guided_step"] = 2e-9 * options.train.model.flops();
  return summary;
}

Result<prior::TrainReport> train_with_log(const Terminal& terminal, const TrainingClips& clips, TrainOptions& options) {
  prior::TrainSettings& settings = options.train;
  TrainingLog log(terminal, options.files, settings.plan, "validation_loss,continued_loss");
  settings.on_report = [&](const prior::TrainStep& step) {
    if (step.validated) {
      spdlog::info("step {}: loss {:.4f}, validation {:.4f}, continued {:.4f}, {} clips, {:.0f} s", step.step,
                   step.loss, step.validation_loss, step.continued_loss, step.examples, step.seconds);
    }
    return log.add(step, {step.validation_loss, step.continued_loss});
  };
  LIMBER_TRY(const prior::TrainReport report, prior::train_sketch_prior(clips.source, options.files.output, settings));
  LIMBER_CHECK_OK(log.status());
  return report;
}

Status train_prior(const Terminal& terminal, TrainOptions options) {
  prior::TrainSettings& settings = options.train;
  LIMBER_TRY(const TrainingClips clips, training_clips(settings.model, options.data));
  settings.model.actions = clips.actions;
  LIMBER_TRY(options.files.credits, training_credits(options.data.characters, options.files, settings.plan));
  LIMBER_TRY(const prior::TrainReport report, train_with_log(terminal, clips, options));
  const nlohmann::ordered_json summary = summary_of(options, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (!options.sheet.empty()) {
    const Activity drawing(terminal, "drawing samples");
    LIMBER_CHECK_OK(write_sheet(options));
  }
  if (terminal.json) {
    print_json(summary);
  } else {
    fmt::print("{} steps of {} on {} clips in {:.0f} s: loss {:.4f}, on other creatures {:.4f}\n", report.steps,
               settings.plan.batch, report.examples, report.seconds, report.loss, report.validation_loss);
  }
  return Done{};
}

}  // namespace

void add_train_prior(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      add_command(group, terminal, "prior", torch_help("train", "prior"),
                  "  limber-lab train prior -o models/sketch_prior --seconds 480\n"
                  "  limber-lab train prior -o new --from models/sketch_prior --seconds 60 --sheet samples.png",
                  [&terminal, options] { return train_prior(terminal, *options); });
  prior::TrainSettings& train = options->train;
  add_plan_options(*command, options->files, train.plan, "Clips");
  command->add_option("--pool", train.plan.pool, "Clips in memory, 0.6 MB each")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--clips", train.plan.max_examples, "Draw at most so many; 0: as many as there is time for")
      ->capture_default_str();
  command->add_option("--first-clips", train.plan.first_examples, "Clips to draw before training begins")
      ->capture_default_str();
  add_data_options(*command, options->data);
  command->add_option("--body-weight", train.body_weight, "How much pixels of the body count, against the ground's")
      ->capture_default_str();
  command->add_option("--continued", train.known.continued, "Share of the clips whose beginning is known")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_shape_options(*command, train.model.layers, train.model.width, train.model.heads);
  command->add_option("--sheet", options->sheet, "Draw samples into this picture at the end")->type_name("FILE");
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.plan.seed = options->data.seed = seed; },
      "Of weights and clips");
}

}  // namespace limber::cli
