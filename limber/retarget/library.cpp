// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/library.h"

#include <algorithm>
#include <set>
#include <string_view>
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
    const bool holds_clips = format != nullptr && format->reads() && format->clips;
    if (holds_clips && files.size() < kMostFiles) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What is wished, without endings.
struct Stems {
  std::vector<std::set<std::string>> any;
  std::set<std::string> words;
};

Stems stems_of(const LibraryWish& wish) {
  Stems stems;
  for (const std::string& phrase : wish.any) stems.any.push_back(stems_of(phrase));
  for (const std::string& word : wish.words) stems.words.merge(stems_of(word));
  return stems;
}

/// How well a name says it: how many of the words, and what besides.
struct Match {
  bool any = false;
  int said = 0, besides = 0;
};

/// `file`: what the clip's file is called.
Match match(const std::string& name, const std::string& file, const Stems& wanted) {
  const std::set<std::string> own = stems_of(name), around = stems_of(file);
  std::set<std::string> known = wanted.words;
  Match found;
  for (const std::set<std::string>& phrase : wanted.any) {
    if (phrase.empty() || !std::includes(own.begin(), own.end(), phrase.begin(), phrase.end())) continue;
    found.any = true, known.insert(phrase.begin(), phrase.end());
  }
  for (const std::string& stem : own) {
    found.besides += known.count(stem) > 0 ? 0 : 1;
  }
  for (const std::string& stem : wanted.words) found.said += own.count(stem) + around.count(stem) > 0 ? 1 : 0;
  return found;
}

/// A clip, and how well its name says what is wished.
struct Found {
  LibraryClip clip;
  Match match;
};

/// Those of a file that say it; `names` gets what all its clips are called.
std::vector<Found> search_file(const fs::path& file, const Stems& wanted, std::vector<std::string>& names) {
  std::vector<Found> found;
  const Result<asset::Asset> asset = asset::read_asset(file);
  if (!asset.ok()) return found;
  const bool alone = asset->clips.size() == 1;
  for (std::size_t c = 0; c < asset->clips.size(); ++c) {
    const std::string stem = file.stem().string(), own = asset->clips[c].name;
    names.push_back(alone ? stem : own);
    const Match said = match(alone ? stem + " " + own : own, stem, wanted);
    if (said.any) found.push_back({{file, static_cast<int>(c), names.back()}, said});
  }
  return found;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostListed) text += " and " + std::to_string(names.size() - kMostListed) + " more";
  return text;
}

}  // namespace

Result<std::vector<LibraryClip>> find_library_clips(const fs::path& folder, const LibraryWish& wish, std::size_t most,
                                                    const Progress& progress) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return Error{"is no folder", folder.string(), ErrorKind::kMissing};
  const Stems wanted = stems_of(wish);
  std::vector<Found> found;
  std::vector<std::string> names;
  const std::vector<fs::path> files = files_of(folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (progress && !progress("looking through clips", double(i) / double(files.size()))) {
      return cancelled(folder.string());
    }
    for (Found& clip : search_file(files[i], wanted, names)) found.push_back(std::move(clip));
  }
  if (found.empty()) {
    const std::string there = names.empty() ? "there are no clips" : "there are: " + list_of(names);
    return Error{"no clip says '" + wish.asked + "'; " + there, folder.string(), ErrorKind::kMissing};
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.match.said != b.match.said ? a.match.said > b.match.said : a.match.besides < b.match.besides;
  });
  std::vector<LibraryClip> best;
  for (Found& clip : found) {
    if (best.size() == most || clip.match.said < found.front().match.said) break;
    best.push_back(std::move(clip.clip));
  }
  return best;
}

}  // namespace limber::retarget
