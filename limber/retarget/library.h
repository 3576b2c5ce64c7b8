// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "limber/base/progress.h"
#include "limber/base/result.h"

/// A folder of somebody's own clips.
namespace limber::retarget {

struct LibraryClip {
  std::filesystem::path file;
  int clip = 0;      ///< of the file
  std::string name;  ///< of the clip, for a person: "Run", or the file's where the clip has none that tells
};

/// What a clip is looked for by.
struct LibraryWish {
  std::string asked;               ///< for errors: "a fox runs fast"
  std::vector<std::string> any;    ///< a name has to say one of these; all words of it, where there are several
  std::vector<std::string> words;  ///< and the more of these it says, the better
};

/// The clips whose names say most of what is wished, in any file of the folder whose format holds clips, and of folders
/// in it; endings do not matter ("runs", "running"). They all say as much, `most` at most; first those that say least
/// besides, then by path. The name of a file counts among the words, and where it has one clip, as recordings have, for
/// that clip's own. `kMissing` with what there
/// is where no name says any of it; files that cannot be read are passed over.
Result<std::vector<LibraryClip>> find_library_clips(const std::filesystem::path& folder, const LibraryWish& wish,
                                                    std::size_t most = 1, const Progress& progress = {});

}  // namespace limber::retarget
