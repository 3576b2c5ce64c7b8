// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/held_out.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "bench/split.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/training/character_file.h"
#include "limber/training/test_guard.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

/// A clip of a training file that repeats one for testing.
struct RepeatedClip {
  std::string file, clip;
};

struct HeldOut {
  int test_files = 0, train_files = 0, train_clips = 0, unread = 0;
  int same_files = 0;  ///< training files that are, or look like, one for testing
  std::vector<RepeatedClip> repeated;
};

Status add_test_file(const fs::path& folder, const std::string& path, training::TestGuard& guard) {
  LIMBER_TRY(const Bytes bytes, read_file(folder / path, kMostBytes));
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(folder / path));
  guard.add_character(path, bytes, asset);
  return Done{};
}

Status check_train_file(const fs::path& folder, const std::string& path, const training::TestGuard& guard,
                        HeldOut& found) {
  LIMBER_TRY(const Bytes bytes, read_file(folder / path, kMostBytes));
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(folder / path));
  if (const std::string why = guard.why_refused(path, bytes, asset); !why.empty()) {
    ++found.same_files;
    spdlog::error("{} {}", path, why);
  }
  for (const asset::Clip& clip : asset.clips) {
    ++found.train_clips;
    const std::optional<training::Repeat> repeat = guard.repeated(asset, clip);
    if (!repeat) continue;
    spdlog::info("{}: {} has {:.0f} % of the curves of {}", path, clip.name, 100 * repeat->share, repeat->of);
    found.repeated.push_back({path, clip.name});
  }
  return Done{};
}

HeldOut look_for_test_clips(const fs::path& split) {
  HeldOut found;
  training::TestGuard guard;
  const fs::path folder = split.parent_path();
  const auto count = [&](const Status& status, int& files) {
    status.ok() ? ++files : ++found.unread;
    if (!status.ok()) spdlog::error("{}", status.error().message());
  };
  for (const std::string& path : split_list(split, "test")) count(add_test_file(folder, path, guard), found.test_files);
  for (const std::string& path : split_list(split, "train")) {
    count(check_train_file(folder, path, guard, found), found.train_files);
  }
  return found;
}

/// How many of the repeated clips were baked all the same.
Result<int> count_taught(const fs::path& characters, const std::vector<RepeatedClip>& repeated) {
  LIMBER_TRY(const training::TrainingSet set, training::read_training_set(characters));
  int taught = 0;
  for (const training::Character& character : set.characters) {
    for (const training::CharacterClip& clip : character.clips) {
      taught += std::any_of(repeated.begin(), repeated.end(),
                            [&](const RepeatedClip& r) { return r.file == character.name && r.clip == clip.name; });
    }
  }
  return taught;
}

}  // namespace

void add_held_out_rows(const fs::path& split, const fs::path& characters, Report& report) {
  const HeldOut found = look_for_test_clips(split);
  if (found.test_files == 0) {
    report.rows.push_back({"held out/left out", 0, "", "", split.string() + " is not there or lists none"});
    return;
  }
  report.rows.push_back(
      {"held out/training files that are for testing", static_cast<double>(found.same_files), "files", "<= 0",
       fmt::format("{} files against {}, {} cannot be read", found.train_files, found.test_files, found.unread)});
  report.rows.push_back({"held out/clips that repeat one for testing", static_cast<double>(found.repeated.size()),
                         "clips", "", fmt::format("of {}; `train bake` leaves them out", found.train_clips)});
  if (characters.empty()) return;
  const Result<int> taught = count_taught(characters, found.repeated);
  if (!taught.ok()) {
    report.rows.push_back({"held out/left out", 0, "", "", taught.error().message()});
    return;
  }
  report.rows.push_back({"held out/of these in the training set", static_cast<double>(*taught), "clips", "<= 0", ""});
}

}  // namespace limber::bench
