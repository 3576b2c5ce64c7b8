// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/math.h"

/// An asset in memory: plain structs in the shape of glTF 2.0, with every accessor decoded to float or index arrays.
///
/// An asset that was read from a file keeps that file as `source`. Writing starts from the source and changes only what
/// differs in memory, so buffers, unknown extensions and extras survive untouched; new elements go at the end of their
/// lists. Elements refer to each other by index, -1 for none.
namespace limber::asset {

enum class PrimitiveMode : std::uint8_t {
  kPoints,
  kLines,
  kLineLoop,
  kLineStrip,
  kTriangles,
  kTriangleStrip,
  kTriangleFan
};

/// Displacements that a morph weight of one adds; an array is empty where the file has none.
struct MorphTarget {
  std::vector<Vec3> positions, normals, tangents;
  bool operator==(const MorphTarget&) const = default;
};

/// Four influences of a vertex: indices into the skin's joints, and weights. A vertex with eight has two sets.
struct InfluenceSet {
  std::vector<std::array<std::uint16_t, 4>> joints;  ///< per vertex
  std::vector<Vec4> weights;                         ///< per vertex, as the file has them: not always summing to one
  bool operator==(const InfluenceSet&) const = default;
};

/// A piece of a mesh with one material. Attribute arrays are empty or as long as `positions`.
struct Primitive {
  PrimitiveMode mode = PrimitiveMode::kTriangles;
  int material = -1;
  std::vector<std::uint32_t> indices;  ///< empty: the vertices in order
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;
  std::vector<Vec4> tangents;                ///< w: handedness
  std::vector<std::vector<Vec2>> texcoords;  ///< TEXCOORD_0, TEXCOORD_1 ...
  std::vector<std::vector<Vec4>> colors;     ///< COLOR_0 ..., linear, alpha 1 where the file has RGB
  std::vector<InfluenceSet> influences;      ///< JOINTS_n with WEIGHTS_n
  std::vector<MorphTarget> targets;
  bool operator==(const Primitive&) const = default;
};

struct Mesh {
  std::string name;
  std::vector<Primitive> primitives;
  std::vector<float> weights;  ///< default morph weights
  bool operator==(const Mesh&) const = default;
};

struct Node {
  std::string name;
  Transform local;               ///< parent_from_node
  std::optional<Affine> matrix;  ///< where the file gives a matrix: it counts, and `local` is its decomposition
  std::vector<int> children;
  int mesh = -1, skin = -1, camera = -1, light = -1;
  std::vector<float> weights;        ///< morph weights; empty: those of the mesh
  std::vector<Transform> instances;  ///< EXT_mesh_gpu_instancing: node_from_instance; empty: the mesh once
  std::string extras;                ///< JSON text, empty for none
  bool operator==(const Node&) const = default;
};

struct Scene {
  std::string name;
  std::vector<int> roots;
  bool operator==(const Scene&) const = default;
};

struct Skin {
  std::string name;
  std::vector<int> joints;           ///< nodes
  std::vector<Affine> inverse_bind;  ///< joint_from_bind, one per joint (identities where the file has none)
  int skeleton = -1;
  std::string extras;
  bool operator==(const Skin&) const = default;
};

enum class Path : std::uint8_t { kTranslation, kRotation, kScale, kWeights };
enum class Interpolation : std::uint8_t { kStep, kLinear, kCubicSpline };

/// One animated property of one node.
struct Channel {
  int node = -1;
  Path path = Path::kRotation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;   ///< seconds, increasing
  std::vector<float> values;  ///< per key: 3, 4 or the number of morph weights; three times that for kCubicSpline
                              ///< (in-tangent, value, out-tangent)
  bool operator==(const Channel&) const = default;
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;
  std::string extras;
  float duration() const;  ///< seconds: the last key's time
  bool operator==(const Clip&) const = default;
};

struct Image {
  std::string name;
  std::string mime_type;  ///< "image/png" ...
  std::string uri;        ///< where the file keeps it outside: a relative path
  Bytes bytes;            ///< the encoded file; empty if it was outside and could not be found
  bool operator==(const Image&) const = default;
};

enum class Wrap : std::uint8_t { kRepeat, kClampToEdge, kMirroredRepeat };

struct Texture {
  std::string name;
  int image = -1;
  Wrap wrap_s = Wrap::kRepeat, wrap_t = Wrap::kRepeat;
  bool nearest = false;  ///< magnify by nearest neighbour instead of linearly
  bool operator==(const Texture&) const = default;
};

/// A texture as a material uses it.
struct TextureUse {
  int texture = -1;
  int texcoord = 0;  ///< which of Primitive::texcoords
  // KHR_texture_transform: uv' = offset + rotation * (scale * uv)
  Vec2 offset{0, 0}, scale{1, 1};
  float rotation = 0;  ///< radians
  bool operator==(const TextureUse&) const = default;
};

enum class AlphaMode : std::uint8_t { kOpaque, kMask, kBlend };

struct Material {
  std::string name;
  Vec4 base_color{1, 1, 1, 1};  ///< linear
  TextureUse base_color_texture, metallic_roughness_texture, normal_texture, occlusion_texture, emissive_texture;
  float metallic = 1, roughness = 1;
  Vec3 emissive{0, 0, 0};
  AlphaMode alpha_mode = AlphaMode::kOpaque;
  float alpha_cutoff = 0.5f;
  bool double_sided = false;
  bool unlit = false;  ///< KHR_materials_unlit
  bool operator==(const Material&) const = default;
};

struct Camera {
  std::string name;
  bool perspective = true;
  float yfov = 0.8f;               ///< radians, perspective only
  float aspect = 0;                ///< width / height, 0: the viewport's
  float xmag = 1, ymag = 1;        ///< half extents, orthographic only
  float near = 0.01f, far = 0.0f;  ///< far 0: infinite
  bool operator==(const Camera&) const = default;
};

enum class LightKind : std::uint8_t { kDirectional, kPoint, kSpot };

/// KHR_lights_punctual.
struct Light {
  std::string name;
  LightKind kind = LightKind::kDirectional;
  Vec3 color{1, 1, 1};
  float intensity = 1;
  float range = 0;  ///< 0: infinite
  float inner_cone = 0, outer_cone = 0.7853982f;
  bool operator==(const Light&) const = default;
};

/// The file an asset was read from, kept verbatim: JSON and buffers. Opaque outside `asset`.
class Source;

struct Asset {
  std::string name;  ///< file name, for messages
  std::vector<Scene> scenes;
  int scene = -1;  ///< the one shown by default
  std::vector<Node> nodes;
  std::vector<Mesh> meshes;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<Material> materials;
  std::vector<Texture> textures;
  std::vector<Image> images;
  std::vector<Camera> cameras;
  std::vector<Light> lights;
  std::vector<std::string> warnings;     ///< what the reader had to mend or leave out, for a person
  std::shared_ptr<const Source> source;  ///< drop it to write everything anew from the fields above
};

/// Per node, the index of its parent, or -1.
std::vector<int> parents(const Asset& asset);

/// parent_from_node of a node as it stands in the file.
Affine local_matrix(const Node& node);

/// Triangles of a primitive whatever its mode (strips and fans unrolled), as vertex indices. Empty for points and
/// lines.
std::vector<std::array<std::uint32_t, 3>> triangles(const Primitive& primitive);

}  // namespace limber::asset
