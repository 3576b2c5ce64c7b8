// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/coat.h"

#include <algorithm>
#include <cmath>

namespace limber::zoo {
namespace {

/// A random number in [0, 1) for a lattice point.
double lattice(int x, int y, int z, std::uint64_t seed) {
  std::uint64_t h = seed + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(x + 1000) +
                    0xbf58476d1ce4e5b9ull * static_cast<std::uint64_t>(y + 1000) +
                    0x94d049bb133111ebull * static_cast<std::uint64_t>(z + 1000);
  h = (h ^ (h >> 31)) * 0xd6e8feb86659fd93ull;
  h = (h ^ (h >> 29)) * 0xd6e8feb86659fd93ull;
  return static_cast<double>(h >> 11) * 0x1.0p-53;
}

/// Smooth value noise in [0, 1).
double noise(Vec3d p, std::uint64_t seed) {
  const Vec3d floor{std::floor(p.x), std::floor(p.y), std::floor(p.z)};
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const Vec3d t{ease(p.x - floor.x), ease(p.y - floor.y), ease(p.z - floor.z)};
  const int x = static_cast<int>(floor.x), y = static_cast<int>(floor.y), z = static_cast<int>(floor.z);
  double sum = 0;
  for (int c = 0; c < 8; ++c) {
    const int i = c & 1, j = (c >> 1) & 1, k = c >> 2;
    sum += (i ? t.x : 1 - t.x) * (j ? t.y : 1 - t.y) * (k ? t.z : 1 - t.z) * lattice(x + i, y + j, z + k, seed);
  }
  return sum;
}

double ramp(double low, double high, double x) { return std::clamp((x - low) / (high - low), 0.0, 1.0); }

/// How much of the accent's colour there is at a point, 0 to 1.
double pattern(const Coat& coat, Vec3d p, Vec3d normal, std::uint64_t seed) {
  // Both flanks alike, as a rough symmetry.
  const Vec3d q = Vec3d{std::abs(p.x), p.y, p.z} / coat.pattern_size;
  switch (coat.pattern) {
    case CoatPattern::kPlain:
      return 0;
    case CoatPattern::kSpots:
      return ramp(0.62, 0.7, noise(1.6 * q, seed)) * ramp(-0.6, 0.0, normal.y);
    case CoatPattern::kStripes:
      return ramp(0.25, 0.55, std::sin(3.6 * q.z + 2.5 * noise(q, seed))) * ramp(-0.7, 0.1, normal.y);
    case CoatPattern::kPatches:
      return ramp(0.52, 0.56, noise(0.6 * q, seed));
    case CoatPattern::kSaddle:
      return ramp(0.35, 0.75, normal.y + 0.4 * noise(q, seed) - 0.2);
  }
  return 0;
}

}  // namespace

std::vector<Vec4> coat_colors(const BodyPlan& plan, const PolygonMesh& mesh, std::uint64_t seed) {
  double height = 0;
  for (const Vec3d& p : mesh.points) height = std::max(height, p.y);
  const Coat& coat = plan.coat;
  std::vector<Vec4> colors;
  colors.reserve(mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3d p = mesh.points[v], n = mesh.normals[v];
    Vec3d color = lerp(coat.belly, coat.back, ramp(-0.75, 0.25, n.y));
    color = lerp(color, coat.accent, pattern(coat, p, n, seed));
    if (plan.flat_ground)
      color = lerp(color, coat.accent, 1 - ramp(0.9, 1.1, p.y / std::max(coat.socks * height, 1e-9)));
    color *= 0.94 + 0.12 * noise(40.0 * p, seed + 1);
    for (const Spot& spot : plan.spots) {
      color = lerp(color, spot.color, 1 - ramp(0.75, 1.0, norm(p - spot.centre) / spot.radius));
    }
    const Vec3 c = color.cast<float>();
    colors.push_back({std::min(c.x, 1.0f), std::min(c.y, 1.0f), std::min(c.z, 1.0f), 1.0f});
  }
  return colors;
}

std::vector<Vec2> side_view_texcoords(const PolygonMesh& mesh) {
  Vec3d lower = mesh.points[0], upper = mesh.points[0];
  for (const Vec3d& p : mesh.points) lower = min(lower, p), upper = max(upper, p);
  const double size = std::max(upper.y - lower.y, upper.z - lower.z);
  std::vector<Vec2> texcoords;
  texcoords.reserve(mesh.points.size());
  for (const Vec3d& p : mesh.points) {
    texcoords.push_back({static_cast<float>((p.z - lower.z) / size), static_cast<float>((upper.y - p.y) / size)});
  }
  return texcoords;
}

}  // namespace limber::zoo
