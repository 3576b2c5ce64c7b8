// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>

#include "command.h"
#include "limber/actions/catalogue.h"
#include "limber/asset/picture.h"
#include "limber/base/threads.h"
#include "limber/training/action_counts.h"
#include "limber/training/character_clips.h"
#include "limber/training/character_file.h"
#include "limber/training/training_clips.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

// --- clips --------------------------------------------------------------------

struct ClipsOptions {
  TrainingData data;
  std::string output;
  int count = 24, step = 3;
  std::uint64_t first = 0;
};

/// Row by row: the body at rest, then frames, in the first view and then in the second.
Bitmap sheet_of(const std::vector<prior::SketchClip>& clips, const prior::SketchModel& model, int step) {
  const auto side = static_cast<std::size_t>(model.size), plane = side * side;
  const int shown = (model.frames + step - 1) / step;
  Bitmap sheet(model.size * model.views * (1 + shown), model.size * static_cast<int>(clips.size()), 3);
  const auto place = [&](const std::uint8_t* planes, int column, std::size_t row) {
    for (std::size_t p = 0; p < plane; ++p) {
      std::uint8_t* pixel =
          sheet.at(column * model.size + static_cast<int>(p % side), static_cast<int>(row * side + p / side));
      for (std::size_t k = 0; k < 3; ++k) pixel[k] = planes[k * plane + p];
    }
  };
  for (std::size_t row = 0; row < clips.size(); ++row) {
    for (int view = 0; view < model.views; ++view) {
      place(clips[row].rest.data() + 3 * plane * static_cast<std::size_t>(view), view * (1 + shown), row);
      for (int i = 0; i < shown; ++i) {
        const auto frame = static_cast<std::size_t>(view * model.frames + i * step);
        place(clips[row].video.data() + 3 * plane * frame, view * (1 + shown) + 1 + i, row);
      }
    }
  }
  return sheet;
}

Status train_clips(const Terminal& terminal, const ClipsOptions& options) {
  const prior::SketchModel model;
  LIMBER_TRY(const TrainingClips data, training_clips(model, options.data));
  std::vector<prior::SketchClip> clips(static_cast<std::size_t>(options.count));
  std::mutex mutex;
  Status status = Done{};
  const auto start = std::chrono::steady_clock::now();
  {
    const Activity activity(terminal, "drawing clips");
    parallel_for(clips.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Result<prior::SketchClip> clip = data.source(options.first + i);
        if (clip.ok()) {
          clips[i] = std::move(clip).value();
          continue;
        }
        const std::lock_guard lock(mutex);
        status = clip.error();
      }
    });
  }
  LIMBER_CHECK_OK(status);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!options.output.empty())
    LIMBER_CHECK_OK(asset::write_picture(sheet_of(clips, model, options.step), options.output));
  if (terminal.json) {
    nlohmann::ordered_json captions = nlohmann::ordered_json::array();
    for (const prior::SketchClip& clip : clips) captions.push_back(clip.captions);
    print_json({{"limber", LIMBER_VERSION},
                {"command", "train clips"},
                {"seconds", seconds.count()},
                {"captions", captions},
                {"credits", data.credits}});
    return Done{};
  }
  for (std::size_t i = 0; i < clips.size(); ++i) fmt::print("{:3}  {}\n", i, fmt::join(clips[i].captions, " / "));
  fmt::print("{} clips in {:.1f} s with {} threads\n", clips.size(), seconds.count(), thread_count());
  // A picture that shows them names them.
  for (const std::string& line : data.credits) fmt::print("credit: {}\n", printable(line));
  return Done{};
}

// --- actions ------------------------------------------------------------------

/// What a training would teach, and by how many different clips.
Status train_actions(const Terminal& terminal, const TrainingData& data) {
  LIMBER_TRY(const TrainingClips clips, training_clips({}, data));
  nlohmann::ordered_json list = nlohmann::ordered_json::object();
  for (const prior::ActionWords& action : clips.actions) {
    const auto count = clips.counts.find(action.name);
    const bool of_zoo = zoo::action_from_name(action.name).has_value();
    list[action.name] = {{"zoo", of_zoo}, {"clips", count == clips.counts.end() ? 0 : count->second}};
  }
  if (terminal.json) {
    print_json({{"limber", LIMBER_VERSION}, {"command", "train actions"}, {"actions", list}});
    return Done{};
  }
  for (const auto& [action, taught] : list.items()) {
    fmt::print("{:12} {:4} clips{}\n", action, taught["clips"].get<int>(),
               taught["zoo"].get<bool>() ? ", and the zoo's, of which there is no end" : "");
  }
  fmt::print("{} actions\n", list.size());
  return Done{};
}

