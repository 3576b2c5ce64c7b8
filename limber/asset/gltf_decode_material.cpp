// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_decode.h"
#include "limber/asset/gltf_uri.h"

namespace limber::asset {
namespace {

Result<Image> decode_image(DecodeContext& context, const JsonAt& at, const Resource& resource) {
  Image image;
  LIMBER_CHECK_OK(at.read("name", image.name));
  LIMBER_CHECK_OK(at.read("mimeType", image.mime_type));
  image.uri = resource.path;
  std::span<const std::byte> bytes = resource.bytes();
  if (resource.storage == Storage::kBufferView) {
    int view = -1;
    LIMBER_CHECK_OK(at.read_index("bufferView", context.accessors.view_count(), "buffer view", view));
    LIMBER_TRY(bytes, context.accessors.view_bytes(view));
  }
  LIMBER_CHECK_OK(context.budget.take(bytes.size(), 1, at.where()));
  image.bytes.assign(bytes.begin(), bytes.end());
  if (image.mime_type.empty()) image.mime_type = image_type(image.bytes);
  return image;
}

Wrap to_wrap(std::uint64_t code) {
  if (code == 33071) return Wrap::kClampToEdge;
  return code == 33648 ? Wrap::kMirroredRepeat : Wrap::kRepeat;
}

Result<Texture> decode_texture(const JsonAt& at, const std::vector<JsonAt>& samplers, std::size_t image_count) {
  Texture texture;
  LIMBER_CHECK_OK(at.read("name", texture.name));
  LIMBER_CHECK_OK(at.read_index("source", image_count, "image", texture.image));
  // Without a plain image, take the one in a format that an extension brings.
  for (const char* name : {"EXT_texture_webp", "EXT_texture_avif", "KHR_texture_basisu", "MSFT_texture_dds"}) {
    if (texture.image >= 0) break;
    LIMBER_TRY(const JsonAt extension, at.extension(name));
    LIMBER_CHECK_OK(extension.read_index("source", image_count, "image", texture.image));
  }
  int sampler = -1;
  LIMBER_CHECK_OK(at.read_index("sampler", samplers.size(), "sampler", sampler));
  if (sampler >= 0) {
    const JsonAt& sampling = samplers[static_cast<std::size_t>(sampler)];
    std::uint64_t wrap_s = 0, wrap_t = 0, magnify = 0;
    LIMBER_CHECK_OK(sampling.read("wrapS", wrap_s));
    LIMBER_CHECK_OK(sampling.read("wrapT", wrap_t));
    LIMBER_CHECK_OK(sampling.read("magFilter", magnify));
    texture.wrap_s = to_wrap(wrap_s), texture.wrap_t = to_wrap(wrap_t), texture.nearest = magnify == 9728;
  }
  return texture;
}

Status read_texture_use(const JsonAt& parent, const char* key, std::size_t texture_count, TextureUse& use) {
  LIMBER_TRY(const JsonAt at, parent.object(key));
  LIMBER_CHECK_OK(at.read_index("index", texture_count, "texture", use.texture));
  LIMBER_TRY(const JsonAt transform, at.extension("KHR_texture_transform"));
  std::uint64_t texcoord = 0;
  LIMBER_CHECK_OK(at.read("texCoord", texcoord));
  LIMBER_CHECK_OK(transform.read("texCoord", texcoord));
  use.texcoord = static_cast<int>(std::min<std::uint64_t>(texcoord, 1000));
  LIMBER_CHECK_OK(transform.read("offset", use.offset));
  LIMBER_CHECK_OK(transform.read("scale", use.scale));
  return transform.read("rotation", use.rotation);
}

Result<Material> decode_material(DecodeContext& context, const JsonAt& at, std::size_t texture_count) {
  Material material;
  LIMBER_CHECK_OK(at.read("name", material.name));
  LIMBER_TRY(const JsonAt pbr, at.object("pbrMetallicRoughness"));
  LIMBER_CHECK_OK(pbr.read("baseColorFactor", material.base_color));
  LIMBER_CHECK_OK(pbr.read("metallicFactor", material.metallic));
  LIMBER_CHECK_OK(pbr.read("roughnessFactor", material.roughness));
  LIMBER_CHECK_OK(read_texture_use(pbr, "baseColorTexture", texture_count, material.base_color_texture));
  LIMBER_CHECK_OK(
      read_texture_use(pbr, "metallicRoughnessTexture", texture_count, material.metallic_roughness_texture));
  LIMBER_CHECK_OK(read_texture_use(at, "normalTexture", texture_count, material.normal_texture));
  LIMBER_CHECK_OK(read_texture_use(at, "occlusionTexture", texture_count, material.occlusion_texture));
  LIMBER_CHECK_OK(read_texture_use(at, "emissiveTexture", texture_count, material.emissive_texture));
  LIMBER_CHECK_OK(at.read("emissiveFactor", material.emissive));
  LIMBER_CHECK_OK(at.read("alphaCutoff", material.alpha_cutoff));
  LIMBER_CHECK_OK(at.read("doubleSided", material.double_sided));
  material.unlit = at.has_extension("KHR_materials_unlit");

  std::string mode = "OPAQUE";
  LIMBER_CHECK_OK(at.read("alphaMode", mode));
  if (mode == "MASK") {
    material.alpha_mode = AlphaMode::kMask;
  } else if (mode == "BLEND") {
    material.alpha_mode = AlphaMode::kBlend;
  } else if (mode != "OPAQUE") {
    context.warn(at.where("alphaMode"), "unknown mode \"" + mode.substr(0, 40) + "\", taken as OPAQUE");
  }
  return material;
}

}  // namespace

Status decode_materials(DecodeContext& context) {
  Asset& asset = context.decoded.asset;
  LIMBER_TRY(const auto images, context.document.objects("images"));
  for (std::size_t i = 0; i < images.size(); ++i) {
    LIMBER_TRY(Image image, decode_image(context, images[i], context.source.images[i]));
    asset.images.push_back(std::move(image));
  }
  LIMBER_TRY(const auto samplers, context.document.objects("samplers"));
  LIMBER_TRY(const auto textures, context.document.objects("textures"));
  for (const JsonAt& at : textures) {
    LIMBER_TRY(Texture texture, decode_texture(at, samplers, asset.images.size()));
    asset.textures.push_back(std::move(texture));
  }
  LIMBER_TRY(const auto materials, context.document.objects("materials"));
  for (const JsonAt& at : materials) {
    LIMBER_TRY(Material material, decode_material(context, at, asset.textures.size()));
    asset.materials.push_back(std::move(material));
  }
  return Done{};
}

}  // namespace limber::asset
