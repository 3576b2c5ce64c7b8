// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/write.h"

#include "limber/asset/encoders.h"
#include "limber/asset/formats.h"
#include "limber/asset/gltf_write.h"
#include "limber/base/files.h"

namespace limber::asset {

Status write_asset(const Asset& asset, const std::filesystem::path& path, const WriteSettings& settings) {
  const Format* format = find_format(path);
  switch (format == nullptr ? Writer::kNone : format->writer) {
    case Writer::kGlb:
      return write_gltf(asset, path, GltfContainer::kGlb);
    case Writer::kGltf:
      return write_gltf(asset, path, GltfContainer::kJson);
    case Writer::kFbx: {
      LIMBER_TRY(const Bytes bytes, fbx_file(asset));
      return write_file(path, bytes);
    }
    case Writer::kObj: {
      LIMBER_TRY(const std::string text, obj_text(asset));
      return write_file(path, text);
    }
    case Writer::kBvh: {
      LIMBER_TRY(const std::string text, bvh_text(asset, settings.clip, settings.fps));
      return write_file(path, text);
    }
    case Writer::kNone:
      break;
  }
  return Error{"limber writes " + list_formats([](const Format& each) { return each.writes(); }) + ", not \"" +
                   lower_extension(path) + "\"",
               path.string(), ErrorKind::kUnsupported};
}

}  // namespace limber::asset
