// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "limber/asset/pose.h"
#include "limber/doctor/checks.h"
#include "limber/metrics/mesh_health.h"

namespace limber::doctor {
namespace {

constexpr double kSmall = 0.02, kLarge = 100;  // metres, the longest side: below a mouse, above a whale
constexpr std::size_t kMostNodes = 256;        // with meshes that are looked at one by one

/// What one node shows, as measured.
struct Part {
  std::string name;
  metrics::MeshHealth health;
};

/// The asset with the mesh of one node, and no other.
asset::Asset alone(const asset::Asset& asset, std::size_t node) {
  asset::Asset one;
  one.scenes = asset.scenes, one.scene = asset.scene;
  one.nodes = asset.nodes;
  one.skins = asset.skins;
  for (asset::Node& other : one.nodes) other.mesh = -1;
  one.meshes = {asset.meshes[static_cast<std::size_t>(asset.nodes[node].mesh)]};
  one.nodes[node].mesh = 0;
  return one;
}

/// Node by node, to tell where something is; as a whole where there are very many.
std::vector<Part> measure(const asset::Asset& asset) {
  std::vector<std::size_t> nodes;
  const std::vector<bool> shown = asset::shown_nodes(asset);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (shown[n] && asset.nodes[n].mesh >= 0) nodes.push_back(n);
  }
  if (nodes.size() > kMostNodes) return {{"the whole model", metrics::mesh_health(asset)}};
  std::vector<Part> parts;
  for (const std::size_t n : nodes) {
    parts.push_back({node_name(asset, n), metrics::mesh_health(nodes.size() == 1 ? asset : alone(asset, n))});
  }
  return parts;
}

void check_size(const std::vector<Part>& parts, Findings& findings) {
  Vec3d low{1e300, 1e300, 1e300}, high = -low;
  for (const Part& part : parts) {
    if (part.health.triangles == 0) continue;
    low = min(low, part.health.bounds_min), high = max(high, part.health.bounds_max);
  }
  const Vec3d size = high - low;
  const double longest = std::max({size.x, size.y, size.z});
  if (longest >= kSmall && longest <= kLarge) return;
  findings.push_back({Severity::kWarning,
                      "scale",
                      {"odd_scale",
                       {{"side", longest}},
                       {{"words", longest < kSmall ? "very small" : "very large"}},
                       {{"height", "1.7", "physics"}}},
                      ""});
}

/// One kind of defect: how to count it and what to say of it.
struct Defect {
  Severity severity;
  const char* topic;
  std::size_t (*count)(const metrics::MeshHealth&);
  const char *one, *many;
  const char* code;        ///< of the warning
  bool by_voxels = false;  ///< weights that look across gaps help
};

// table: the defects that are counted
constexpr Defect kDefects[] = {
    {Severity::kNote, "pieces", [](const metrics::MeshHealth& h) { return h.components > 1 ? h.components : 0; },
     "piece that hangs loose", "pieces that do not hold together", "pieces", true},
    {Severity::kNote, "holes", [](const metrics::MeshHealth& h) { return h.boundary_edges; }, "edge on a hole",
     "edges on holes", "holes", true},
    {Severity::kNote, "non-manifold", [](const metrics::MeshHealth& h) { return h.nonmanifold_edges; },
     "edge with three triangles or more", "edges with three triangles or more", "non_manifold", true},
    {Severity::kNote, "degenerate", [](const metrics::MeshHealth& h) { return h.degenerate_triangles; },
     "triangle without area", "triangles without area", "degenerate"},
    {Severity::kNote, "duplicate", [](const metrics::MeshHealth& h) { return h.duplicate_triangles; },
     "triangle twice in the same place", "triangles twice in the same place", "duplicate"},
    {Severity::kWarning, "winding", [](const metrics::MeshHealth& h) { return h.flipped_edges; },
     "edge between triangles that face opposite ways", "edges between triangles that face opposite ways", "flipped"},
    {Severity::kWarning, "winding",
     [](const metrics::MeshHealth& h) { return std::size_t{h.inside_out && h.closed_manifold()}; },
     "closed surface inside out", "closed surfaces inside out", "inside_out"},
    {Severity::kNote, "unused", [](const metrics::MeshHealth& h) { return h.unreferenced_vertices; },
     "vertex that no triangle uses", "vertices that no triangle uses", "unused"},
};

}  // namespace

void check_surface(const asset::Asset& asset, Findings& findings) {
  const std::vector<Part> parts = measure(asset);
  std::size_t triangles = 0;
  for (const Part& part : parts) triangles += part.health.triangles;
  if (triangles == 0) {
    findings.push_back({Severity::kError, "empty", {"no_triangles"}, ""});
    return;
  }
  check_size(parts, findings);
  for (const Defect& defect : kDefects) {
    std::vector<Share> shares;
    std::size_t total = 0;
    for (const Part& part : parts) {
      shares.emplace_back(part.name, defect.count(part.health));
      total += shares.back().second;
    }
    if (total == 0) continue;
    Warning warning{
        defect.code, {{"count", static_cast<double>(total)}}, {{"words", total == 1 ? defect.one : defect.many}}};
    if (defect.by_voxels) warning.fields = {{"weights", "voxel", "rig"}};
    findings.push_back({defect.severity, defect.topic, std::move(warning), list_shares(shares)});
  }
}

}  // namespace limber::doctor
