// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "limber/base/result.h"

/// A folder of somebody's own clips.
namespace limber::retarget {

struct LibraryClip {
  std::filesystem::path file;
  int clip = 0;      ///< of the file
  std::string name;  ///< of the clip, for a person: "Run", or the file's where the clip has none that tells
};

/// The clip whose name says most of `words` ("run", "fast"), in any file of the folder whose format holds clips, and of
/// folders in it; endings do not matter ("runs", "running"). Of clips that say as much the one that says least besides,
/// then the first by path. Names of files count for files with one clip, as recordings are. `kMissing` with what there
/// is where no name says any of the words; files that cannot be read are passed over.
Result<LibraryClip> find_library_clip(const std::filesystem::path& folder, std::span<const std::string> words);

}  // namespace limber::retarget
