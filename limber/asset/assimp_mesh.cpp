// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/assimp_mesh.h"

#if defined(LIMBER_WITH_ASSIMP)

#include <assimp/mesh.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "limber/asset/not_finite.h"
#include "limber/asset/triangulate.h"

namespace limber::asset {
namespace {

constexpr std::size_t kMaxInfluences = 8;

Vec3 to_limber(const aiVector3D& v) { return {v.x, v.y, v.z}; }

/// Calls `visit` with every per-vertex array of the primitive.
template <class P, class Visit>
void for_each_attribute(P& primitive, const Visit& visit) {
  visit(primitive.positions);
  visit(primitive.normals);
  for (auto& uv : primitive.texcoords) visit(uv);
  for (auto& color : primitive.colors) visit(color);
  for (auto& set : primitive.influences) visit(set.joints), visit(set.weights);
  for (auto& target : primitive.targets) visit(target.positions), visit(target.normals);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}
// Adding zero makes both zeros hash alike.
std::uint64_t mixed(std::uint64_t hash, float value) {
  return mixed(hash, std::uint64_t{std::bit_cast<std::uint32_t>(value + 0.0f)});
}
std::uint64_t mixed(std::uint64_t hash, Vec2 v) { return mixed(mixed(hash, v.x), v.y); }
std::uint64_t mixed(std::uint64_t hash, Vec3 v) { return mixed(mixed(mixed(hash, v.x), v.y), v.z); }
std::uint64_t mixed(std::uint64_t hash, Vec4 v) { return mixed(mixed(mixed(mixed(hash, v.x), v.y), v.z), v.w); }
std::uint64_t mixed(std::uint64_t hash, std::array<std::uint16_t, 4> v) {
  for (const std::uint16_t i : v) hash = mixed(hash, std::uint64_t{i});
  return hash;
}

/// Vertices of a primitive by all of their attributes.
struct VertexHash {
  const Primitive* primitive;
  std::size_t operator()(std::uint32_t v) const {
    std::uint64_t hash = 0;
    for_each_attribute(*primitive, [&](const auto& values) {
      if (!values.empty()) hash = mixed(hash, values[v]);
    });
    return hash;
  }
};
struct VertexEqual {
  const Primitive* primitive;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    bool equal = true;
    for_each_attribute(*primitive,
                       [&](const auto& values) { equal = equal && (values.empty() || values[a] == values[b]); });
    return equal;
  }
};

/// Importers give every corner of every face a vertex of its own: makes one of those that agree exactly in everything.
void join_vertices(Primitive& primitive) {
  std::unordered_set<std::uint32_t, VertexHash, VertexEqual> distinct(primitive.positions.size(),
                                                                      VertexHash{&primitive}, VertexEqual{&primitive});
  std::vector<std::uint32_t> place(primitive.positions.size()), kept;
  std::vector<bool> used(primitive.positions.size(), false);
  for (const std::uint32_t index : primitive.indices) used[index] = true;
  // In the importer's order, which is that of the faces, and does not depend on how polygons were cut.
  for (std::uint32_t v = 0; v < place.size(); ++v) {
    if (!used[v]) continue;
    const auto [first, fresh] = distinct.insert(v);
    place[v] = fresh ? static_cast<std::uint32_t>(kept.size()) : place[*first];
    if (fresh) kept.push_back(v);
  }
  for (std::uint32_t& index : primitive.indices) index = place[index];
  for_each_attribute(primitive, [&](auto& values) {
    if (values.empty()) return;
    std::remove_reference_t<decltype(values)> compact;
    compact.reserve(kept.size());
    for (const std::uint32_t v : kept) compact.push_back(values[v]);
    values = std::move(compact);
  });
}

/// Adds a face of at least three corners.
void add_polygon(const aiFace& face, Primitive& primitive) {
  std::vector<Vec3> corners;
  corners.reserve(face.mNumIndices);
  for (unsigned i = 0; i < face.mNumIndices; ++i) corners.push_back(primitive.positions[face.mIndices[i]]);
  for (const auto& triangle : triangulate_polygon(corners)) {
    for (const std::uint32_t corner : triangle) primitive.indices.push_back(face.mIndices[corner]);
  }
}

Status add_indices(const aiMesh& mesh, const MeshSettings& settings, Primitive& primitive) {
  unsigned most = 0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) most = std::max(most, mesh.mFaces[f].mNumIndices);
  if (most < 2) {
    primitive.mode = PrimitiveMode::kPoints;
    return Done{};
  }
  primitive.mode = most == 2 ? PrimitiveMode::kLines : PrimitiveMode::kTriangles;
  std::size_t left_out = 0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    for (unsigned i = 0; i < face.mNumIndices; ++i) {
      if (face.mIndices[i] >= mesh.mNumVertices)
        return Error{"a face with a vertex that does not exist", settings.name};
    }
    if (face.mNumIndices >= 3) {
      add_polygon(face, primitive);
    } else if (face.mNumIndices == most) {
      primitive.indices.insert(primitive.indices.end(), face.mIndices, face.mIndices + most);
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    settings.warnings->push_back(
        fmt::format("left out {} lines and points of mesh '{}'", left_out, mesh.mName.C_Str()));
  }
  return Done{};
}

/// Mends what is not finite, with a warning.
template <class Vector>
void mend_array(const aiMesh& mesh, const char* what, StandIn by, std::vector<Vector>& values,
                const MeshSettings& settings) {
  const Mended mended = mend(values, by);
  if (mended.count == 0) return;
  settings.warnings->push_back(fmt::format("{} of mesh '{}': {}", what, mesh.mName.C_Str(), mended.sentence()));
}

