// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/assimp_scene.h"

#if defined(LIMBER_WITH_ASSIMP)

#include <assimp/GltfMaterial.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "limber/asset/assimp_mesh.h"

namespace limber::asset {
namespace {

constexpr double kDefaultTicksPerSecond = 25;  // assimp's own convention for files that do not say

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Affine to_limber(const aiMatrix4x4& m) {
  Affine a;
  a.linear.m = {{{m.a1, m.a2, m.a3}, {m.b1, m.b2, m.b3}, {m.c1, m.c2, m.c3}}};
  a.translation = {m.a4, m.b4, m.c4};
  return a;
}

bool nearly_equal(const Affine& a, const Affine& b) {
  const float size = norm(a.linear.row(0)) + norm(a.linear.row(1)) + norm(a.linear.row(2));
  for (int r = 0; r < 3; ++r) {
    if (!(norm(a.linear.row(r) - b.linear.row(r)) <= 1e-5f * size)) return false;
  }
  return norm(a.translation - b.translation) <= 1e-5f * (norm(a.translation) + size);
}

/// Joints with their inverse bind matrices, by node.
using Bones = std::map<int, Affine>;

class SceneConverter {
 public:
  SceneConverter(const aiScene& scene, const SceneOrigin& origin) : scene_(scene), origin_(origin) {}

  Result<Asset> convert() {
    if (!scene_.mRootNode) return Error{"the file has no scene", origin_.name};
    asset_.name = origin_.name;
    LIMBER_CHECK_OK(add_nodes());
    orient_root();
    for (unsigned i = 0; i < scene_.mNumMaterials; ++i) add_material(*scene_.mMaterials[i]);
    find_skins();
    LIMBER_CHECK_OK(add_skins());
    LIMBER_CHECK_OK(add_meshes());
    for (unsigned i = 0; i < scene_.mNumAnimations; ++i) LIMBER_CHECK_OK(add_clip(*scene_.mAnimations[i]));
    if (scene_.mNumCameras > 0) asset_.warnings.push_back(fmt::format("left out {} cameras", scene_.mNumCameras));
    if (scene_.mNumLights > 0) asset_.warnings.push_back(fmt::format("left out {} lights", scene_.mNumLights));
    return std::move(asset_);
  }

 private:
  // --- nodes ---------------------------------------------------------------------------------------------------------

  Status add_nodes() {
    std::vector<std::pair<const aiNode*, int>> open{{scene_.mRootNode, -1}};
    while (!open.empty()) {
      const auto [source, parent] = open.back();
      open.pop_back();
      const int index = static_cast<int>(asset_.nodes.size());
      Node node;
      node.name = source->mName.C_Str();
      const Affine matrix = to_limber(source->mTransformation);
      if (!is_finite(matrix))
        return Error{fmt::format("node '{}' has a transform that is not finite", node.name), origin_.name};
      node.local = decompose(matrix);
      if (!nearly_equal(matrix, to_affine(node.local))) node.matrix = matrix;
      node_by_name_.emplace(node.name, index);
      if (parent >= 0) asset_.nodes[at(parent)].children.push_back(index);
      asset_.nodes.push_back(std::move(node));
      sources_.push_back(source);
      for (unsigned i = source->mNumChildren; i-- > 0;) open.emplace_back(source->mChildren[i], index);
    }
    Scene scene;
    scene.roots = {0};
    asset_.scenes.push_back(std::move(scene));
    asset_.scene = 0;
    return Done{};
  }

  int find_node(const aiString& name) const {
    const auto found = node_by_name_.find(name.C_Str());
    return found == node_by_name_.end() ? -1 : found->second;
  }

