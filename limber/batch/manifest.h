// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "limber/batch/item.h"

namespace limber::batch {

struct ManifestSettings {
  /// What of the program results depend on: its version and its weights. Part of every id.
  std::string engine;
  /// Whether the program takes these arguments; its error says what is wrong with them.
  std::function<Status(const std::vector<std::string>& arguments)> check_arguments;
  /// What an item of a verb may have as options: `in_place`. Verbs that are not here may have those of a fixed list
  /// (`kPassedOn` in manifest.cpp), which name nothing that is written.
  std::map<std::string, std::vector<std::string>, std::less<>> options = {};
};

/// What a manifest asks for. A line is one JSON object:
///
///     {"do": "animate", "input": "fox.glb", "prompt": "a fox trots", "options": {"seed": 3, "loop": true}}
///
/// with, where wanted, "video" instead of "prompt" and "output", a name for the result. Paths are relative to the
/// manifest's folder, options are those of the command without their dashes. Empty lines are skipped. The error tells
/// of every line that is wrong: nothing is started before all of them are right.
Result<std::vector<Item>> read_manifest(const std::filesystem::path& path, const ManifestSettings& settings);

}  // namespace limber::batch
