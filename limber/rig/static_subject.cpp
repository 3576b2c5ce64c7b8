// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/static_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/asset/pose.h"
#include "limber/base/at.h"

namespace limber::rig {
namespace {

constexpr std::size_t kMaxPoints = 20'000'000;

/// Area-weighted normals of the triangles, where the file has none.
std::vector<Vec3> vertex_normals(const StaticSubject& subject) {
  std::vector<Vec3> normals(subject.points.size());
  for (const auto& [a, b, c] : subject.triangles) {
    const Vec3 normal = cross(subject.points[b] - subject.points[a], subject.points[c] - subject.points[a]);
    for (const std::uint32_t corner : {a, b, c}) normals[corner] += normal;
  }
  for (Vec3& n : normals) n = normalized(n);
  return normals;
}

}  // namespace

bool has_skin(const asset::Asset& asset) {
  return std::any_of(asset.nodes.begin(), asset.nodes.end(),
                     [](const asset::Node& node) { return node.mesh >= 0 && node.skin >= 0; });
}

Similarity fit_similarity(const std::vector<Vec3d>& points) {
  if (points.empty()) return {};
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points) low = min(low, p), high = max(high, p);
  const Vec3d size = high - low;
  const double largest = std::max({size.x, size.y, size.z});
  const double height = size.y >= 0.2 * largest ? size.y : largest;
  Similarity similarity;
  similarity.scale = static_cast<float>(height);
  if (!(similarity.scale > 1e-30f) || !std::isfinite(similarity.scale)) similarity.scale = 1;
  similarity.offset = Vec3d{(low.x + high.x) / 2, low.y, (low.z + high.z) / 2}.cast<float>();
  return similarity;
}

Result<ShownGeometry> gather_shown(const asset::Asset& asset) {
  const std::vector<bool> is_shown = asset::shown_nodes(asset);
  const asset::NodeState rest = asset::rest_state(asset);
  ShownGeometry shown;
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const asset::Node& node = asset.nodes[n];
    if (!is_shown[n] || node.mesh < 0) continue;
    const std::string where = fmt::format("{}#/nodes/{}", asset.name, n);
    if (node.skin >= 0) return Error{"has a skin already", where};
    if (!node.instances.empty()) return Error{"is instanced; a skin cannot move its copies", where};
    const asset::Mesh& mesh = asset.meshes[at(node.mesh)];
    const bool mirrored = determinant(rest.world_from_node[n].linear) < 0;
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const asset::Primitive& primitive = mesh.primitives[p];
      const std::size_t first = shown.points.size();
      if (first + primitive.positions.size() > kMaxPoints) {
        return Error{fmt::format("more than {} vertices", kMaxPoints), where};
      }
      shown.ranges.push_back({static_cast<int>(n), node.mesh, static_cast<int>(p), first, primitive.positions.size()});
      for (const Vec3& v : primitive.positions) shown.points.push_back(rest.world_from_node[n] * v.cast<double>());
      for (auto [a, b, c] : asset::triangles(primitive)) {
        if (mirrored) std::swap(b, c);
        const auto base = static_cast<std::uint32_t>(first);
        shown.triangles.push_back({a + base, b + base, c + base});
      }
    }
  }
  if (shown.points.empty()) return Error{"shows no mesh to rig", asset.name};
  return shown;
}

StaticSubject make_static(ShownGeometry shown) {
  StaticSubject subject;
  subject.similarity = fit_similarity(shown.points);
  const Affined subject_from_asset = inverse(subject.similarity.asset_from_subject());
  subject.points.reserve(shown.points.size());
  for (const Vec3d& p : shown.points) subject.points.push_back((subject_from_asset * p).cast<float>());
  subject.triangles = std::move(shown.triangles), subject.ranges = std::move(shown.ranges);
  subject.normals = vertex_normals(subject);
  return subject;
}

Result<StaticSubject> gather_static(const asset::Asset& asset) {
  LIMBER_TRY(ShownGeometry shown, gather_shown(asset));
  return make_static(std::move(shown));
}

}  // namespace limber::rig
