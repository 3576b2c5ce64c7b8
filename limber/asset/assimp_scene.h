// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "limber/asset/asset.h"
#include "limber/asset/read.h"
#include "limber/base/result.h"

struct aiScene;

/// What assimp read, as an Asset. Private to the module.
namespace limber::asset {

struct SceneOrigin {
  std::filesystem::path folder;  ///< of the file: textures are looked for in it and below
  std::string name;              ///< of the file, for messages
  std::string extension;         ///< ".fbx", lower case
  ReadLimits limits;
};

/// What the importer may take for a file of so many bytes: some hundred times what it needs, and ten minutes at most,
/// which 4 GiB need.
constexpr double import_seconds(std::uint64_t bytes) { return std::min(4 + 15e-6 * static_cast<double>(bytes), 600.0); }

Result<Asset> convert_scene(const aiScene& scene, const SceneOrigin& origin);

/// The file that `relative` means, if it lies in `folder` or below it: symbolic links and `..` do not lead outside.
/// Empty otherwise.
std::filesystem::path path_below(const std::filesystem::path& folder, const std::filesystem::path& relative);

}  // namespace limber::asset
