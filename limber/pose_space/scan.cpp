// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/scan.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/rng.h"

namespace limber::pose_space {
namespace {

Vec3d area_of(std::span<const Vec3d> points, const body::Triangle& t) {
  return 0.5 * cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
}

}  // namespace

std::vector<BodyPoint> draw_points(std::span<const Vec3d> points, std::span<const body::Triangle> triangles, int count,
                                   std::uint64_t seed) {
  std::vector<double> sums;
  double area = 0;
  for (const body::Triangle& t : triangles) sums.push_back(area += norm(area_of(points, t)));
  if (!(area > 0) || !std::isfinite(area)) return {};
  Rng rng(seed, 51);
  std::vector<BodyPoint> drawn;
  for (int i = 0; i < count; ++i) {
    // A place in each of equal shares of the area: more even than anywhere.
    const double where = (i + rng.uniform()) / count * area;
    const auto found = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), where) - sums.begin());
    double u = rng.uniform(), v = rng.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    drawn.push_back({triangles[std::min(found, triangles.size() - 1)], {1 - u - v, u, v}});
  }
  return drawn;
}

Result<Scan> Scan::make(std::span<const Vec3> points, std::span<const body::Triangle> triangles, int samples,
                        std::uint64_t seed) {
  LIMBER_EXPECT(samples > 0, std::to_string(samples));
  const body::WeldedSurface surface = body::weld(points, triangles);
  const std::vector<BodyPoint> drawn = draw_points(surface.points, surface.triangles, samples, seed);
  if (drawn.empty()) return Error{"a scan without any surface", ""};
  Scan scan;
  for (const BodyPoint& point : drawn) {
    const auto& p = surface.points;
    const Vec3d place = point.shares.x * p[point.corners[0]] + point.shares.y * p[point.corners[1]] +
                        point.shares.z * p[point.corners[2]];
    scan.samples_.push_back({place, normalized(area_of(p, point.corners))});
    scan.centre_ += (1.0 / samples) * place;
  }
  for (const body::Triangle& t : surface.triangles) scan.normals_.push_back(normalized(area_of(surface.points, t)));
  scan.triangles_ = std::make_shared<const body::TriangleBvh>(surface.points, surface.triangles);
  return scan;
}

std::optional<FacingPoint> Scan::nearest(Vec3d place, double farthest) const {
  const std::optional<body::SurfacePoint> found = triangles_->closest(place, farthest);
  if (!found) return std::nullopt;
  return FacingPoint{found->position, normals_[found->triangle]};
}

}  // namespace limber::pose_space
