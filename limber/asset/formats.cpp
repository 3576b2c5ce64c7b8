// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/formats.h"

#include <algorithm>

#include "limber/base/files.h"

namespace limber::asset {
namespace {

// table: one row per format
constexpr Format kFormats[]{
    {.extension = ".glb",
     .reader = Reader::kGltf,
     .writer = Writer::kGlb,
     .skins = true,
     .clips = true,
     .one_file = true},
    {.extension = ".gltf", .reader = Reader::kGltf, .writer = Writer::kGltf, .skins = true, .clips = true},
    {.extension = ".fbx",
     .reader = Reader::kAssimp,
     .writer = Writer::kFbx,
     .skins = true,
     .clips = true,
     .one_file = true,
     .lost = "points, lines, cameras, lights and what FBX has no place for"},
    {.extension = ".obj",
     .reader = Reader::kAssimp,
     .writer = Writer::kObj,
     .one_file = true,
     .lost = "all but the surface as it stands"},
    {.extension = ".ply", .reader = Reader::kAssimp},
    {.extension = ".stl", .reader = Reader::kAssimp},
    {.extension = ".dae", .reader = Reader::kAssimp, .skins = true, .clips = true},
    {.extension = ".bvh",
     .reader = Reader::kBvh,
     .writer = Writer::kBvh,
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
