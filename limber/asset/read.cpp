// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/read.h"

#include <algorithm>
#include <string_view>

#include "limber/asset/formats.h"
#include "limber/asset/gltf_container.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"

namespace limber::asset {
namespace {

bool is_json_object(std::span<const std::byte> bytes) {
  std::string_view text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 256)));
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// Errors name the file as the caller did, so that they can be found among many.
Error named_after(const std::filesystem::path& path, Error error) {
  const std::string name = path.filename().string();
  if (error.where.rfind(name, 0) == 0) error.where = path.string() + error.where.substr(name.size());
  return error;
}

/// A model of which nothing can be seen was not meant so: some exporters write how transparent a material is for how
/// opaque it is.
void show_invisible(Asset& asset) {
  std::vector<bool> used(asset.materials.size(), false);
  for (const Mesh& mesh : asset.meshes) {
    for (const Primitive& primitive : mesh.primitives) {
      if (primitive.material < 0 || primitive.material >= static_cast<int>(used.size())) return;
      const Material& material = asset.materials[static_cast<std::size_t>(primitive.material)];
      if (material.alpha_mode == AlphaMode::kOpaque || material.base_color.w > 0) return;
      used[static_cast<std::size_t>(primitive.material)] = true;
    }
  }
  if (std::find(used.begin(), used.end(), true) == used.end()) return;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) asset.materials[i].alpha_mode = AlphaMode::kOpaque, asset.materials[i].base_color.w = 1;
  }
  asset.warnings.push_back("its materials are all wholly transparent, so that it cannot be seen; taken for opaque");
}

Result<Asset> read_any(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.filename().string();
  const Format* format = find_format(path);
  const Reader reader = format == nullptr ? Reader::kNone : format->reader;
  if (reader == Reader::kAssimp) return import_with_assimp(path, limits);
  MemoryShare memory;
  LIMBER_TRY(const Bytes bytes, read_file(path, limits.max_file_bytes, memory));
  if (reader == Reader::kBvh) return read_bvh(bytes, name);
  // glTF is told by what it holds, whatever the file is called.
  if (!is_glb(bytes) && !is_json_object(bytes)) {
    if (bytes.empty()) return Error{"the file is empty", path.string()};
    const std::string known = list_formats([](const Format& each) { return each.reads(); }, ", ");
    return Error{"not a 3D file that limber reads (" + known + ")", path.string(), ErrorKind::kUnsupported};
  }
  // A bare file name has an empty parent, which would mean that there is no folder.
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  auto asset = read_gltf(bytes, name, folder, limits);
  if (!asset.ok()) return named_after(path, std::move(asset).error());
  return asset;
}

}  // namespace

Result<Asset> read_asset(const std::filesystem::path& path, const ReadLimits& limits) {
  LIMBER_TRY(Asset asset, read_any(path, limits));
  show_invisible(asset);
  return asset;
}

}  // namespace limber::asset
