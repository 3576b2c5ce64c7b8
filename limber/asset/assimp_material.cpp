// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/assimp_steps.h"

#if defined(LIMBER_WITH_ASSIMP)

#include <assimp/GltfMaterial.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

namespace limber::asset {
namespace {

/// An embedded texture's bytes, or those of a file in the asset's folder; none where there is no such picture.
Image find_image(const aiScene& scene, const SceneOrigin& origin, std::string path) {
  Image image;
  if (const aiTexture* embedded = scene.GetEmbeddedTexture(path.c_str())) {
    image.name = embedded->mFilename.C_Str();
    if (embedded->mHeight != 0 || !embedded->pcData) return image;  // raw texels
    const auto* data = reinterpret_cast<const std::byte*>(embedded->pcData);
    image.bytes.assign(data, data + embedded->mWidth);
    return image;
  }
  std::replace(path.begin(), path.end(), '\\', '/');
  const std::filesystem::path given(path);
  image.name = given.stem().string();
  // Many files carry the artist's absolute path: then the name alone is looked for.
  for (const std::filesystem::path& candidate : {given, given.filename()}) {
    const std::filesystem::path file = path_below(origin.folder, candidate);
    if (file.empty()) continue;
    if (Result<Bytes> bytes = read_file(file, origin.limits.max_file_bytes); bytes.ok()) {
      image.bytes = std::move(bytes).value();
      return image;
    }
  }
  return image;
}

/// Empty for what is neither PNG nor JPEG, which glTF does not know.
std::string mime_type_of(const Bytes& bytes) {
  const auto starts_with = [&](std::string_view magic) { return as_text(bytes).substr(0, magic.size()) == magic; };
  if (starts_with("\x89PNG")) return "image/png";
  return starts_with("\xFF\xD8\xFF") ? "image/jpeg" : "";
}

/// The pictures of a scene, each once, by the path under which materials ask for them.
class Images {
 public:
  Images(const aiScene& scene, const SceneOrigin& origin, Warnings& warnings)
      : scene_(scene), origin_(origin), warnings_(warnings) {}

  /// Its index, or -1 (with a warning) where it cannot be used.
  int index(const std::string& path) {
    const auto [entry, is_new] = by_path_.try_emplace(path, -1);
    if (!is_new) return entry->second;
    Image image = find_image(scene_, origin_, path);
    image.mime_type = mime_type_of(image.bytes);
    if (image.mime_type.empty()) {
      warnings_.push_back(fmt::format("left out the texture '{}': {}", path,
                                      image.bytes.empty() ? "not found" : "neither PNG nor JPEG"));
      return -1;
    }
    entry->second = static_cast<int>(images_.size());
    images_.push_back(std::move(image));
    return entry->second;
  }
  std::vector<Image> take() { return std::move(images_); }

 private:
  const aiScene& scene_;
  const SceneOrigin& origin_;
  Warnings& warnings_;
  std::vector<Image> images_;
  std::unordered_map<std::string, int> by_path_;
};

Wrap to_wrap(aiTextureMapMode mode) {
  if (mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal) return Wrap::kClampToEdge;
  return mode == aiTextureMapMode_Mirror ? Wrap::kMirroredRepeat : Wrap::kRepeat;
}

TextureUse add_texture(const aiMaterial& material, aiTextureType type, Images& images, std::vector<Texture>& textures) {
  TextureUse use;
  aiString path;
  unsigned texcoord = 0;
  aiTextureMapMode wrap[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
  if (material.GetTexture(type, 0, &path, nullptr, &texcoord, nullptr, nullptr, wrap) != AI_SUCCESS) return use;
  Texture texture;
  texture.image = images.index(path.C_Str());
  if (texture.image < 0) return use;
  texture.wrap_s = to_wrap(wrap[0]), texture.wrap_t = to_wrap(wrap[1]);
  use.texture = static_cast<int>(textures.size());
  use.texcoord = texcoord < AI_MAX_NUMBER_OF_TEXTURECOORDS ? static_cast<int>(texcoord) : 0;
  textures.push_back(std::move(texture));
  return use;
}

float unit(float v) { return std::isfinite(v) ? std::clamp(v, 0.0f, 1.0f) : 1.0f; }

void set_roughness(const aiMaterial& source, Material& material) {
  float metallic = 0, roughness = 1, shininess = 0;
  source.Get(AI_MATKEY_METALLIC_FACTOR, metallic);
  // A Phong exponent as the roughness of the highlight of the same width.
  if (source.Get(AI_MATKEY_ROUGHNESS_FACTOR, roughness) != AI_SUCCESS &&
      source.Get(AI_MATKEY_SHININESS, shininess) == AI_SUCCESS && shininess > 0) {
    roughness = std::sqrt(2 / (shininess + 2));
  }
  material.metallic = unit(metallic);
  material.roughness = unit(roughness);
}

Material convert_material(const aiMaterial& source, Images& images, std::vector<Texture>& textures) {
  Material material;
  material.name = source.GetName().C_Str();
  aiColor4D color(1, 1, 1, 1);
  if (source.Get(AI_MATKEY_BASE_COLOR, color) != AI_SUCCESS) source.Get(AI_MATKEY_COLOR_DIFFUSE, color);
  float opacity = 1;
  source.Get(AI_MATKEY_OPACITY, opacity);
  material.base_color_texture = add_texture(source, aiTextureType_BASE_COLOR, images, textures);
  if (material.base_color_texture.texture < 0) {
    material.base_color_texture = add_texture(source, aiTextureType_DIFFUSE, images, textures);
  }
  material.normal_texture = add_texture(source, aiTextureType_NORMALS, images, textures);
  material.emissive_texture = add_texture(source, aiTextureType_EMISSIVE, images, textures);
  // A texture takes the colour's place: exporters leave the colour at some grey.
  if (material.base_color_texture.texture >= 0) color = aiColor4D(1, 1, 1, 1);
  material.base_color = {unit(color.r), unit(color.g), unit(color.b), unit(opacity)};
  if (material.base_color.w < 1) material.alpha_mode = AlphaMode::kBlend;

  aiColor3D emissive(0, 0, 0);
  source.Get(AI_MATKEY_COLOR_EMISSIVE, emissive);
  material.emissive = {unit(emissive.r), unit(emissive.g), unit(emissive.b)};
  set_roughness(source, material);
  int two_sided = 0;
  source.Get(AI_MATKEY_TWOSIDED, two_sided);
  material.double_sided = two_sided != 0;
  return material;
}

}  // namespace

Surfaces convert_materials(const aiScene& scene, const SceneOrigin& origin, Warnings& warnings) {
  Surfaces surfaces;
  Images images(scene, origin, warnings);
  for (unsigned i = 0; i < scene.mNumMaterials; ++i) {
    surfaces.materials.push_back(convert_material(*scene.mMaterials[i], images, surfaces.textures));
  }
  surfaces.images = images.take();
  return surfaces;
}

}  // namespace limber::asset

#endif
