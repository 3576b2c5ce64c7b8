// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/asset/fbx_scene.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

std::string_view extension_of(const Image& image) {
  if (image.mime_type == "image/jpeg") return ".jpg";
  if (image.mime_type == "image/webp") return ".webp";
  return image.mime_type == "image/ktx2" ? ".ktx2" : ".png";
}

/// The pictures of the asset: inside the file where their bytes are known, else by name.
struct Video {
  FbxId id = -1;
  std::string file;
};

std::vector<Video> add_videos(FbxScene& scene) {
  std::vector<Video> videos;
  FbxNames names, files;
  for (std::size_t i = 0; i < scene.asset.images.size(); ++i) {
    const Image& image = scene.asset.images[i];
    const std::string name = names.unique(image.name, "image_" + std::to_string(i));
    // A picture that lies outside keeps its own name; one that lies inside gets one, and no folders.
    std::string file = image.uri;
    if (file.empty() || !image.bytes.empty()) {
      file = name + std::string(extension_of(image));
      std::replace_if(
          file.begin(), file.end(), [](char c) { return c == '/' || c == '\\' || c == ':'; }, '_');
      file = files.unique(file, "image");
    }
    FbxRecord video = scene.objects.make("Video", name, "Video", "Clip");
    const FbxId id = scene.objects.last_id();
    video.child("Type", "Clip");
    video.child("Properties70").child(fbx_property("Path", "KString", "XRefUrl", "", file));
    video.child("UseMipMap", std::int32_t{0});
    video.child("Filename", file);
    video.child("RelativeFilename", file);
    if (!image.bytes.empty()) video.child("Content", image.bytes);
    videos.push_back({scene.objects.keep(std::move(video), id), std::move(file)});
  }
  return videos;
}

std::int32_t wrap_mode(Wrap wrap) { return wrap == Wrap::kClampToEdge ? 1 : 0; }

/// What a texture does to the material of that number.
void add_texture(FbxScene& scene, const std::vector<Video>& videos, const TextureUse& use, FbxId material,
                 std::string_view property) {
  if (use.texture < 0 || scene.asset.textures[at(use.texture)].image < 0) return;
  const Texture& source = scene.asset.textures[at(use.texture)];
  const Video& video = videos[at(source.image)];
  const std::string name = source.name.empty() ? video.file : source.name;
  FbxRecord texture = scene.objects.make("Texture", name, "Texture", "");
  const FbxId id = scene.objects.last_id();
  texture.child("Type", "TextureVideoClip");
  texture.child("Version", std::int32_t{202});
  texture.child("TextureName", name + std::string("\0\1Texture", 9));
  FbxRecord& properties = texture.child("Properties70");
  properties.child(fbx_property("UVSet", "KString", "", "", fbx_uv_set(at(use.texcoord))));
  properties.child(fbx_property("WrapModeU", "enum", "", "", wrap_mode(source.wrap_s)));
  properties.child(fbx_property("WrapModeV", "enum", "", "", wrap_mode(source.wrap_t)));
  properties.child(fbx_property("UseMaterial", "bool", "", "", std::int32_t{1}));
  texture.child("FileName", video.file);
  texture.child("RelativeFilename", video.file);
  scene.objects.keep(std::move(texture), id);
  scene.objects.connect(id, material, property);
  scene.objects.connect(video.id, id);
}

/// Blender, assimp and we agree on what of Phong's model stands for roughness and metal.
FbxId add_material(FbxScene& scene, const Material& source, const std::string& name) {
  FbxRecord material = scene.objects.make("Material", name, "Material", "");
  const FbxId id = scene.objects.last_id();
  material.child("Version", std::int32_t{102});
  material.child("ShadingModel", "phong");
  material.child("MultiLayer", std::int32_t{0});
  FbxRecord& properties = material.child("Properties70");
  const auto add_color = [&](std::string_view property, Vec3 color) {
    properties.child(fbx_property(property, "Color", "", "A", static_cast<double>(color.x),
                                  static_cast<double>(color.y), static_cast<double>(color.z)));
  };
  const auto add_number = [&](std::string_view property, double value) {
    properties.child(fbx_property(property, "Number", "", "A", value));
  };
  const double smooth = 10 * (1 - static_cast<double>(source.roughness)), alpha = source.base_color.w;
  add_color("DiffuseColor", {source.base_color.x, source.base_color.y, source.base_color.z});
  add_number("DiffuseFactor", 1);
  add_color("EmissiveColor", source.emissive);
  add_number("EmissiveFactor", 1);
  add_color("TransparentColor", {1, 1, 1});
  add_number("TransparencyFactor", 1 - alpha);
  add_number("Opacity", alpha);
  add_number("Shininess", smooth * smooth);
  add_number("ShininessExponent", smooth * smooth);
  add_number("ReflectionFactor", source.metallic);
  return scene.objects.keep(std::move(material), id);
}

}  // namespace

void add_fbx_materials(FbxScene& scene) {
  const std::vector<Video> videos = add_videos(scene);
  FbxNames names;
  for (std::size_t m = 0; m < scene.asset.materials.size(); ++m) {
    const Material& source = scene.asset.materials[m];
    const FbxId id = add_material(scene, source, names.unique(source.name, "material_" + std::to_string(m)));
    add_texture(scene, videos, source.base_color_texture, id, "DiffuseColor");
    add_texture(scene, videos, source.normal_texture, id, "NormalMap");
    add_texture(scene, videos, source.emissive_texture, id, "EmissiveColor");
    scene.materials.push_back(id);
  }
  // What primitives without a material have in glTF. Only written where there is one.
  const bool needed = std::any_of(scene.asset.meshes.begin(), scene.asset.meshes.end(), [](const Mesh& mesh) {
    return std::any_of(mesh.primitives.begin(), mesh.primitives.end(),
                       [](const Primitive& p) { return p.material < 0; });
  });
  if (needed) scene.materials.push_back(add_material(scene, Material{}, names.unique("default", {})));
}

}  // namespace limber::asset
