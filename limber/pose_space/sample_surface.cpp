// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_conditions.h"

namespace limber::pose_space {
namespace {

constexpr std::size_t kSampled = 1024;
constexpr double kLeastArea = 1e-9;  // squared radii: less is rounding

/// The surface as it is at rest, in the skeleton's space.
std::vector<Vec3d> rest_points(const PoseSkeleton& skeleton, const SkinnedSurface& surface) {
  const std::vector<Affine> bones = kinematics::bone_matrices(skeleton.rig, kinematics::rest_pose(skeleton.rig));
  const auto stride = at(surface.weights.stride);
  std::vector<Vec3d> points;
  points.reserve(surface.points.size());
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    Vec3 place;
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      if (surface.weights.weights[k] > 0)
        place += surface.weights.weights[k] * (bones[surface.weights.bones[k]] * surface.points[i]);
    }
    points.push_back((1 / skeleton.radius) * (skeleton.from_world * (place.cast<double>() - skeleton.root)));
  }
  return points;
}

/// The two pose joints with most weight at the corners of a triangle, the nearer corners' counting more.
void put_joints(const PoseSkeleton& skeleton, const SkinnedSurface& surface,
                const std::array<std::uint32_t, 3>& triangle, const std::array<double, 3>& corners,
                SurfacePoint& point) {
  std::array<double, kMostJoints> sums{};
  const auto stride = at(surface.weights.stride);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t k = triangle[c] * stride; k < (triangle[c] + 1) * stride; ++k) {
      const int joint = skeleton.rig.bones()[surface.weights.bones[k]].joint;
      sums[at(skeleton.carriers[at(joint)])] += corners[c] * surface.weights.weights[k];
    }
  }
  const auto first = std::max_element(sums.begin(), sums.end());
  const double most = *first;
  point.joints[0] = point.joints[1] = static_cast<std::uint8_t>(first - sums.begin());
  *first = 0;
  const auto second = std::max_element(sums.begin(), sums.end());
  if (!(*second > 0)) return;
  point.joints[1] = static_cast<std::uint8_t>(second - sums.begin());
  point.share = static_cast<float>(most / (most + *second));
}

/// Brings `count` points to the front, each as far from those before it as can be.
void spread_first(std::vector<SurfacePoint>& points, std::size_t count) {
  std::vector<float> nearest(points.size(), 1e30f);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t farthest =
        i == 0
            ? 0
            : static_cast<std::size_t>(
                  std::max_element(nearest.begin() + static_cast<std::ptrdiff_t>(i), nearest.end()) - nearest.begin());
    std::swap(points[i], points[farthest]), std::swap(nearest[i], nearest[farthest]);
    for (std::size_t k = i + 1; k < points.size(); ++k)
      nearest[k] = std::min(nearest[k], squared_norm(points[k].place - points[i].place));
  }
}

}  // namespace

std::vector<SurfacePoint> sample_surface(const PoseSkeleton& skeleton, const SkinnedSurface& surface) {
  LIMBER_EXPECT(surface.weights.points() == surface.points.size(), std::to_string(surface.points.size()));
  const std::vector<Vec3d> rest = rest_points(skeleton, surface);
  std::vector<double> sums;
  double area = 0;
  for (const auto& t : surface.triangles)
    sums.push_back(area += 0.5 * norm(cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]])));
  if (!(area > kLeastArea) || !std::isfinite(area)) return {};
  std::vector<SurfacePoint> points;
  Rng rng(0, 31);
  for (std::size_t i = 0; i < kSampled; ++i) {
    const double where = (static_cast<double>(i) + rng.uniform()) / static_cast<double>(kSampled) * area;
    const auto found = std::upper_bound(sums.begin(), sums.end(), where);
    const auto& t = surface.triangles[std::min<std::size_t>(static_cast<std::size_t>(found - sums.begin()),
                                                            surface.triangles.size() - 1)];
    double u = rng.uniform(), v = rng.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const std::array<double, 3> corners{1 - u - v, u, v};
    const Vec3d a = rest[t[0]], ab = rest[t[1]] - a, ac = rest[t[2]] - a;
    SurfacePoint point;
    point.place = (a + u * ab + v * ac).cast<float>(), point.normal = normalized(cross(ab, ac)).cast<float>();
    put_joints(skeleton, surface, t, corners, point);
    points.push_back(point);
  }
  spread_first(points, kSurfacePoints);
  return points;
}

}  // namespace limber::pose_space
