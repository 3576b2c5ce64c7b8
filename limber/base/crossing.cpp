// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/crossing.h"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// Whether the segment from a to b passes through a triangle.
bool pierces(Vec3d a, Vec3d b, const Corners& t) {
  const Vec3d normal = cross(t[1] - t[0], t[2] - t[0]), along = b - a;
  const double facing = dot(normal, along);
  if (std::abs(facing) < 1e-18) return false;
  const double place = dot(normal, t[0] - a) / facing;
  if (place <= 0 || place >= 1) return false;
  const Vec3d hit = a + place * along;
  const auto inside = [&](Vec3d from, Vec3d to) { return dot(normal, cross(to - from, hit - from)) > 0; };
  return inside(t[0], t[1]) && inside(t[1], t[2]) && inside(t[2], t[0]);
}

struct Box {
  Vec3d low, high;
};

bool overlap(const Box& a, const Box& b) {
  for (int k = 0; k < 3; ++k) {
    if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return false;
  }
  return true;
}

/// Cells twice as wide as triangles are in the mean: few triangles are in several, few share one. One that is far
/// larger than the others is in 128 x 128 x 128 cells at most.
double cell_size(std::span<const Box> boxes) {
  double sum = 0;
  Box all{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
  const auto widest = [](const Box& box) {
    const Vec3d size = box.high - box.low;
    return std::max({size.x, size.y, size.z});
  };
  for (const Box& box : boxes) {
    sum += widest(box);
    all = {min(all.low, box.low), max(all.high, box.high)};
  }
  return std::max({2 * sum / static_cast<double>(boxes.size()), widest(all) / 128, 1e-300});
}

struct Entry {
  std::uint32_t cell, triangle;
  auto operator<=>(const Entry&) const = default;
};

using Cell = std::array<std::uint32_t, 3>;

Cell cell_of(Vec3d place, Vec3d origin, double size) {
  Cell cell;
  for (int k = 0; k < 3; ++k)
    cell[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>((place[k] - origin[k]) / size);
  return cell;
}

constexpr std::uint32_t number_of(Cell cell) { return cell[0] + 256 * (cell[1] + 256 * cell[2]); }

/// Every triangle in every cell that its box touches, sorted by cell.
std::vector<Entry> fill_cells(std::span<const Box> boxes, Vec3d origin, double size) {
  std::vector<Entry> entries;
  entries.reserve(3 * boxes.size());
  for (std::uint32_t t = 0; t < boxes.size(); ++t) {
    const Cell low = cell_of(boxes[t].low, origin, size), high = cell_of(boxes[t].high, origin, size);
    for (std::uint32_t z = low[2]; z <= high[2]; ++z)
      for (std::uint32_t y = low[1]; y <= high[1]; ++y)
        for (std::uint32_t x = low[0]; x <= high[0]; ++x) entries.push_back({number_of({x, y, z}), t});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

bool cross_each_other(const Corners& s, const Corners& t) {
  const auto edges_pierce = [](const Corners& of, const Corners& other) {
    return pierces(of[0], of[1], other) || pierces(of[1], of[2], other) || pierces(of[2], of[0], other);
  };
  return edges_pierce(s, t) || edges_pierce(t, s);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> crossing_pairs(
    std::span<const Vec3d> points, std::span<const std::array<std::uint32_t, 3>> triangles) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  if (triangles.empty()) return found;
  const auto corners = [&](std::uint32_t t) {
    return Corners{points[triangles[t][0]], points[triangles[t][1]], points[triangles[t][2]]};
  };
  const auto share_corner = [&](std::uint32_t s, std::uint32_t t) {
    return std::find_first_of(triangles[s].begin(), triangles[s].end(), triangles[t].begin(), triangles[t].end()) !=
           triangles[s].end();
  };
  std::vector<Box> boxes;
  boxes.reserve(triangles.size());
  Vec3d origin{1e300, 1e300, 1e300};
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const Corners c = corners(t);
    boxes.push_back({min(c[0], min(c[1], c[2])), max(c[0], max(c[1], c[2]))});
    origin = min(origin, boxes.back().low);
  }
  const double size = cell_size(boxes);
  const std::vector<Entry> entries = fill_cells(boxes, origin, size);
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    while (end < entries.size() && entries[end].cell == entries[begin].cell) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i + 1; j < end; ++j) {
        const std::uint32_t s = entries[i].triangle, t = entries[j].triangle;
        if (!overlap(boxes[s], boxes[t]) || share_corner(s, t)) continue;
        // Once: in the lowest cell that both boxes touch.
        const Cell shared = cell_of(max(boxes[s].low, boxes[t].low), origin, size);
        if (number_of(shared) == entries[begin].cell && cross_each_other(corners(s), corners(t)))
          found.push_back({s, t});
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace limber
