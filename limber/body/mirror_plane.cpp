// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/mirror_plane.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace limber::body {
namespace {

/// Points far off count as this far, of the size: one arm in another pose must not hide that the rest agrees.
constexpr double kFarOff = 0.08;

double mirror_error(std::span<const Vec3d> samples, std::size_t step, const DistanceField& field, double size,
                    const MirrorPlane& plane) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < samples.size(); k += step, ++count) {
    // Surface inside the body (where shells overlap) is to be mirrored to the same depth.
    const double off = field.depth(plane.mirror(samples[k])) - field.depth(samples[k]);
    sum += std::min(std::abs(off), kFarOff * size);
  }
  return count > 0 ? sum / (static_cast<double>(count) * size) : 1;
}

Vec3d mean(std::span<const Vec3d> samples) {
  Vec3d sum;
  for (const Vec3d& p : samples) sum += p;
  return samples.empty() ? sum : (1.0 / static_cast<double>(samples.size())) * sum;
}

/// What a pattern search may change of a plane.
enum class Search : std::uint8_t { kOffset, kOffsetAndNormal };

MirrorPlane refine(std::span<const Vec3d> samples, std::size_t step, const DistanceField& field, double size,
                   MirrorPlane plane, Search search) {
  plane.error = mirror_error(samples, step, field, size, plane);
  const Vec3d pivot = mean(samples);
  const int moves = search == Search::kOffset ? 2 : 6;
  for (double reach = 0.1; reach > 0.0008; reach *= 0.5) {
    for (bool better = true; better;) {
      better = false;
      const Vec3d u = normalized(cross(plane.normal, std::abs(plane.normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
      const Vec3d v = cross(plane.normal, u);
      for (int move = 0; move < moves; ++move) {
        MirrorPlane moved = plane;
        const double sign = move % 2 == 0 ? 1 : -1;
        if (move < 2) {
          moved.offset += sign * reach * size;
        } else {
          // Turn about the body's middle.
          const double through = plane.side(pivot);
          moved.normal = normalized(plane.normal + sign * reach * (move < 4 ? u : v));
          moved.offset = dot(moved.normal, pivot) - through;
        }
        moved.error = mirror_error(samples, step, field, size, moved);
        if (moved.error < plane.error - 1e-9) plane = moved, better = true;
      }
    }
  }
  return plane;
}

}  // namespace

std::vector<Vec3d> sample_surface(const WeldedSurface& surface, int count) {
  double total = 0;
  std::vector<double> below(surface.triangles.size() + 1, 0);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& c = surface.triangles[t];
    total += norm(cross(surface.points[c[1]] - surface.points[c[0]], surface.points[c[2]] - surface.points[c[0]]));
    below[t + 1] = total;
  }
  std::vector<Vec3d> samples;
  if (!(total > 0)) {
    samples = surface.points;
    return samples;
  }
  samples.reserve(static_cast<std::size_t>(count));
  std::size_t t = 0;
  for (int k = 0; k < count; ++k) {
    const double at = total * (k + 0.5) / count;
    while (t + 1 < surface.triangles.size() && below[t + 1] < at) ++t;
    // A low-discrepancy point of the triangle (Roberts' R2 sequence).
    double u = std::fmod(0.5 + 0.7548776662466927 * k, 1.0), v = std::fmod(0.5 + 0.5698402909980532 * k, 1.0);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const Triangle& c = surface.triangles[t];
    samples.push_back((1 - u - v) * surface.points[c[0]] + u * surface.points[c[1]] + v * surface.points[c[2]]);
  }
  return samples;
}

std::vector<MirrorPlane> find_mirror_planes(std::span<const Vec3d> samples, const DistanceField& field, double size) {
  constexpr int kDirections = 90, kRefined = 5;
  const std::size_t coarse = std::max<std::size_t>(1, samples.size() / 250),
                    fine = std::max<std::size_t>(1, samples.size() / 700);
  const Vec3d middle = mean(samples);
  std::vector<MirrorPlane> planes;
  for (const Vec3d axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
    MirrorPlane plane{axis, dot(axis, middle), 1};
    plane = refine(samples, fine, field, size, plane, Search::kOffset);
    plane.error = mirror_error(samples, 1, field, size, plane);
    planes.push_back(plane);
  }
  std::vector<MirrorPlane> tilted;
  for (int k = 0; k < kDirections; ++k) {
    // Half a sphere of directions along a golden spiral.
    const double z = (k + 0.5) / kDirections, r = std::sqrt(1 - z * z), angle = kPi * (3 - std::sqrt(5.0)) * k;
    MirrorPlane plane{{r * std::cos(angle), r * std::sin(angle), z}, 0, 1};
    plane.offset = dot(plane.normal, middle);
    plane.error = mirror_error(samples, coarse, field, size, plane);
    tilted.push_back(plane);
  }
  std::stable_sort(tilted.begin(), tilted.end(), [](const auto& a, const auto& b) { return a.error < b.error; });
  for (int k = 0; k < kRefined; ++k) {
    MirrorPlane plane =
        refine(samples, fine, field, size, tilted[static_cast<std::size_t>(k)], Search::kOffsetAndNormal);
    plane.error = mirror_error(samples, 1, field, size, plane);
    // An axis is what a modeller means; a tilted plane near it must be clearly better.
    const bool known = std::any_of(planes.begin(), planes.end(), [&](const MirrorPlane& p) {
      const double cosine = std::abs(dot(p.normal, plane.normal));
      return cosine > 0.995 || (cosine > 0.9 && p.error < 1.5 * plane.error + 0.002);
    });
    if (!known) planes.push_back(plane);
  }
  std::stable_sort(planes.begin() + 3, planes.end(), [](const auto& a, const auto& b) { return a.error < b.error; });
  if (planes.size() > 6) planes.resize(6);
  return planes;
}

}  // namespace limber::body
