// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/library.h"

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "limber/anatomy/joint_names.h"
#include "limber/asset/formats.h"
#include "limber/asset/read.h"

namespace limber::retarget {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096, kMostListed = 12;

/// Without what grammar puts behind it: "running" and "runs" are "run".
std::string stem_of(std::string word) {
  for (const char* ending : {"ing", "es", "ed", "s"}) {
    const std::string_view end(ending);
    if (word.size() < end.size() + 3 || word.substr(word.size() - end.size()) != end) continue;
    word.resize(word.size() - end.size());
    if (word.size() > 3 && word[word.size() - 1] == word[word.size() - 2]) word.pop_back();
    break;
  }
  // "dance" and "dancing" meet at "danc".
  if (word.size() > 3 && word.back() == 'e') word.pop_back();
  return word;
}

std::set<std::string> stems_of(const std::string& name) {
  std::set<std::string> stems;
  for (const std::string& word : anatomy::words_of(name)) stems.insert(stem_of(word));
  return stems;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const asset::Format* format = asset::find_format(entry->path());
    const bool holds_clips = format != nullptr && format->reads && format->clips;
    if (holds_clips && files.size() < kMostFiles) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// How well a name says the words: how many of them, and how many besides.
struct Match {
  int said = 0, besides = 0;
  bool better(const Match& other) const { return said != other.said ? said > other.said : besides < other.besides; }
};

Match match(const std::string& name, const std::set<std::string>& wanted) {
  Match found;
  for (const std::string& stem : stems_of(name)) ++(wanted.count(stem) > 0 ? found.said : found.besides);
  return found;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostListed) text += " and " + std::to_string(names.size() - kMostListed) + " more";
  return text;
}

}  // namespace

Result<LibraryClip> find_library_clip(const fs::path& folder, std::span<const std::string> words) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return Error{"is no folder", folder.string(), ErrorKind::kMissing};
  std::set<std::string> wanted;
  for (const std::string& word : words) wanted.merge(stems_of(word));
  std::optional<LibraryClip> best;
  Match most;
  std::vector<std::string> names;
  for (const fs::path& file : files_of(folder)) {
    const Result<asset::Asset> asset = asset::read_asset(file);
    if (!asset.ok()) continue;
    for (std::size_t c = 0; c < asset->clips.size(); ++c) {
      const std::string stem = file.stem().string(), own = asset->clips[c].name;
      const std::string name = asset->clips.size() == 1 ? stem + " " + own : own;
      names.push_back(asset->clips.size() == 1 ? stem : own);
      const Match found = match(name, wanted);
      if (found.said > 0 && (!best || found.better(most))) {
        best = LibraryClip{file, static_cast<int>(c), names.back()}, most = found;
      }
    }
  }
  if (best) return *std::move(best);
  std::string asked;
  for (const std::string& word : words) asked += (asked.empty() ? "" : " ") + word;
  const std::string there = names.empty() ? "there are no clips" : "there are: " + list_of(names);
  return Error{"no clip says '" + asked + "'; " + there, folder.string(), ErrorKind::kMissing};
}

}  // namespace limber::retarget