  // FBX files say which way is up and how long a unit is (in centimetres): the root takes them to metres, +Y up.
  void orient_root() {
    if (origin_.extension != ".fbx" || !scene_.mMetaData) return;
    const auto axis = [&](const char* key, int fallback) {
      std::int32_t index = fallback, sign = 1;
      scene_.mMetaData->Get(key, index);
      scene_.mMetaData->Get(std::string(key) + "Sign", sign);
      Vec3 row;
      row[index >= 0 && index < 3 ? index : fallback] = sign < 0 ? -1.0f : 1.0f;
      return row;
    };
    Mat3 y_up = transposed(Mat3::from_columns(axis("CoordAxis", 0), axis("UpAxis", 1), axis("FrontAxis", 2)));
    // Left-handed systems, and roots that the importer has turned already, stay as they are.
    if (determinant(y_up) != 1 || local_matrix(asset_.nodes[0]) != Affine{}) y_up = Mat3::identity();
    double centimetres = 1;
    float single = 1;
    if (!scene_.mMetaData->Get("UnitScaleFactor", centimetres) && scene_.mMetaData->Get("UnitScaleFactor", single)) {
      centimetres = single;
    }
    if (!(centimetres > 1e-6 && centimetres < 1e9)) centimetres = 1;
    const Affine world_from_file{static_cast<float>(centimetres / 100) * y_up, {}};
    Node& root = asset_.nodes[0];
    const Affine matrix = world_from_file * local_matrix(root);
    root.local = decompose(matrix);
    if (root.matrix) root.matrix = matrix;
  }

  // --- skins ---------------------------------------------------------------------------------------------------------

  Bones bones_of(const aiNode& node) {
    Bones bones;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      const aiMesh& mesh = *scene_.mMeshes[node.mMeshes[i]];
      for (unsigned b = 0; b < mesh.mNumBones; ++b) {
        const int joint = find_node(mesh.mBones[b]->mName);
        if (joint >= 0) {
          bones.emplace(joint, to_limber(mesh.mBones[b]->mOffsetMatrix));
        } else {
          asset_.warnings.push_back(fmt::format("bone '{}' has no node", mesh.mBones[b]->mName.C_Str()));
        }
      }
    }
    return bones;
  }

  // Meshes whose bind matrices agree share a skin, so that one character gets one skeleton.
  void find_skins() {
    skin_of_node_.assign(asset_.nodes.size(), -1);
    for (std::size_t n = 0; n < sources_.size(); ++n) {
      const Bones bones = bones_of(*sources_[n]);
      if (bones.empty()) continue;
      const auto agrees = [&](const Bones& skin) {
        return std::all_of(bones.begin(), bones.end(), [&](const auto& bone) {
          const auto same = skin.find(bone.first);
          return same == skin.end() || nearly_equal(same->second, bone.second);
        });
      };
      auto skin = std::find_if(skins_.begin(), skins_.end(), agrees);
      if (skin == skins_.end()) skin = skins_.emplace(skins_.end());
      skin->insert(bones.begin(), bones.end());
      skin_of_node_[n] = static_cast<int>(skin - skins_.begin());
    }
  }

  Status add_skins() {
    for (const Bones& bones : skins_) {
      Skin skin;
      for (const auto& [joint, inverse_bind] : bones) {
        if (!is_finite(inverse_bind)) return Error{"a bind matrix is not finite", origin_.name};
        skin.joints.push_back(joint);
        skin.inverse_bind.push_back(inverse_bind);
      }
      if (skin.joints.size() > std::numeric_limits<std::uint16_t>::max()) return Error{"too many joints", origin_.name};
      asset_.skins.push_back(std::move(skin));
    }
    return Done{};
  }

  // --- meshes --------------------------------------------------------------------------------------------------------

  Status add_meshes() {
    // Nodes that show the same meshes with the same skin share them.
    std::map<std::pair<std::vector<unsigned>, int>, int> made;
    for (std::size_t n = 0; n < sources_.size(); ++n) {
      const aiNode& source = *sources_[n];
      if (source.mNumMeshes == 0) continue;
      const int skin = skin_of_node_[n];
      const std::vector<unsigned> parts(source.mMeshes, source.mMeshes + source.mNumMeshes);
      const auto [entry, fresh] = made.emplace(std::pair(parts, skin), static_cast<int>(asset_.meshes.size()));
      asset_.nodes[n].mesh = entry->second;
      asset_.nodes[n].skin = skin;
      if (!fresh) continue;
      Mesh mesh;
      mesh.name = scene_.mMeshes[parts[0]]->mName.C_Str();
      for (const unsigned part : parts) {
        LIMBER_TRY(Primitive primitive,
                   convert_mesh(*scene_.mMeshes[part], joints_by_bone(part, skin), mesh_settings()));
        if (primitive.positions.empty()) continue;
        mesh.primitives.push_back(std::move(primitive));
      }
      set_morph_weights(parts, mesh);
      asset_.meshes.push_back(std::move(mesh));
    }
    return Done{};
  }

