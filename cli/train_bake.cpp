// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "command.h"
#include "limber/base/files.h"
#include "limber/retarget/limb_retarget.h"
#include "limber/rig/facing.h"
#include "limber/training/bake.h"
#include "limber/training/skeleton_family.h"
#include "outputs.h"
#include "train.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

struct BakeOptions {
  std::string split, mocap, output;
  std::vector<std::string> others;
  training::BakeSettings settings;
};

/// The report with the credits.
std::string side_file(const BakeOptions& options) { return options.output + ".json"; }

/// The index of recordings: a file, or a folder that has one; where nothing is said, that beside the split.
Result<fs::path> find_index(const BakeOptions& options) {
  std::error_code failed;
  if (options.mocap == "none") return fs::path();
  if (options.mocap.empty()) {
    const fs::path beside = fs::path(options.split).parent_path() / "mocap" / "index.json";
    return fs::exists(beside, failed) ? beside : fs::path();
  }
  const fs::path path =
      fs::is_directory(options.mocap, failed) ? fs::path(options.mocap) / "index.json" : fs::path(options.mocap);
  if (!fs::exists(path, failed)) return Error{"no such index of recordings", path.string(), ErrorKind::kMissing};
  return path;
}

/// Files, and those of folders that can be characters or recordings, sorted.
Result<std::vector<fs::path>> list_files(const std::vector<std::string>& given) {
  std::vector<fs::path> files;
  for (const std::string& path : given) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, failed)) {
      const std::string extension = lower_extension(entry.path());
      const bool known = extension == ".glb" || extension == ".gltf" || extension == ".fbx" || extension == ".bvh";
      if (known && entry.is_regular_file(failed)) found.push_back(entry.path());
    }
    if (failed) return Error{failed.message(), path};
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
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
          {"plan", zoo::name(character.body.plan)},
          {"joints", character.rig.joint_count()},
          {"triangles", character.mesh.triangles.size()},
          {"clips", clips}};
}

nlohmann::ordered_json to_json(const std::vector<training::LeftOut>& list) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const training::LeftOut& entry : list) {
    json.push_back(
        {{"file", entry.file}, {"clip", entry.clip}, {"repeats", entry.repeat.of}, {"share", entry.repeat.share}});
  }
  return json;
}

/// Members of each skeleton family, the largest first.
std::vector<std::vector<std::string>> family_members(const std::vector<training::Character>& characters) {
  std::vector<std::string> families;
  for (const training::Character& character : characters) families.push_back(training::skeleton_family(character.rig));
  std::vector<std::vector<std::string>> members;
  for (const std::vector<std::size_t>& group : training::group_by_family(families)) {
    members.emplace_back();
    for (const std::size_t i : group) members.back().push_back(characters[i].name);
  }
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return members;
}

struct Counts {
  std::map<std::string, int> actions, recorded;  ///< by characters, by people
  std::size_t clips = 0, recordings = 0;
  int like_people = 0;  ///< characters that take recordings
  double seconds = 0, recorded_seconds = 0;
};

Counts count(const training::TrainingSet& set) {
  Counts counts;
  for (const training::Character& character : set.characters) {
    counts.like_people += retarget::moves_like_people(character.rig) ? 1 : 0;
    for (const training::CharacterClip& clip : character.clips) {
      for (const std::string& action : clip.meaning.actions) ++counts.actions[action];
      ++counts.clips, counts.seconds += clip.seconds();
    }
  }
  for (const training::Person& person : set.people) {
    for (const training::Recording& recording : person.recordings) {
      ++counts.recorded[recording.action], ++counts.recordings;
      counts.recorded_seconds += recording.motion.frame_count() / recording.motion.fps;
    }
  }
  return counts;
}

nlohmann::ordered_json report_of(const BakeOptions& options, const training::Baked& baked, const Counts& counts,
                                 std::size_t bytes, double seconds) {
  nlohmann::ordered_json characters = nlohmann::ordered_json::array();
  for (const training::Character& character : baked.set.characters) characters.push_back(to_json(character));
  return {{"limber", LIMBER_VERSION},
          {"command", "train bake"},
          {"output", fs::path(options.output).filename().string()},
          {"bytes", bytes},
          {"seconds", seconds},
          {"credits", baked.set.credits},
          {"clips", counts.clips},
          {"actions", counts.actions},
          {"people",
           {{"skeletons", baked.set.people.size()},
            {"recordings", counts.recordings},
            {"seconds", counts.recorded_seconds},
            {"actions", counts.recorded},
            {"lent_to", counts.like_people}}},
          {"left_out", to_json(baked.repeated_tests)},
          {"recorded_twice", to_json(baked.repeated_people)},
          {"failures", baked.failures},
          {"missing_tests", baked.missing},
          {"families", family_members(baked.set.characters)},
          {"characters", characters}};
}

