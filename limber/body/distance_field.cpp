// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/distance_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/threads.h"

namespace limber::body {
namespace {

constexpr float kFar = 1e12f;

double mix(double a, double b, double s) { return a + s * (b - a); }

/// Scratch of one line of the transform.
struct Line {
  std::vector<float> value, result;
  std::vector<std::uint32_t> site, result_site;
  std::vector<int> parabola;
  std::vector<float> from;
  explicit Line(int length)
      : value(static_cast<std::size_t>(length)),
        result(static_cast<std::size_t>(length)),
        site(static_cast<std::size_t>(length)),
        result_site(static_cast<std::size_t>(length)),
        parabola(static_cast<std::size_t>(length)),
        from(static_cast<std::size_t>(length) + 1) {}

  /// Cells that are the target themselves part the line: nothing beyond one is nearer than it.
  template <bool kSites>
  void transform(int length) {
    for (int q = 0; q < length;) {
      const auto at = static_cast<std::size_t>(q);
      if (value[at] == 0) {
        result[at] = 0;
        if constexpr (kSites) result_site[at] = site[at];
        ++q;
        continue;
      }
      int end = q;
      while (end < length && value[static_cast<std::size_t>(end)] != 0) ++end;
      transform_run<kSites>(std::max(0, q - 1), std::min(length, end + 1));
      q = end;
    }
  }

 private:
  /// The lower envelope of parabolas (Felzenszwalb and Huttenlocher 2012).
  template <bool kSites>
  void transform_run(int begin, int end) {
    int count = 0;
    for (int q = begin; q < end; ++q) {
      const float height = value[static_cast<std::size_t>(q)];
      if (height >= kFar) continue;
      float start = -std::numeric_limits<float>::infinity();
      while (count > 0) {
        const int p = parabola[static_cast<std::size_t>(count - 1)];
        const double rise = (static_cast<double>(height) + static_cast<double>(q) * q) -
                            (static_cast<double>(value[static_cast<std::size_t>(p)]) + static_cast<double>(p) * p);
        start = static_cast<float>(rise / (2.0 * (q - p)));
        if (start > from[static_cast<std::size_t>(count - 1)]) break;
        --count;
        start = -std::numeric_limits<float>::infinity();
      }
      parabola[static_cast<std::size_t>(count)] = q, from[static_cast<std::size_t>(count)] = start;
      ++count;
    }
    if (count == 0) {
      std::fill(result.begin() + begin, result.begin() + end, kFar);
      return;
    }
    int k = 0;
    for (int q = begin; q < end; ++q) {
      while (k + 1 < count && from[static_cast<std::size_t>(k + 1)] < static_cast<float>(q)) ++k;
      const auto p = static_cast<std::size_t>(parabola[static_cast<std::size_t>(k)]);
      const auto distance = static_cast<float>(q - static_cast<int>(p));
      result[static_cast<std::size_t>(q)] = distance * distance + value[p];
      if constexpr (kSites) result_site[static_cast<std::size_t>(q)] = site[p];
    }
  }
};

/// Along the first axis, where cells are the target or not: the nearest one on either side, in two passes.
template <bool kSites>
void first_transform(const SolidProxy& solid, std::uint8_t target, std::vector<float>& distance,
                     std::vector<std::uint32_t>& nearest) {
  const VoxelGrid& grid = solid.grid;
  const auto length = static_cast<std::size_t>(grid.size[0]);
  parallel_for(grid.count() / length, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t l = begin; l < end; ++l) {
      const std::size_t first = l * length, last = first + length;
      std::size_t seen = last;  // none yet
      for (std::size_t c = first; c < last; ++c) {
        if (solid.solid[c] == target) seen = c;
        distance[c] = seen == last ? kFar : static_cast<float>((c - seen) * (c - seen));
        if constexpr (kSites) nearest[c] = static_cast<std::uint32_t>(seen == last ? c : seen);
      }
      seen = last;
      for (std::size_t c = last; c-- > first;) {
        if (solid.solid[c] == target) seen = c;
        if (seen == last) continue;
        const auto off = static_cast<float>((seen - c) * (seen - c));
        if (off >= distance[c]) continue;
        distance[c] = off;
        if constexpr (kSites) nearest[c] = static_cast<std::uint32_t>(seen);
      }
    }
  });
}

