// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a file holds, importing it ends in an asset that can be posed, or in an error: assimp may crash, in its
// child process, but not take us along.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "scratch.h"
#include "shared_coverage.h"

namespace {

/// What formats are told by their first bytes, which binary STL has none of: a seed may begin with a line ".stl".
constexpr std::string_view kNamed[] = {".fbx", ".stl", ".ply", ".obj", ".dae"};

/// The format that is named, whose line is taken away, or else that the text looks like.
const char* extension(std::string_view& text) {
  for (const std::string_view name : kNamed) {
    if (text.substr(0, 4) != name || text.substr(4, 1) != "\n") continue;
    text.remove_prefix(5);
    return name.data();
  }
  if (text.substr(0, 18) == "Kaydara FBX Binary") return ".fbx";
  if (text.substr(0, 3) == "ply") return ".ply";
  if (text.substr(0, 5) == "solid") return ".stl";
  if (text.substr(0, 5) == "; FBX") return ".fbx";
  if (text.substr(0, 5) == "<?xml") return ".dae";
  return ".obj";
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  limber::share_coverage_with_children();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  static const std::filesystem::path folder = scratch_folder();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const char* const format = extension(text);
  const std::filesystem::path path = folder / (std::string("fuzz") + format);
  put_file(path, text);
  const auto asset = asset::read_asset(path);
  if (asset.ok()) {
    asset::posed_geometry(*asset, asset::rest_state(*asset));
  } else if (asset.error().what.empty()) {
    std::abort();
  }
  std::filesystem::remove(path);
  return 0;
}