  MeshSettings mesh_settings() {
    // STL has one normal per triangle, which the triangle tells anyway; without it the corners can be joined. PLY has
    // shared vertices of its own, in an order that may matter.
    return {origin_.name, origin_.extension != ".stl", origin_.extension != ".ply", &asset_.warnings};
  }

  /// Per bone of the mesh, the joint's place in the skin, or -1.
  std::vector<int> joints_by_bone(unsigned part, int skin) const {
    const aiMesh& mesh = *scene_.mMeshes[part];
    std::vector<int> joints(mesh.mNumBones, -1);
    for (unsigned b = 0; b < mesh.mNumBones && skin >= 0; ++b) {
      const std::vector<int>& nodes = asset_.skins[at(skin)].joints;
      const auto found = std::lower_bound(nodes.begin(), nodes.end(), find_node(mesh.mBones[b]->mName));
      if (found != nodes.end() && *found == find_node(mesh.mBones[b]->mName))
        joints[b] = static_cast<int>(found - nodes.begin());
    }
    return joints;
  }

  // All primitives of a glTF mesh have the same targets: only meshes that agree keep them.
  void set_morph_weights(const std::vector<unsigned>& parts, Mesh& mesh) {
    if (mesh.primitives.empty()) return;
    const std::size_t count = mesh.primitives[0].targets.size();
    for (const Primitive& p : mesh.primitives) {
      if (p.targets.size() == count) continue;
      asset_.warnings.push_back(fmt::format("left out the morph targets of mesh '{}': its parts differ", mesh.name));
      for (Primitive& other : mesh.primitives) other.targets.clear();
      return;
    }
    const aiMesh& first = *scene_.mMeshes[parts[0]];
    for (std::size_t t = 0; t < count && t < first.mNumAnimMeshes; ++t) {
      const float weight = first.mAnimMeshes[t]->mWeight;
      mesh.weights.push_back(std::isfinite(weight) ? weight : 0);
    }
  }

  // --- materials -----------------------------------------------------------------------------------------------------

  void add_material(const aiMaterial& source) {
    Material material;
    material.name = source.GetName().C_Str();
    aiColor4D color(1, 1, 1, 1);
    if (source.Get(AI_MATKEY_BASE_COLOR, color) != AI_SUCCESS) source.Get(AI_MATKEY_COLOR_DIFFUSE, color);
    float opacity = 1;
    source.Get(AI_MATKEY_OPACITY, opacity);
    material.base_color_texture = add_texture(source, aiTextureType_BASE_COLOR);
    if (material.base_color_texture.texture < 0)
      material.base_color_texture = add_texture(source, aiTextureType_DIFFUSE);
    material.normal_texture = add_texture(source, aiTextureType_NORMALS);
    material.emissive_texture = add_texture(source, aiTextureType_EMISSIVE);
    // A texture takes the colour's place: exporters leave the colour at some grey.
    if (material.base_color_texture.texture >= 0) color = aiColor4D(1, 1, 1, 1);
    const auto unit = [](float v) { return std::isfinite(v) ? std::clamp(v, 0.0f, 1.0f) : 1.0f; };
    material.base_color = {unit(color.r), unit(color.g), unit(color.b), unit(opacity)};
    if (material.base_color.w < 1) material.alpha_mode = AlphaMode::kBlend;

    aiColor3D emissive(0, 0, 0);
    source.Get(AI_MATKEY_COLOR_EMISSIVE, emissive);
    material.emissive = {unit(emissive.r), unit(emissive.g), unit(emissive.b)};
    float metallic = 0, roughness = 1, shininess = 0;
    source.Get(AI_MATKEY_METALLIC_FACTOR, metallic);
    // A Phong exponent as the roughness of the highlight of the same width.
    if (source.Get(AI_MATKEY_ROUGHNESS_FACTOR, roughness) != AI_SUCCESS &&
        source.Get(AI_MATKEY_SHININESS, shininess) == AI_SUCCESS && shininess > 0) {
      roughness = std::sqrt(2 / (shininess + 2));
    }
    material.metallic = unit(metallic);
    material.roughness = unit(roughness);
    int two_sided = 0;
    source.Get(AI_MATKEY_TWOSIDED, two_sided);
    material.double_sided = two_sided != 0;
    asset_.materials.push_back(std::move(material));
  }

