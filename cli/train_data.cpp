// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "command.h"
#include "limber/asset/picture.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/base/threads.h"
#include "limber/training/character_clips.h"
#include "limber/training/character_file.h"
#include "limber/training/training_clips.h"
#include "train.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

// --- bake ---------------------------------------------------------------------

/// Paths of a split's list, absolute and without detours, so that no other spelling hides that two are the same.
Result<std::vector<fs::path>> split_list(const nlohmann::json& split, const char* list, const fs::path& file) {
  if (!split.is_object() || !split.contains(list) || !split[list].is_array()) {
    return Error{fmt::format("no list '{}'", list), file.string()};
  }
  std::vector<fs::path> paths;
  for (const nlohmann::json& entry : split[list]) {
    if (!entry.is_string()) return Error{"a path that is no text", fmt::format("{}#/{}", file.string(), list)};
    std::error_code failed;
    const fs::path path = fs::weakly_canonical(file.parent_path() / entry.get<std::string>(), failed);
    if (failed) return Error{failed.message(), entry.get<std::string>()};
    paths.push_back(path);
  }
  return paths;
}

struct Baked {
  std::vector<training::Character> characters;
  std::vector<std::string> failures;
};

Result<std::vector<fs::path>> training_files(const fs::path& file) {
  LIMBER_TRY(const Bytes bytes, read_file(file, 64u << 20));
  const nlohmann::json split = nlohmann::json::parse(as_text(bytes), nullptr, /*allow_exceptions=*/false);
  if (split.is_discarded()) return Error{"not JSON", file.string()};
  LIMBER_TRY(const std::vector<fs::path> train, split_list(split, "train", file));
  LIMBER_TRY(const std::vector<fs::path> test, split_list(split, "test", file));
  const std::set<fs::path> forbidden(test.begin(), test.end());
  for (const fs::path& path : train) {
    if (forbidden.count(path) > 0) {
      return Error{fmt::format("'{}' is both for training and for testing", path.filename().string()), file.string()};
    }
  }
  return train;
}

/// Two readings of a split: a path is told relative to it, since its folders say what it is.
Result<Baked> bake(const Terminal& terminal, const fs::path& file, const training::CharacterSettings& settings) {
  LIMBER_TRY(const std::vector<fs::path> paths, training_files(file));
  const fs::path folder = fs::weakly_canonical(file).parent_path();
  Activity activity(terminal, "reading characters");
  Baked baked;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string name = paths[i].lexically_relative(folder).generic_string();
    activity.say("reading " + name);
    const Result<asset::Asset> asset = asset::read_asset(paths[i]);
    if (!asset.ok()) return asset.error();
    Result<training::Character> character = training::make_character(*asset, name, settings);
    if (character.ok()) {
      baked.characters.push_back(std::move(character).value());
    } else {
      baked.failures.push_back(fmt::format("{}: {}", name, character.error().message()));
    }
    activity.update(static_cast<double>(i + 1) / static_cast<double>(paths.size()));
  }
  return baked;
}

nlohmann::ordered_json to_json(const training::Character& character) {
  nlohmann::ordered_json clips = nlohmann::ordered_json::array();
  for (const training::CharacterClip& clip : character.clips) {
    const Vec3 v = clip.ground_velocity;
    clips.push_back({{"name", clip.name},
                     {"actions", clip.meaning.actions},
                     {"seconds", clip.seconds()},
                     {"loops", clip.motion.loops},
                     {"cycles", clip.cycles},
                     {"velocity", {v.x, v.y, v.z}}});
  }
  return {{"name", character.name},
          {"noun", character.body.noun},
          {"joints", character.rig.joint_count()},
          {"clips", clips}};
}

struct BakeOptions {
  std::string split, output;
  training::CharacterSettings settings;
};

Status train_bake(const Terminal& terminal, const BakeOptions& options) {
  LIMBER_TRY(const Baked baked, bake(terminal, options.split, options.settings));
  for (const std::string& failure : baked.failures) spdlog::warn("left out: {}", printable(failure));
  if (baked.characters.empty()) return Error{"no character could be used", options.split};
  const Bytes bytes = training::write_characters(baked.characters);
  // What cannot be read would only be noticed on the training machine.
  LIMBER_TRY(const auto again, training::read_characters(bytes, options.output));
  LIMBER_CHECK_OK(write_file(options.output, bytes));
  std::map<std::string, int> by_action;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t clips = 0;
  for (const training::Character& character : again) {
    for (const training::CharacterClip& clip : character.clips) {
      for (const std::string& action : clip.meaning.actions) ++by_action[action];
      ++clips;
    }
    list.push_back(to_json(character));
  }
  if (terminal.json) {
    print_json({{"limber", LIMBER_VERSION},
                {"command", "train bake"},
                {"output", options.output},
                {"bytes", bytes.size()},
                {"clips", clips},
                {"actions", by_action},
                {"characters", list}});
    return Done{};
  }
  for (const auto& [action, count] : by_action) fmt::print("{:4} {}\n", count, action);
  fmt::print("{} characters with {} clips, {:.1f} MB in {}\n", again.size(), clips, 1e-6 * double(bytes.size()),
             options.output);
  return Done{};
}

