// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/triangulate.h"

#include <numeric>

namespace limber::asset {
namespace {

constexpr std::size_t kMaxClipped = 256;

/// Twice the area vector of the polygon (Newell): its direction is the normal, also of one that is not quite flat.
Vec3d newell_normal(std::span<const Vec3> corners) {
  Vec3d normal;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    normal += cross((corners[i] - corners[0]).cast<double>(), (corners[i + 1] - corners[0]).cast<double>());
  }
  return normal;
}

/// Whether the corner `ring[i]` can be cut off: it is convex, and no other corner lies in its triangle.
bool is_ear(std::span<const Vec3> corners, const std::vector<std::uint32_t>& ring, std::size_t i, Vec3d normal) {
  const std::size_t n = ring.size();
  const Vec3 a = corners[ring[(i + n - 1) % n]], b = corners[ring[i]], c = corners[ring[(i + 1) % n]];
  const auto side = [&](Vec3 from, Vec3 to, Vec3 point) {
    return dot(cross((to - from).cast<double>(), (point - from).cast<double>()), normal);
  };
  if (!(side(a, b, c) > 0)) return false;
  for (const std::uint32_t other : ring) {
    const Vec3 p = corners[other];
    if (p == a || p == b || p == c) continue;
    if (side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0) return false;
  }
  return true;
}

}  // namespace

std::vector<std::array<std::uint32_t, 3>> triangulate_polygon(std::span<const Vec3> corners) {
  std::vector<std::array<std::uint32_t, 3>> result;
  if (corners.size() < 3) return result;
  result.reserve(corners.size() - 2);
  const auto count = static_cast<std::uint32_t>(corners.size());
  if (count == 3 || count > kMaxClipped) {
    for (std::uint32_t i = 1; i + 1 < count; ++i) result.push_back({0, i, i + 1});
    return result;
  }
  const Vec3d normal = newell_normal(corners);
  std::vector<std::uint32_t> ring(corners.size());
  std::iota(ring.begin(), ring.end(), 0u);
  while (ring.size() > 3) {
    // From the second corner on, so that convex polygons become fans; without any ear the second goes all the same.
    std::size_t ear = 1;
    while (ear < ring.size() && !is_ear(corners, ring, ear, normal)) ++ear;
    if (ear == ring.size()) ear = is_ear(corners, ring, 0, normal) ? 0 : 1;
    result.push_back({ring[(ear + ring.size() - 1) % ring.size()], ring[ear], ring[(ear + 1) % ring.size()]});
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  result.push_back({ring[0], ring[1], ring[2]});
  return result;
}

}  // namespace limber::asset