/// Of a file's credits, those for the characters that are used, and for people.
std::vector<std::string> owed_credits(const training::TrainingSet& set) {
  std::vector<std::string> owed;
  for (const std::string& line : set.credits) {
    const std::string file = line.substr(0, line.find(": "));
    const bool of_a_file =
        file.size() < line.size() && file.find('.') != std::string::npos && file.find(' ') == std::string::npos;
    const auto is_of = [&](const training::Character& character) {
      const std::string& name = character.name;
      return name.size() >= file.size() && name.compare(name.size() - file.size(), file.size(), file) == 0;
    };
    if (!of_a_file || std::any_of(set.characters.begin(), set.characters.end(), is_of)) owed.push_back(line);
  }
  return owed;
}

}  // namespace

Result<TrainingClips> training_clips(const prior::SketchModel& model, const TrainingData& data) {
  training::ClipSettings zoo;
  zoo.creatures = data.creatures, zoo.any_body = data.any_body, zoo.seed = data.seed;
  TrainingClips clips{training::zoo_clips(model, zoo), {}, {}, {}};
  std::set<std::string> shown;
  for (int i = 0; i < zoo::kActionCount; ++i) shown.emplace(zoo::name(static_cast<zoo::Action>(i)));
  if (!data.characters.empty()) {
    LIMBER_TRY(training::TrainingSet set, training::read_training_set(data.characters));
    training::lend_recordings(set.characters, set.people, training::kLentRecordings, data.seed);
    std::vector<training::Character>& read = set.characters;
    const auto is_other = [&](const training::Character& c) { return c.name.find(data.only) == std::string::npos; };
    read.erase(std::remove_if(read.begin(), read.end(), is_other), read.end());
    if (read.empty()) return Error{fmt::format("no character is called '{}'", printable(data.only)), data.characters};
    // Few of the characters have few clips: all that there are is shown.
    if (data.only.empty()) training::drop_rare_actions(read);
    clips.counts = training::count_clips(read);
    if (clips.counts.empty()) return Error{"no clip whose name means an action", data.characters};
    for (const auto& [action, count] : clips.counts) shown.insert(action);
    clips.credits = owed_credits(set);
    training::CharacterClipSettings settings;
    settings.seed = data.seed;
    prior::ClipSource characters = training::character_clips(
        model, std::make_shared<const std::vector<training::Character>>(std::move(read)), settings);
    clips.source = training::mixed_clips(clips.source, std::move(characters), data.character_share, data.seed);
  }
  for (const actions::ActionWords& action : actions::built_in().taught()) {
    if (shown.count(action.name) > 0) clips.actions.push_back(action);
  }
  return clips;
}

void add_data_options(CLI::App& command, TrainingData& data) {
  command.add_option("--creatures", data.creatures, "Different bodies of the zoo")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command.add_option("--any-body", data.any_body, "Share of them that are random bodies of the grammar")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--characters", data.characters, "Artists' characters, as `limber-lab train bake` writes them")
      ->type_name("FILE");
  command.add_option("--character-share", data.character_share, "Share of the clips that show them")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void add_train(CLI::App& app, Terminal& terminal) {
  CLI::App* group = app.add_subcommand("train", "Train limber's own models");
  group->require_subcommand(1);
  if (torch_commands().add_trainings != nullptr) {
    torch_commands().add_trainings(*group, terminal);
  } else {
    list_torch_commands(*group, "train");
  }
  add_train_bake(*group, terminal);

  auto actions_data = std::make_shared<TrainingData>();
  CLI::App* actions_command =
      add_command(*group, terminal, "actions", "List what a prior is taught, with how many different clips",
                  "  limber-lab train actions --characters carry/characters.bin",
                  [&terminal, actions_data] { return train_actions(terminal, *actions_data); });
  add_data_options(*actions_command, *actions_data);

  auto clips_options = std::make_shared<ClipsOptions>();
  CLI::App* clips_command =
      add_command(*group, terminal, "clips", "Draw what a prior is taught with, to look at",
                  "  limber-lab train clips --characters carry/characters.bin --character-share 1 -o sheet.png",
                  [&terminal, clips_options] { return train_clips(terminal, *clips_options); });
  add_data_options(*clips_command, clips_options->data);
  clips_command->add_option("-o,--output", clips_options->output, "Picture: a row per clip, both views")
      ->type_name("FILE");
  clips_command->add_option("--count", clips_options->count, "How many")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  clips_command->add_option("--step", clips_options->step, "Show every so many frames")
      ->check(CLI::Range(1, 24))
      ->capture_default_str();
  clips_command->add_option("--only", clips_options->data.only, "Characters with this in their names");
  clips_command->add_option("--first", clips_options->first, "Number of the first")->capture_default_str();
  clips_command->add_option("--seed", clips_options->data.seed, "Of bodies and clips")->capture_default_str();
}

}  // namespace limber::cli