void print_report(const training::Baked& baked, const Counts& counts, const BakeOptions& options, std::size_t bytes) {
  for (const auto& [action, number] : counts.actions) fmt::print("{:4} {}\n", number, action);
  for (const training::LeftOut& entry : baked.repeated_tests) {
    fmt::print("left out: {} of {}, {:.0f} % of whose curves are those of {}\n", printable(entry.clip),
               printable(entry.file), 100 * entry.repeat.share, printable(entry.repeat.of));
  }
  for (const training::LeftOut& entry : baked.repeated_people) {
    fmt::print("recorded twice: {} is {}\n", printable(entry.file), printable(entry.repeat.of));
  }
  fmt::print(
      "{} characters of {} skeleton families with {} clips ({:.0f} s), {} people with {} recordings ({:.0f} s), {:.1f} "
      "MB in {}\n",
      baked.set.characters.size(), family_members(baked.set.characters).size(), counts.clips, counts.seconds,
      baked.set.people.size(), counts.recordings, counts.recorded_seconds, 1e-6 * double(bytes), options.output);
}

Status train_bake(const Terminal& terminal, const BakeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  training::BakeSources sources;
  sources.split = options.split;
  LIMBER_TRY(sources.recordings, find_index(options));
  LIMBER_TRY(sources.others, list_files(options.others));
  training::Baked baked;
  {
    Activity activity(terminal, "reading characters");
    const auto progress = [&](const std::string& what, double done) {
      activity.say(what);
      activity.update(done);
      return true;
    };
    LIMBER_TRY(baked, training::bake(sources, options.settings, progress));
  }
  for (const std::string& failure : baked.failures) spdlog::warn("left out: {}", printable(failure));
  for (const std::string& name : baked.missing) {
    spdlog::warn("{} is for testing and not there: copies of it would not be known", printable(name));
  }
  if (baked.set.characters.empty() && baked.set.people.empty()) return Error{"nobody could be used", options.split};
  const Bytes bytes = training::write_training_set(baked.set);
  // What cannot be read would only be noticed on the training machine.
  LIMBER_TRY(const auto again, training::read_training_set(bytes, options.output));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const Counts counts = count(again);
  const nlohmann::ordered_json report = report_of(options, baked, counts, bytes.size(), seconds.count());
  const std::string side = report.dump(1) + "\n";
  const fs::path side_path = side_file(options);
  LIMBER_CHECK_OK(write_files(std::vector<PendingFile>{{side_path, as_bytes(side)}, {options.output, bytes}}));
  if (terminal.json) {
    print_json(report);
  } else {
    print_report(baked, counts, options, bytes.size());
  }
  return Done{};
}

}  // namespace

void add_train_bake(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<BakeOptions>();
  CLI::App* command = add_command(
      group, terminal, "bake", "Gather the characters and recordings that may be trained with in one file",
      "limber-lab train bake --split ../shared/split.json -o carry/characters.bin\n"
      "limber-lab train bake --split ../shared/split.json --mocap none --add my_characters/ -o carry/characters.bin",
      [&terminal, options] { return train_bake(terminal, *options); });
  command->add_option("--split", options->split, "JSON with the lists `train` and `test`, paths relative to it")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--mocap", options->mocap,
                   "Index of people's recordings, or its folder; otherwise mocap/index.json beside the split, if it is "
                   "there; none: no people")
      ->type_name("FILE");
  command->add_option("--add", options->others, "More characters and recordings (.bvh, in folders named after actions)")
      ->type_name("PATH");
  command->add_option("-o,--output", options->output, "File to write; a report with the credits is written beside it")
      ->required()
      ->type_name("FILE");
  also_writes(*command, [options] { return std::vector<UnnamedOutput>{{"the report", side_file(*options)}}; });
  command
      ->add_option("--surfaces", options->settings.characters.surfaces, "How often each surface is sampled when read")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  command
      ->add_option_function<std::vector<std::string>>(
          "--front",
          [options](const std::vector<std::string>& said) {
            for (const std::string& text : said) {
              const std::size_t equals = text.find('=');
              const auto front = rig::parse_direction(equals == std::string::npos ? "" : text.substr(equals + 1));
              if (!front || equals == 0 || std::hypot(front->x, front->z) < 0.5f)
                throw CLI::ValidationError("--front", "NAME=DIR, a level direction, not " + text);
              options->settings.characters.fronts[text.substr(0, equals)] = *front;
            }
          },
          "Which way characters face that have NAME in theirs, where joints or steps tell it wrongly: rat=+x")
      ->type_name("NAME=DIR");
  command->add_option("--people-fps", options->settings.recordings.fps, "Frames a second that are kept of recordings")
      ->check(CLI::Range(1.0, 120.0))
      ->capture_default_str();
}

}  // namespace limber::cli
