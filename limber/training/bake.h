// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/training/character_file.h"
#include "limber/training/curve_index.h"

/// Gathers what may be trained with, and nothing else.
namespace limber::training {

struct BakeSources {
  /// JSON with the lists `train` and `test` of characters, paths relative to it.
  std::filesystem::path split;
  /// JSON with a list of recordings: `file` relative to it, `subject`, `action`, and `use`, "train" or "test". Empty:
  /// no people.
  std::filesystem::path recordings;
  /// More files: characters, or recordings (.bvh) whose folder is named after the action.
  std::vector<std::filesystem::path> others;
};

struct BakeSettings {
  CharacterSettings characters;
  RecordingSettings recordings;
};

/// A clip that was left out, and why.
struct LeftOut {
  std::string file, clip;
  Repeat repeat;
};

struct Baked {
  TrainingSet set;
  std::vector<LeftOut> repeated_tests;   ///< more than a third of their moving curves are a test clip's
  std::vector<LeftOut> repeated_people;  ///< recordings that are there twice
  std::vector<std::string> failures;     ///< files that cannot be used, and why
  std::vector<std::string> missing;      ///< files for testing that are not there, so that only their paths are known
};

/// Hears what is being read and how much is done, 0 to 1; false stops.
using BakeProgress = std::function<bool(const std::string& what, double done)>;

/// Fails on a file that is for testing: by its path, by its bytes, by its surface, or as a recording of a subject who
/// is for testing, by name or by the proportions of the skeleton. Clips that repeat a test clip are left out. The
/// credits that the files' collections ask for come along.
Result<Baked> bake(const BakeSources& sources, const BakeSettings& settings = {}, const BakeProgress& progress = {});

}  // namespace limber::training
