// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/bake.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "limber/asset/read.h"
#include "limber/training/credits.h"
#include "limber/training/test_guard.h"

namespace limber::training {
namespace {

namespace fs = std::filesystem;

/// A file to train or to test with.
struct Source {
  fs::path path;     ///< absolute and without detours, so that no other spelling hides that two are the same
  std::string name;  ///< as reports show it; its folders say what it is
  bool recording = false;
  int subject = 0;
  std::string action;
};

Result<fs::path> absolute_path(const fs::path& path) {
  std::error_code failed;
  fs::path result = fs::weakly_canonical(path, failed);
  if (failed) return Error{failed.message(), path.string()};
  return result;
}

Result<nlohmann::json> read_json(const fs::path& file) {
  LIMBER_TRY(const Bytes bytes, read_file(file, 64u << 20));
  nlohmann::json json = nlohmann::json::parse(as_text(bytes), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Error{"not JSON", file.string()};
  return json;
}

/// The files for training, and those for testing.
struct Sources {
  std::vector<Source> train, test;
};

Status add_split(const fs::path& file, Sources& sources) {
  LIMBER_TRY(const nlohmann::json split, read_json(file));
  LIMBER_TRY(const fs::path folder, absolute_path(file.has_parent_path() ? file.parent_path() : fs::path(".")));
  for (const char* list : {"train", "test"}) {
    if (!split.is_object() || !split.contains(list) || !split[list].is_array()) {
      return Error{fmt::format("no list '{}'", list), file.string()};
    }
    for (const nlohmann::json& entry : split[list]) {
      if (!entry.is_string()) return Error{"a path that is no text", fmt::format("{}#/{}", file.string(), list)};
      LIMBER_TRY(const fs::path path, absolute_path(folder / entry.get<std::string>()));
      std::vector<Source>& to = list == std::string_view("train") ? sources.train : sources.test;
      to.push_back({path, path.lexically_relative(folder).generic_string(), false, 0, {}});
    }
  }
  return Done{};
}

Status add_recordings(const fs::path& file, Sources& sources) {
  if (file.empty()) return Done{};
  LIMBER_TRY(const nlohmann::json index, read_json(file));
  LIMBER_TRY(const fs::path folder, absolute_path(file.has_parent_path() ? file.parent_path() : fs::path(".")));
  if (!index.is_array()) return Error{"no list of recordings", file.string()};
  for (std::size_t i = 0; i < index.size(); ++i) {
    const nlohmann::json& entry = index[i];
    const auto is_text = [&](const char* key) {
      return entry.is_object() && entry.contains(key) && entry[key].is_string();
    };
    const bool numbered = entry.is_object() && entry.contains("subject") && entry["subject"].is_number_integer();
    if (!is_text("file") || !is_text("action") || !is_text("use") || !numbered) {
      return Error{"no 'file', 'action', 'use' and 'subject'", fmt::format("{}#/{}", file.string(), i)};
    }
    const std::string use = entry["use"];
    if (use != "train" && use != "test")
      return Error{"a use other than train and test", fmt::format("{}#/{}", file.string(), i)};
    LIMBER_TRY(const fs::path path, absolute_path(folder / entry["file"].get<std::string>()));
    (use == "train" ? sources.train : sources.test)
        .push_back({path, path.lexically_relative(folder.parent_path()).generic_string(), true,
                    entry["subject"].get<int>(), entry["action"]});
  }
  return Done{};
}

Status add_others(const std::vector<fs::path>& others, Sources& sources) {
  for (const fs::path& other : others) {
    LIMBER_TRY(const fs::path path, absolute_path(other));
    const bool recording = lower_extension(path) == ".bvh";
    sources.train.push_back({path, (path.parent_path().filename() / path.filename()).generic_string(), recording,
                             recording ? subject_in_name(path.filename().string()) : 0,
                             recording ? path.parent_path().filename().string() : ""});
  }
  return Done{};
}

/// Who is for testing must not be for training under any path, and no subject both.
Status check_lists(const Sources& sources) {
  std::set<fs::path> forbidden;
  std::set<int> subjects;
  for (const Source& source : sources.test) {
    forbidden.insert(source.path);
    if (source.subject > 0) subjects.insert(source.subject);
  }
  for (const Source& source : sources.train) {
    if (forbidden.count(source.path) > 0) {
      return Error{"both for training and for testing", source.name, ErrorKind::kConflict};
    }
    if (subjects.count(source.subject) > 0) {
      return Error{fmt::format("subject {} is for testing", source.subject), source.name, ErrorKind::kConflict};
    }
  }
  return Done{};
}

class Baker {
 public:
  Baker(const Sources& sources, const BakeSettings& settings, const BakeProgress& progress)
      : sources_(sources), settings_(settings), progress_(progress) {}

  Result<Baked> run() {
    for (const Source& source : sources_.test) {
      LIMBER_CHECK_OK(report(source));
      LIMBER_CHECK_OK(learn_test(source));
    }
    for (const Source& source : sources_.train) {
      LIMBER_CHECK_OK(report(source));
      LIMBER_CHECK_OK(take(source));
    }
    return std::move(baked_);
  }
  const std::vector<fs::path>& used() const { return used_; }

 private:
  Status report(const Source& source) {
    const auto all = static_cast<double>(sources_.test.size() + sources_.train.size());
    if (progress_ && !progress_("reading " + source.name, static_cast<double>(done_++) / all))
      return cancelled(source.name);
    return Done{};
  }

  Status learn_test(const Source& source) {
    std::error_code failed;
    if (!fs::exists(source.path, failed)) {
      baked_.missing.push_back(source.name);
      return Done{};
    }
    LIMBER_TRY(const Bytes bytes, read_file(source.path));
    LIMBER_TRY(const asset::Asset asset, asset::read_asset(source.path));
    source.recording ? guard_.add_recording(source.name, source.subject, bytes, asset)
                     : guard_.add_character(source.name, bytes, asset);
    return Done{};
  }

  Status take(const Source& source) {
    LIMBER_TRY(const Bytes bytes, read_file(source.path));
    LIMBER_TRY(asset::Asset asset, asset::read_asset(source.path));
    const std::string why = guard_.why_refused(source.name, bytes, asset);
    if (!why.empty()) return Error{why, source.name, ErrorKind::kConflict};
    leave_out_tests(source, asset);
    const Status taken = source.recording ? take_recording(source, asset) : take_character(source, asset);
    if (!taken.ok()) {
      baked_.failures.push_back(fmt::format("{}: {}", source.name, taken.error().what));
    } else if (taken_) {
      used_.push_back(source.path);
    }
    return Done{};
  }

  void leave_out_tests(const Source& source, asset::Asset& asset) {
    std::vector<asset::Clip> kept;
    for (asset::Clip& clip : asset.clips) {
      if (std::optional<Repeat> repeat = guard_.repeated(asset, clip)) {
        baked_.repeated_tests.push_back({source.name, clip.name, *std::move(repeat)});
      } else {
        kept.push_back(std::move(clip));
      }
    }
    taken_ = !kept.empty() || asset.clips.empty();
    asset.clips = std::move(kept);
  }

  Status take_character(const Source& source, const asset::Asset& asset) {
    LIMBER_TRY(Character character, make_character(asset, source.name, settings_.characters));
    baked_.set.characters.push_back(std::move(character));
    return Done{};
  }

  Status take_recording(const Source& source, const asset::Asset& asset) {
    if (!taken_) return Done{};
    if (!asset.clips.empty()) {
      if (std::optional<Repeat> repeat = recorded_.find(asset, asset.clips.front())) {
        baked_.repeated_people.push_back({source.name, asset.clips.front().name, *std::move(repeat)});
        taken_ = false;
        return Done{};
      }
      recorded_.add(source.name, asset, asset.clips.front());
    }
    LIMBER_TRY(Person person, make_person(asset, source.name, source.action, source.subject, settings_.recordings));
    add_person(baked_.set.people, std::move(person));
    return Done{};
  }

  const Sources& sources_;
  const BakeSettings& settings_;
  const BakeProgress& progress_;
  TestGuard guard_;
  CurveIndex recorded_;
  Baked baked_;
  std::vector<fs::path> used_;
  std::size_t done_ = 0;
  bool taken_ = true;
};

}  // namespace

Result<Baked> bake(const BakeSources& sources, const BakeSettings& settings, const BakeProgress& progress) {
  Sources lists;
  LIMBER_CHECK_OK(add_split(sources.split, lists));
  LIMBER_CHECK_OK(add_recordings(sources.recordings, lists));
  LIMBER_CHECK_OK(add_others(sources.others, lists));
  LIMBER_CHECK_OK(check_lists(lists));
  Baker baker(lists, settings, progress);
  LIMBER_TRY(Baked baked, baker.run());
  LIMBER_TRY(const fs::path root, absolute_path(sources.split.has_parent_path() ? sources.split.parent_path() : "."));
  LIMBER_TRY(baked.set.credits, credits_for(baker.used(), root));
  return baked;
}

}  // namespace limber::training