/// Squared distance in cells from every cell to the nearest one whose `solid` equals `target`, and with `kSites` which
/// one that is.
template <bool kSites>
void distance_transform(const SolidProxy& solid, std::uint8_t target, std::vector<float>& distance,
                        std::vector<std::uint32_t>& nearest) {
  const VoxelGrid& grid = solid.grid;
  distance.resize(grid.count());
  if constexpr (kSites) nearest.resize(grid.count());
  first_transform<kSites>(solid, target, distance, nearest);
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(grid.size[0]),
      static_cast<std::size_t>(grid.size[0]) * static_cast<std::size_t>(grid.size[1])};
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const std::size_t ua = 0, va = axis == 2 ? 1 : 2;
    const int length = grid.size[axis];
    const auto width = static_cast<std::size_t>(grid.size[ua]), height = static_cast<std::size_t>(grid.size[va]);
    parallel_for(width * height, 256, [&](std::size_t begin, std::size_t end) {
      Line line(length);
      for (std::size_t l = begin; l < end; ++l) {
        const std::size_t first = l % width * stride[ua] + l / width * stride[va];
        bool all_target = true;
        for (std::size_t q = 0; q < static_cast<std::size_t>(length); ++q) {
          line.value[q] = distance[first + q * stride[axis]];
          all_target = all_target && line.value[q] == 0;
        }
        if (all_target) continue;
        for (std::size_t q = 0; kSites && q < static_cast<std::size_t>(length); ++q) {
          line.site[q] = nearest[first + q * stride[axis]];
        }
        line.transform<kSites>(length);
        for (std::size_t q = 0; q < static_cast<std::size_t>(length); ++q) {
          distance[first + q * stride[axis]] = line.result[q];
          if constexpr (kSites) {
            if (line.result[q] < kFar) nearest[first + q * stride[axis]] = line.result_site[q];
          }
        }
      }
    });
  }
}

}  // namespace

DistanceField::DistanceField(const SolidProxy& solid) : grid_(solid.grid) {
  std::vector<float> inside, outside;
  distance_transform<false>(solid, 1, outside, nearest_);
  distance_transform<true>(solid, 0, inside, nearest_);
  const auto cell = static_cast<float>(grid_.cell);
  depth_.resize(grid_.count());
  for (std::size_t c = 0; c < depth_.size(); ++c) {
    // The boundary lies halfway between the last cell inside and the first outside.
    depth_[c] = solid.solid[c] != 0 ? cell * (std::sqrt(inside[c]) - 0.5f) : -cell * (std::sqrt(outside[c]) - 0.5f);
  }
}

DistanceField::Cell DistanceField::cell_at(Vec3d point) const {
  const Vec3d p = (1 / grid_.cell) * (point - grid_.origin);
  std::array<int, 3> low;
  Cell cell;
  for (int a = 0; a < 3; ++a) {
    const double last = grid_.size[static_cast<std::size_t>(a)] - 1;
    const double clamped = std::clamp(p[a], 0.0, last);
    cell.beyond[a] = (p[a] - clamped) * grid_.cell;
    low[static_cast<std::size_t>(a)] = std::min(static_cast<int>(clamped), static_cast<int>(last) - 1);
    cell.at[a] = clamped - low[static_cast<std::size_t>(a)];
  }
  const std::size_t first = grid_.index(low[0], low[1], low[2]);
  const auto row = static_cast<std::size_t>(grid_.size[0]), slice = row * static_cast<std::size_t>(grid_.size[1]);
  for (std::size_t k = 0; k < 8; ++k) {
    cell.corners[k] = depth_[first + (k & 1) + ((k >> 1) & 1) * row + (k >> 2) * slice];
  }
  return cell;
}

DistanceField::Sample DistanceField::sample(Vec3d point) const {
  const Cell cell = cell_at(point);
  const std::array<double, 8>& v = cell.corners;
  const double x = cell.at.x, y = cell.at.y, z = cell.at.z;
  const double y0z0 = mix(v[0], v[1], x), y1z0 = mix(v[2], v[3], x), y0z1 = mix(v[4], v[5], x),
               y1z1 = mix(v[6], v[7], x);
  const double z0 = mix(y0z0, y1z0, y), z1 = mix(y0z1, y1z1, y);
  Sample sample;
  sample.depth = mix(z0, z1, z);
  sample.gradient.x = mix(mix(v[1] - v[0], v[3] - v[2], y), mix(v[5] - v[4], v[7] - v[6], y), z) / grid_.cell;
  sample.gradient.y = mix(y1z0 - y0z0, y1z1 - y0z1, z) / grid_.cell;
  sample.gradient.z = (z1 - z0) / grid_.cell;
  const double outside = norm(cell.beyond);
  if (outside > 0) {
    sample.depth -= outside;
    sample.gradient = -(1 / outside) * cell.beyond;
  }
  return sample;
}

double DistanceField::depth(Vec3d point) const {
  const Cell cell = cell_at(point);
  const std::array<double, 8>& v = cell.corners;
  const double x = cell.at.x, y = cell.at.y;
  const double z0 = mix(mix(v[0], v[1], x), mix(v[2], v[3], x), y);
  const double z1 = mix(mix(v[4], v[5], x), mix(v[6], v[7], x), y);
  const double depth = mix(z0, z1, cell.at.z);
  return squared_norm(cell.beyond) > 0 ? depth - norm(cell.beyond) : depth;
}

bool DistanceField::clear(Vec3d a, Vec3d b, double depth) const {
  const double length = norm(b - a);
  const Vec3d direction = length > 0 ? (1 / length) * (b - a) : Vec3d{};
  for (double at = 0; at < length;) {
    const double here = this->depth(a + at * direction);
    if (here < depth) return false;
    at += std::max(here - depth, 0.5 * grid_.cell);
  }
  return this->depth(b) >= depth;
}

}  // namespace limber::body