void add_vertices(const aiMesh& mesh, const MeshSettings& settings, Primitive& primitive) {
  const std::size_t count = mesh.mNumVertices;
  for (std::size_t v = 0; v < count; ++v) primitive.positions.push_back(to_limber(mesh.mVertices[v]));
  mend_array(mesh, "positions", StandIn::kPrevious, primitive.positions, settings);
  if (mesh.HasNormals() && settings.normals) {
    for (std::size_t v = 0; v < count; ++v) primitive.normals.push_back(to_limber(mesh.mNormals[v]));
    mend_array(mesh, "normals", StandIn::kUp, primitive.normals, settings);
    for (Vec3& normal : primitive.normals) normal = normalized(normal);
  }
  for (unsigned set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS && mesh.HasTextureCoords(set); ++set) {
    std::vector<Vec2>& uv = primitive.texcoords.emplace_back();
    for (std::size_t v = 0; v < count; ++v)
      uv.push_back({mesh.mTextureCoords[set][v].x, mesh.mTextureCoords[set][v].y});
    mend_array(mesh, "texture coordinates", StandIn::kZero, uv, settings);
    // glTF counts v from the top.
    for (Vec2& corner : uv) corner.y = 1 - corner.y;
  }
  for (unsigned set = 0; set < AI_MAX_NUMBER_OF_COLOR_SETS && mesh.HasVertexColors(set); ++set) {
    std::vector<Vec4>& colors = primitive.colors.emplace_back();
    for (std::size_t v = 0; v < count; ++v) {
      const aiColor4D& c = mesh.mColors[set][v];
      colors.push_back({c.r, c.g, c.b, c.a});
    }
    mend_array(mesh, "colours", StandIn::kOne, colors, settings);
  }
}

void add_influences(const aiMesh& mesh, const std::vector<int>& joints, const MeshSettings& settings,
                    Primitive& primitive) {
  struct Influence {
    unsigned vertex;
    float weight;
    int joint;
  };
  std::vector<Influence> all;
  std::size_t not_finite = 0;
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    if (joints[b] < 0) continue;
    for (unsigned i = 0; i < mesh.mBones[b]->mNumWeights; ++i) {
      const aiVertexWeight& w = mesh.mBones[b]->mWeights[i];
      if (!std::isfinite(w.mWeight)) {
        ++not_finite;
      } else if (w.mVertexId < mesh.mNumVertices && w.mWeight > 0) {
        all.push_back({w.mVertexId, w.mWeight, joints[b]});
      }
    }
  }
  if (not_finite > 0) {
    settings.warnings->push_back(
        fmt::format("{} weights of mesh '{}' are not finite; zero stands in", not_finite, mesh.mName.C_Str()));
  }
  if (all.empty()) return;
  std::sort(all.begin(), all.end(), [](const Influence& a, const Influence& b) {
    return std::tuple(a.vertex, -a.weight, a.joint) < std::tuple(b.vertex, -b.weight, b.joint);
  });
  std::size_t dropped = 0, rank = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rank = i > 0 && all[i - 1].vertex == all[i].vertex ? rank + 1 : 0;
    if (rank >= kMaxInfluences) {
      ++dropped;
      continue;
    }
    if (rank / 4 >= primitive.influences.size()) {
      InfluenceSet& set = primitive.influences.emplace_back();
      set.joints.resize(mesh.mNumVertices);
      set.weights.resize(mesh.mNumVertices);
    }
    InfluenceSet& set = primitive.influences[rank / 4];
    set.joints[all[i].vertex][rank % 4] = static_cast<std::uint16_t>(all[i].joint);
    set.weights[all[i].vertex][static_cast<int>(rank % 4)] = all[i].weight;
  }
  if (dropped > 0) {
    settings.warnings->push_back(
        fmt::format("kept the {} largest of more influences {} times", kMaxInfluences, dropped));
  }
}

void add_targets(const aiMesh& mesh, const MeshSettings& settings, Primitive& primitive) {
  for (unsigned t = 0; t < mesh.mNumAnimMeshes; ++t) {
    const aiAnimMesh& source = *mesh.mAnimMeshes[t];
    MorphTarget& target = primitive.targets.emplace_back();
    // Assimp gives whole shapes, glTF wants what they add. Something must be there for the target to count.
    target.positions.resize(mesh.mNumVertices);
    if (source.mNumVertices != mesh.mNumVertices) continue;
    for (unsigned v = 0; v < mesh.mNumVertices && source.HasPositions(); ++v) {
      target.positions[v] = to_limber(source.mVertices[v]) - primitive.positions[v];
    }
    mend_array(mesh, "morphed positions", StandIn::kZero, target.positions, settings);
    if (!source.HasNormals() || primitive.normals.empty()) continue;
    target.normals.resize(mesh.mNumVertices);
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      target.normals[v] = to_limber(source.mNormals[v]) - primitive.normals[v];
    }
    mend_array(mesh, "morphed normals", StandIn::kZero, target.normals, settings);
  }
}

}  // namespace

Result<Primitive> convert_mesh(const aiMesh& mesh, const std::vector<int>& joints, const MeshSettings& settings) {
  Primitive primitive;
  primitive.material = static_cast<int>(mesh.mMaterialIndex);
  add_vertices(mesh, settings, primitive);
  LIMBER_CHECK_OK(add_indices(mesh, settings, primitive));
  add_influences(mesh, joints, settings, primitive);
  add_targets(mesh, settings, primitive);
  if (settings.join && primitive.mode == PrimitiveMode::kTriangles) join_vertices(primitive);
  return primitive;
}

}  // namespace limber::asset

#endif
