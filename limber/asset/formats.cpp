// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/formats.h"

#include <algorithm>

#include "limber/base/files.h"

namespace limber::asset {
namespace {

// table: one row per format
constexpr Format kFormats[]{
    {.extension = ".glb", .reads = true, .writes = true, .skins = true, .clips = true, .one_file = true},
    {.extension = ".gltf", .reads = true, .writes = true, .skins = true, .clips = true},
    {.extension = ".fbx",
     .reads = true,
     .writes = true,
     .skins = true,
     .clips = true,
     .one_file = true,
     .lost = "points, lines, cameras, lights and what FBX has no place for"},
    {.extension = ".obj", .reads = true, .writes = true, .one_file = true, .lost = "all but the surface as it stands"},
    {.extension = ".ply", .reads = true},
    {.extension = ".stl", .reads = true},
    {.extension = ".dae", .reads = true, .skins = true, .clips = true},
    {.extension = ".bvh",
     .reads = true,
     .writes = true,
     .clips = true,
     .one_clip = true,
     .one_file = true,
     .lost = "all but the skeleton and one clip"}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(const std::filesystem::path& extension_or_file) {
  // ".glb" by itself has no extension for std::filesystem.
  const std::string name = extension_or_file.filename().string();
  const std::string extension = lower_extension(name.rfind('.') == 0 ? "a" + name : name);
  const auto* found =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.extension == extension; });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace limber::asset