// --- clips --------------------------------------------------------------------

struct ClipsOptions {
  TrainingData data;
  std::string output;
  int count = 24, step = 3;
  std::uint64_t first = 0;
};

/// Row by row: the body at rest, then frames, in the first view and then in the second.
Bitmap sheet_of(const std::vector<prior::PartClip>& clips, const prior::PartModel& model, int step) {
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
  const prior::PartModel model;
  LIMBER_TRY(const TrainingClips data, training_clips(model, options.data));
  std::vector<prior::PartClip> clips(static_cast<std::size_t>(options.count));
  std::mutex mutex;
  Status status = Done{};
  const auto start = std::chrono::steady_clock::now();
  {
    const Activity activity(terminal, "drawing clips");
    parallel_for(clips.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Result<prior::PartClip> clip = data.source(options.first + i);
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
    for (const prior::PartClip& clip : clips) captions.push_back(clip.captions);
    print_json(
        {{"limber", LIMBER_VERSION}, {"command", "train clips"}, {"seconds", seconds.count()}, {"captions", captions}});
    return Done{};
  }
  for (std::size_t i = 0; i < clips.size(); ++i) fmt::print("{:3}  {}\n", i, fmt::join(clips[i].captions, " / "));
  fmt::print("{} clips in {:.1f} s with {} threads\n", clips.size(), seconds.count(), thread_count());
  return Done{};
}

}  // namespace

Result<TrainingClips> training_clips(const prior::PartModel& model, const TrainingData& data) {
  training::ClipSettings zoo;
  zoo.creatures = data.creatures, zoo.seed = data.seed;
  TrainingClips clips{training::zoo_clips(model, zoo), {}};
  std::set<std::string> shown;
  for (int i = 0; i < zoo::kActionCount; ++i) shown.emplace(zoo::name(static_cast<zoo::Action>(i)));
  if (!data.characters.empty()) {
    LIMBER_TRY(std::vector<training::Character> read, training::read_characters(data.characters));
    const auto is_other = [&](const training::Character& c) { return c.name.find(data.only) == std::string::npos; };
    read.erase(std::remove_if(read.begin(), read.end(), is_other), read.end());
    if (read.empty()) return Error{fmt::format("no character is called '{}'", printable(data.only)), data.characters};
    for (const training::Character& character : read) {
      for (const training::CharacterClip& clip : character.clips) {
        shown.insert(clip.meaning.actions.begin(), clip.meaning.actions.end());
      }
    }
    training::CharacterClipSettings settings;
    settings.seed = data.seed;
    prior::ClipSource characters = training::character_clips(
        model, std::make_shared<const std::vector<training::Character>>(std::move(read)), settings);
    clips.source = training::mixed_clips(clips.source, std::move(characters), data.character_share, data.seed);
  }
  for (prior::ActionWords& action : training::taught_actions()) {
    if (shown.count(action.name) > 0) clips.actions.push_back(std::move(action));
  }
  return clips;
}

void add_data_options(CLI::App& command, TrainingData& data) {
  command.add_option("--creatures", data.creatures, "Different bodies of the zoo")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command.add_option("--characters", data.characters, "Artists' characters, as `limber train bake` writes them")
      ->type_name("FILE");
  command.add_option("--character-share", data.character_share, "Share of the clips that show them")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void add_train(CLI::App& app, Terminal& terminal) {
  CLI::App* group = app.add_subcommand("train", "Train limber's own models");
  group->require_subcommand(1);
#if defined(LIMBER_WITH_TORCH)
  add_train_prior(*group, terminal);
  add_train_reader(*group, terminal);
#endif
  auto bake_options = std::make_shared<BakeOptions>();
  CLI::App* bake_command = add_command(*group, terminal, "bake",
                                       "Gather the characters that may be trained with, and their clips, in one file",
                                       "  limber train bake --split ../shared/split.json -o carry/characters.bin",
                                       [&terminal, bake_options] { return train_bake(terminal, *bake_options); });
  bake_command
      ->add_option("--split", bake_options->split, "JSON with the lists `train` and `test`, paths relative to it")
      ->required()
      ->type_name("FILE");
  bake_command->add_option("-o,--output", bake_options->output, "File to write")->required()->type_name("FILE");
  bake_command->add_option("--surfaces", bake_options->settings.surfaces, "How often each surface is sampled")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();

  auto clips_options = std::make_shared<ClipsOptions>();
  CLI::App* clips_command =
      add_command(*group, terminal, "clips", "Draw what a prior is taught with, to look at",
                  "  limber train clips --characters carry/characters.bin --character-share 1 -o sheet.png",
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
