// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_draft.h"
#include "limber/asset/gltf_uri.h"

namespace limber::asset {
namespace {

constexpr const char* kTransform = "KHR_texture_transform";
constexpr const char* kUnlit = "KHR_materials_unlit";

void patch_texture_use(Draft& draft, Json& parent, const char* key, const TextureUse& before, const TextureUse& after) {
  if (same(before, after) || (before.texture < 0 && after.texture < 0)) return;
  if (after.texture < 0) {
    parent.erase(key);
    return;
  }
  Json& json = parent[key];
  patch_index(json, "index", before.texture, after.texture);
  if (before.texcoord != after.texcoord) {
    json["texCoord"] = after.texcoord;
    // Where the transform names the coordinates too, it counts.
    if (json.contains("extensions") && json["extensions"].contains(kTransform)) {
      json["extensions"][kTransform].erase("texCoord");
    }
  }
  if (same(before.offset, after.offset) && same(before.scale, after.scale) && same(before.rotation, after.rotation)) {
    return;
  }
  Json& transform = json["extensions"][kTransform];
  patch_field(transform, "offset", before.offset, after.offset);
  patch_field(transform, "scale", before.scale, after.scale);
  patch_field(transform, "rotation", before.rotation, after.rotation);
  draft.use_extension(kTransform);
}

void patch_surface(Draft& draft, Json& json, const Material& before, const Material& after) {
  Json pbr = json.contains("pbrMetallicRoughness") ? json["pbrMetallicRoughness"] : Json();
  patch_field(pbr, "baseColorFactor", before.base_color, after.base_color);
  patch_field(pbr, "metallicFactor", before.metallic, after.metallic);
  patch_field(pbr, "roughnessFactor", before.roughness, after.roughness);
  patch_texture_use(draft, pbr, "baseColorTexture", before.base_color_texture, after.base_color_texture);
  patch_texture_use(draft, pbr, "metallicRoughnessTexture", before.metallic_roughness_texture,
                    after.metallic_roughness_texture);
  if (!pbr.is_null()) json["pbrMetallicRoughness"] = std::move(pbr);
}

void patch_material(Draft& draft, Json& json, const Material& before, const Material& after) {
  patch_text(json, "name", before.name, after.name);
  patch_surface(draft, json, before, after);
  patch_texture_use(draft, json, "normalTexture", before.normal_texture, after.normal_texture);
  patch_texture_use(draft, json, "occlusionTexture", before.occlusion_texture, after.occlusion_texture);
  patch_texture_use(draft, json, "emissiveTexture", before.emissive_texture, after.emissive_texture);
  patch_field(json, "emissiveFactor", before.emissive, after.emissive);
  if (before.alpha_mode != after.alpha_mode) {
    json["alphaMode"] = after.alpha_mode == AlphaMode::kMask    ? "MASK"
                        : after.alpha_mode == AlphaMode::kBlend ? "BLEND"
                                                                : "OPAQUE";
  }
  patch_field(json, "alphaCutoff", before.alpha_cutoff, after.alpha_cutoff);
  if (after.alpha_mode == AlphaMode::kOpaque && before.alpha_mode == AlphaMode::kMask) json.erase("alphaCutoff");
  patch_field(json, "doubleSided", before.double_sided, after.double_sided);
  if (before.unlit != after.unlit) {
    erase_extension(json, kUnlit);
    if (after.unlit) json["extensions"][kUnlit] = Json::object(), draft.use_extension(kUnlit);
  }
}

int wrap_code(Wrap wrap) {
  if (wrap == Wrap::kClampToEdge) return 33071;
  return wrap == Wrap::kMirroredRepeat ? 33648 : 10497;
}

void patch_texture(Draft& draft, Json& json, const Texture& before, const Texture& after) {
  patch_text(json, "name", before.name, after.name);
  if (before.image != after.image) {
    for (const char* name : {"EXT_texture_webp", "EXT_texture_avif", "KHR_texture_basisu", "MSFT_texture_dds"}) {
      erase_extension(json, name);
    }
    json.erase("source");
    if (after.image >= 0) json["source"] = after.image;
  }
  if (before.wrap_s == after.wrap_s && before.wrap_t == after.wrap_t && before.nearest == after.nearest) return;
  Json sampler = {{"magFilter", after.nearest ? 9728 : 9729},
                  {"minFilter", after.nearest ? 9728 : 9987},
                  {"wrapS", wrap_code(after.wrap_s)},
                  {"wrapT", wrap_code(after.wrap_t)}};
  json["sampler"] = draft.add_sampler(std::move(sampler));
}

/// New bytes go into a file of their own where the image has a URI, else into a buffer view.
Status patch_image(Draft& draft, Json& json, const Image& before, const Image& after, Resource& resource,
                   const std::string& where) {
  patch_text(json, "name", before.name, after.name);
  if (before.bytes != after.bytes || before.uri != after.uri) {
    json.erase("uri");
    json.erase("bufferView");
    resource = Resource{};
    if (!after.uri.empty()) {
      LIMBER_TRY(resource.path, relative_path(percent_encoded(after.uri), where));
      json["uri"] = percent_encoded(resource.path);
      if (!after.bytes.empty()) {
        resource.storage = Storage::kFile;
        resource.data = std::make_shared<const Bytes>(after.bytes);
      }
    } else if (!after.bytes.empty()) {
      json["bufferView"] = draft.add_view(after.bytes, Draft::Target::kNone);
      json["mimeType"] = after.mime_type.empty() ? image_type(after.bytes) : after.mime_type;
      resource.storage = Storage::kBufferView;
    }
  }
  patch_text(json, "mimeType", before.mime_type, after.mime_type);
  return Done{};
}

}  // namespace

Status patch_materials(PatchContext& context) {
  Draft& draft = context.draft;
  const Asset& before = context.before.asset;
  const std::string where = context.after.name + "#";
  draft.images.resize(std::max(draft.images.size(), context.after.images.size()));
  LIMBER_CHECK_OK(patch_list(draft.json, "images", before.images, context.after.images, where,
                             [&](Json& json, const Image& old, const Image& now, std::size_t i, bool) {
                               return patch_image(draft, json, old, now, draft.images[i],
                                                  where + "/images/" + std::to_string(i));
                             }));
  LIMBER_CHECK_OK(patch_list(draft.json, "textures", before.textures, context.after.textures, where,
                             [&](Json& json, const Texture& old, const Texture& now, std::size_t, bool) -> Status {
                               patch_texture(draft, json, old, now);
                               return Done{};
                             }));
  return patch_list(draft.json, "materials", before.materials, context.after.materials, where,
                    [&](Json& json, const Material& old, const Material& now, std::size_t, bool) -> Status {
                      patch_material(draft, json, old, now);
                      return Done{};
                    });
}

}  // namespace limber::asset
