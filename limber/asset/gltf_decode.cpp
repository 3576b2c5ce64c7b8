// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_decode.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace limber::asset {
namespace {

/// Extensions that a file may require and that we decode.
constexpr std::array<std::string_view, 8> kDecoded = {
    "KHR_mesh_quantization",   "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing", "KHR_lights_punctual",        "KHR_texture_transform",   "KHR_materials_unlit"};

/// Words in the names of extensions that change how a model looks or behaves, but not where its vertices are.
constexpr std::array<std::string_view, 11> kHarmless = {
    "material", "texture", "light", "audio", "xmp", "pointer", "VRM", "visib", "interactiv", "physics", "metadata"};

Status check_required_extensions(DecodeContext& context) {
  const Json* required = context.document.find("extensionsRequired");
  if (required == nullptr) return Done{};
  const std::string where = context.document.where("extensionsRequired");
  if (!required->is_array()) return Error{"should be an array of names", where};
  for (const Json& name : *required) {
    if (!name.is_string()) return Error{"should be an array of names", where};
    const std::string text = name.get<std::string>();
    if (std::find(kDecoded.begin(), kDecoded.end(), text) != kDecoded.end()) continue;
    const bool harmless = std::any_of(kHarmless.begin(), kHarmless.end(),
                                      [&](std::string_view word) { return text.find(word) != std::string::npos; });
    if (!harmless)
      return Error{"the file needs the extension " + text.substr(0, 80) + ", which limber cannot decode", where,
                   ErrorKind::kUnsupported};
    context.warn(where, "the file needs the extension " + text.substr(0, 80) + ", which is kept but not shown");
  }
  return Done{};
}

}  // namespace

std::string extras_of(const JsonAt& element) {
  const Json* extras = element.find("extras");
  return extras == nullptr ? std::string() : extras->dump();
}

Result<Decoded> decode(const Source& source, Counted counted) {
  Decoded decoded;
  decoded.asset.name = source.name;
  decoded.asset.warnings = source.warnings;
  DecodeContext context(source, decoded, counted);
  LIMBER_CHECK_OK(context.accessors.open());
  LIMBER_CHECK_OK(check_required_extensions(context));
  LIMBER_CHECK_OK(decode_materials(context));
  LIMBER_CHECK_OK(decode_meshes(context));
  LIMBER_CHECK_OK(decode_nodes(context));
  LIMBER_CHECK_OK(decode_clips(context));
  decoded.memory = context.budget.hand_over();
  return decoded;
}

}  // namespace limber::asset
