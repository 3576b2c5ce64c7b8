// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/write.h"

#include "limber/asset/encoders.h"
#include "limber/asset/formats.h"
#include "limber/asset/gltf_write.h"
#include "limber/base/files.h"

namespace limber::asset {

Status write_asset(const Asset& asset, const std::filesystem::path& path, const WriteSettings& settings) {
  const std::string extension = lower_extension(path);
  if (extension == ".glb") return write_gltf(asset, path, GltfContainer::kGlb);
  if (extension == ".gltf") return write_gltf(asset, path, GltfContainer::kJson);
  if (extension == ".fbx") {
    LIMBER_TRY(const Bytes bytes, fbx_file(asset));
    return write_file(path, bytes);
  }
  if (extension == ".obj") {
    LIMBER_TRY(const std::string text, obj_text(asset));
    return write_file(path, text);
  }
  if (extension == ".bvh") {
    LIMBER_TRY(const std::string text, bvh_text(asset, settings.clip, settings.fps));
    return write_file(path, text);
  }
  return Error{"limber writes " + list_formats([](const Format& format) { return format.writes; }) + ", not \"" +
                   extension + "\"",
               path.string(), ErrorKind::kUnsupported};
}

}  // namespace limber::asset
