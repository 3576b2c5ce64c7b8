// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "train.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <filesystem>
#include <memory>

#include "command.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/base/files.h"
#include "limber/prior/part_trainer.h"
#include "limber/prior/video_prior.h"
#include "limber/scene/part_view.h"
#include "limber/zoo/creature.h"

namespace limber::cli {
namespace {

struct TrainOptions {
  std::string output, csv, sheet;
  std::string from;
  prior::TrainSettings train;
  TrainingData data;
};

/// What the sheet asks for, of creatures that no training has seen.
struct SheetRow {
  zoo::Plan plan;
  const char* prompt;
};
constexpr std::array<SheetRow, 16> kSheet{{{zoo::Plan::kQuadruped, "a fox walks"},
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
                                           {zoo::Plan::kQuadruped, "a cow eats"}}};
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
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> model, prior::load_prior(options.output));
  const prior::PriorInfo& info = model->info();
  const int size = info.native.width;
  Bitmap sheet(size * info.views * (1 + info.native.frames / 3), size * static_cast<int>(kSheet.size()), 3);
  for (std::size_t i = 0; i < kSheet.size(); ++i) {
    zoo::CreatureSettings settings;
    settings.plan = kSheet[i].plan, settings.seed = kSheetSeed + i;
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(settings));
    scene::PartViewSettings view;
    view.views = info.views, view.size = size;
    scene::PartView seen(creature.subject.rig, scene::part_gaussians(creature.subject), view);
    const Frames rest = seen.rest();
    LIMBER_TRY(const prior::Condition condition, model->condition({kSheet[i].prompt, ""}, &rest));
    prior::SampleSettings sampling;
    sampling.seed = i;
    LIMBER_TRY(const Frames video, model->sample(condition, sampling));
    add_row(sheet, static_cast<int>(i), rest, video);
  }
  return asset::write_picture(sheet, options.sheet);
}

Status train_prior(const Terminal& terminal, TrainOptions options) {
  prior::TrainSettings& settings = options.train;
  LIMBER_TRY(const TrainingClips clips, training_clips(settings.model, options.data));
  settings.model.actions = clips.actions;
  settings.from = options.from;
  std::string rows = "step,seconds,loss,validation_loss,learning_rate,gradient_norm,clips\n";
  Status csv_status = Done{};
  std::unique_ptr<Activity> activity = std::make_unique<Activity>(terminal, "drawing the first clips");
  settings.on_report = [&](const prior::TrainStep& step) {
    if (step.step == settings.report_steps) activity = std::make_unique<Activity>(terminal, "training");
    activity->update(settings.max_steps > 0 ? static_cast<double>(step.step) / static_cast<double>(settings.max_steps)
                                            : step.seconds / settings.seconds);
    const std::string validation = step.validation_loss < 0 ? "" : fmt::format("{:.6f}", step.validation_loss);
    rows += fmt::format("{},{:.2f},{:.6f},{},{:.3e},{:.4f},{}\n", step.step, step.seconds, step.loss, validation,
                        step.learning_rate, step.gradient_norm, step.clips);
    if (step.validation_loss >= 0) {
      spdlog::info("step {}: loss {:.4f}, validation {:.4f}, {} clips, {:.0f} s", step.step, step.loss,
                   step.validation_loss, step.clips, step.seconds);
    }
    if (!options.csv.empty()) csv_status = write_file(options.csv, rows);
    return csv_status.ok();
  };
  LIMBER_TRY(const prior::TrainReport report, prior::train_part_prior(clips.source, options.output, settings));
  activity.reset();
  LIMBER_CHECK_OK(csv_status);
  const std::string& characters = options.data.characters;
  const nlohmann::ordered_json summary{{"limber", LIMBER_VERSION},
                                       {"command", "train prior"},
                                       {"output", options.output},
                                       {"from", options.from},
                                       {"device", report.device},
                                       {"parameters", report.parameters},
                                       {"gflop_per_guided_step", 2e-9 * settings.model.flops()},
                                       {"steps", report.steps},
                                       {"batch", settings.batch},
                                       {"samples", report.samples},
                                       {"clips", report.clips},
                                       {"creatures", options.data.creatures},
                                       {"character_share", characters.empty() ? 0.0 : options.data.character_share},
                                       {"seed", options.data.seed},
                                       {"seconds", report.seconds},
                                       {"seconds_before", report.first_seconds},
                                       {"loss", report.loss},
                                       {"validation_loss", report.validation_loss}};
  LIMBER_CHECK_OK(write_file(std::filesystem::path(options.output) / "training.json", summary.dump(1) + "\n"));
  if (!options.sheet.empty()) {
    const Activity drawing(terminal, "drawing samples");
    LIMBER_CHECK_OK(write_sheet(options));
  }
  if (terminal.json) {
    print_json(summary);
  } else {
    fmt::print("{} steps of {} on {} clips in {:.0f} s: loss {:.4f}, on other creatures {:.4f}\n", report.steps,
               settings.batch, report.clips, report.seconds, report.loss, report.validation_loss);
  }
  return Done{};
}

}  // namespace

void add_train_prior(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      add_command(group, terminal, "prior", "Train the built-in prior on creatures of the zoo and artists' characters",
                  "limber train prior -o models/part_prior --seconds 480\n"
                  "limber train prior -o new --from models/part_prior --seconds 60 --sheet samples.png",
                  [&terminal, options] { return train_prior(terminal, *options); });
  prior::TrainSettings& train = options->train;
  command->add_option("-o,--output", options->output, "Folder for the model")->required()->type_name("DIR");
  command->add_option("--from", options->from, "Go on from the weights of this folder")->type_name("DIR");
  command->add_flag("--resume", train.resume, "Go on where a run into the same folder was stopped");
  command->add_option("--seconds", train.seconds, "How long to train")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--steps", train.max_steps, "At most so many steps; 0: as many as fit")->capture_default_str();
  command->add_option("--batch", train.batch, "Clips per step")->check(CLI::Range(1, 4096))->capture_default_str();
  command->add_option("--pool", train.pool, "Clips in memory, 0.6 MB each")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--clips", train.max_clips, "Draw at most so many; 0: as many as there is time for")
      ->capture_default_str();
  command->add_option("--first-clips", train.first_clips, "Clips to draw before training begins")
      ->capture_default_str();
  add_data_options(*command, options->data);
  command->add_option("--learning-rate", train.learning_rate, "At its height")->capture_default_str();
  command->add_option("--final-rate", train.final_rate, "At the end, as a share of that")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--warmup", train.warmup_steps, "Steps until then")->capture_default_str();
  command->add_option("--average", train.average_decay, "Decay of the running average of the weights")
      ->capture_default_str();
  command->add_option("--body-weight", train.body_weight, "How much pixels of the body count, against the ground's")
      ->capture_default_str();
  command->add_option("--layers", train.model.layers, "Depth of the network")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--width", train.model.width, "Width of the network; a multiple of --heads")
      ->capture_default_str();
  command->add_option("--heads", train.model.heads, "Attention heads")->capture_default_str();
  command->add_option("--device", train.device, "cpu, cuda or cuda:N; auto: the GPU if there is one")
      ->capture_default_str();
  command->add_option("--csv", options->csv, "Losses, written as the training goes")->type_name("FILE");
  command->add_option("--sheet", options->sheet, "Draw samples into this picture at the end")->type_name("FILE");
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.seed = options->data.seed = seed; },
      "Of weights and clips");
}

}  // namespace limber::cli