  TextureUse add_texture(const aiMaterial& material, aiTextureType type) {
    TextureUse use;
    aiString path;
    unsigned texcoord = 0;
    aiTextureMapMode wrap[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    if (material.GetTexture(type, 0, &path, nullptr, &texcoord, nullptr, nullptr, wrap) != AI_SUCCESS) return use;
    const int image = add_image(path.C_Str());
    if (image < 0) return use;
    const auto to_wrap = [](aiTextureMapMode mode) {
      if (mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal) return Wrap::kClampToEdge;
      return mode == aiTextureMapMode_Mirror ? Wrap::kMirroredRepeat : Wrap::kRepeat;
    };
    Texture texture;
    texture.image = image;
    texture.wrap_s = to_wrap(wrap[0]), texture.wrap_t = to_wrap(wrap[1]);
    use.texture = static_cast<int>(asset_.textures.size());
    use.texcoord = texcoord < AI_MAX_NUMBER_OF_TEXTURECOORDS ? static_cast<int>(texcoord) : 0;
    asset_.textures.push_back(std::move(texture));
    return use;
  }

  int add_image(const std::string& path) {
    const auto known = image_by_path_.find(path);
    if (known != image_by_path_.end()) return known->second;
    Image image;
    image.bytes = image_bytes(path, image);
    const auto starts_with = [&](std::string_view magic) {
      return as_text(image.bytes).substr(0, magic.size()) == magic;
    };
    if (starts_with("\x89PNG")) {
      image.mime_type = "image/png";
    } else if (starts_with("\xFF\xD8\xFF")) {
      image.mime_type = "image/jpeg";
    } else {
      asset_.warnings.push_back(fmt::format("left out the texture '{}': {}", path,
                                            image.bytes.empty() ? "not found" : "neither PNG nor JPEG"));
      return image_by_path_[path] = -1;
    }
    const int index = static_cast<int>(asset_.images.size());
    asset_.images.push_back(std::move(image));
    return image_by_path_[path] = index;
  }

  /// An embedded texture's bytes, or those of a file in the asset's folder.
  Bytes image_bytes(std::string path, Image& image) {
    if (const aiTexture* embedded = scene_.GetEmbeddedTexture(path.c_str())) {
      image.name = embedded->mFilename.C_Str();
      if (embedded->mHeight != 0 || !embedded->pcData) return {};  // raw texels
      const auto* data = reinterpret_cast<const std::byte*>(embedded->pcData);
      return Bytes(data, data + embedded->mWidth);
    }
    std::replace(path.begin(), path.end(), '\\', '/');
    const std::filesystem::path given(path);
    image.name = given.stem().string();
    // Many files carry the artist's absolute path: then the name alone is looked for.
    for (const std::filesystem::path& candidate : {given, given.filename()}) {
      const std::filesystem::path file = path_below(origin_.folder, candidate);
      if (file.empty()) continue;
      if (Result<Bytes> bytes = read_file(file, origin_.limits.max_file_bytes); bytes.ok())
        return std::move(bytes).value();
    }
    return {};
  }

  // --- clips ---------------------------------------------------------------------------------------------------------

  Status add_clip(const aiAnimation& source) {
    Clip clip;
    clip.name = source.mName.C_Str();
    ticks_per_second_ = source.mTicksPerSecond > 0 ? source.mTicksPerSecond : kDefaultTicksPerSecond;
    for (unsigned i = 0; i < source.mNumChannels; ++i) {
      const aiNodeAnim& keys = *source.mChannels[i];
      const int node = find_node(keys.mNodeName);
      if (node < 0) continue;
      add_channel(clip, node, Path::kTranslation, keys.mPositionKeys, keys.mNumPositionKeys);
      add_channel(clip, node, Path::kRotation, keys.mRotationKeys, keys.mNumRotationKeys);
      add_channel(clip, node, Path::kScale, keys.mScalingKeys, keys.mNumScalingKeys);
    }
    for (unsigned i = 0; i < source.mNumMorphMeshChannels; ++i) add_morph_channel(clip, *source.mMorphMeshChannels[i]);
    for (const Channel& channel : clip.channels) {
      const auto finite = [](float v) { return std::isfinite(v); };
      if (!std::all_of(channel.times.begin(), channel.times.end(), finite) ||
          !std::all_of(channel.values.begin(), channel.values.end(), finite)) {
        return Error{fmt::format("clip '{}' has keys that are not finite", clip.name), origin_.name};
      }
    }
    start_at_zero(clip);
    if (!clip.channels.empty()) asset_.clips.push_back(std::move(clip));
    return Done{};
  }

  static void append(std::vector<float>& values, const aiVector3D& v) { values.insert(values.end(), {v.x, v.y, v.z}); }
  static void append(std::vector<float>& values, const aiQuaternion& source) {
    Quat q = normalized(Quat{source.x, source.y, source.z, source.w});
    if (values.size() >= 4) {
      const float* last = values.data() + values.size() - 4;
      if (dot(q, Quat{last[0], last[1], last[2], last[3]}) < 0) q = {-q.x, -q.y, -q.z, -q.w};
    }
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }

  /// Whether a key at `ticks` comes after those of the channel; if so its time is added.
  bool add_time(Channel& channel, double ticks) const {
    const auto time = static_cast<float>(ticks / ticks_per_second_);
    if (!channel.times.empty() && !(time > channel.times.back())) return false;
    channel.times.push_back(time);
    return true;
  }

  template <class Key>
  void add_channel(Clip& clip, int node, Path path, const Key* keys, unsigned count) const {
    Channel channel;
    channel.node = node;
    channel.path = path;
    for (unsigned i = 0; i < count; ++i) {
      if (add_time(channel, keys[i].mTime)) append(channel.values, keys[i].mValue);
    }
    if (!channel.times.empty()) clip.channels.push_back(std::move(channel));
  }

  void add_morph_channel(Clip& clip, const aiMeshMorphAnim& source) const {
    // Assimp appends a star and a number to the node's name for all but the first mesh of a node.
    aiString name = source.mName;
    name.Set(std::string(name.C_Str()).substr(0, std::string_view(name.C_Str()).find('*')));
    const int node = find_node(name);
    if (node < 0 || asset_.nodes[at(node)].mesh < 0) return;
    const std::size_t targets = asset_.meshes[at(asset_.nodes[at(node)].mesh)].weights.size();
    if (targets == 0) return;
    Channel channel;
    channel.node = node;
    channel.path = Path::kWeights;
    for (unsigned i = 0; i < source.mNumKeys; ++i) {
      const aiMeshMorphKey& key = source.mKeys[i];
      if (!add_time(channel, key.mTime)) continue;
      std::vector<float> weights(targets, 0.0f);
      for (unsigned k = 0; k < key.mNumValuesAndWeights; ++k) {
        if (key.mValues[k] < targets) weights[key.mValues[k]] = static_cast<float>(key.mWeights[k]);
      }
      channel.values.insert(channel.values.end(), weights.begin(), weights.end());
    }
    const bool again = std::any_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& other) {
      return other.node == node && other.path == Path::kWeights;
    });
    if (!channel.times.empty() && !again) clip.channels.push_back(std::move(channel));
  }

  // glTF has no time before zero.
  static void start_at_zero(Clip& clip) {
    float start = 0;
    for (const Channel& channel : clip.channels) start = std::min(start, channel.times.front());
    if (start == 0) return;
    for (Channel& channel : clip.channels) {
      for (float& time : channel.times) time -= start;
    }
  }

  const aiScene& scene_;
  const SceneOrigin& origin_;
  Asset asset_;
  std::vector<const aiNode*> sources_;  ///< per node of the asset
  std::unordered_map<std::string, int> node_by_name_;
  std::unordered_map<std::string, int> image_by_path_;
  std::vector<Bones> skins_;
  std::vector<int> skin_of_node_;
  double ticks_per_second_ = kDefaultTicksPerSecond;
};

}  // namespace

Result<Asset> convert_scene(const aiScene& scene, const SceneOrigin& origin) {
  return SceneConverter(scene, origin).convert();
}

}  // namespace limber::asset

#endif
