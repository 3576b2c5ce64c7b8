// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::asset {

/// Writes .glb, .gltf (with its .bin and images beside it), .fbx, .obj or .bvh, by the extension of `path`. Atomic:
/// `path` holds the old content or all of the new.
///
/// glTF: what came from a file and was not changed is written as it was, byte for byte; changed and new elements are
/// appended (see asset.h). An element of the source that is missing from the lists is an error: drop `source` first.
/// FBX: the default scene with skins and all clips, pictures inside.
/// OBJ: the asset's default scene as it stands (bake a pose first, see pose.h). BVH: the skeleton and clip `clip`.
struct WriteSettings {
  int clip = 0;     ///< BVH: which clip to write, -1 for the rest pose alone
  double fps = 30;  ///< BVH: sampling rate
};
Status write_asset(const Asset& asset, const std::filesystem::path& path, const WriteSettings& settings = {});

/// A .glb in memory.
Result<Bytes> write_glb(const Asset& asset);

}  // namespace limber::asset
