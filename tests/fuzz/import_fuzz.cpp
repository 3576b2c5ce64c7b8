// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a file holds, importing it ends in an asset that can be posed, or in an error: assimp may crash, in its
// child process, but not take us along.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"

namespace {

/// The format that the text looks like.
const char* extension(std::string_view text) {
  if (text.substr(0, 3) == "ply") return ".ply";
  if (text.substr(0, 5) == "solid") return ".stl";
  if (text.substr(0, 5) == "; FBX") return ".fbx";
  if (text.substr(0, 5) == "<?xml") return ".dae";
  return ".obj";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  static const std::filesystem::path folder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "limber-fuzz-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) std::abort();
    return std::filesystem::path(pattern);
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path path = folder / (std::string("fuzz") + extension(text));
  if (!write_file(path, text).ok()) std::abort();
  const auto asset = asset::read_asset(path);
  if (asset.ok()) {
    asset::posed_geometry(*asset, asset::rest_state(*asset));
  } else if (asset.error().what.empty()) {
    std::abort();
  }
  std::filesystem::remove(path);
  return 0;
}
