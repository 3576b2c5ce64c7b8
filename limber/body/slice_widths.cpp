// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/slice_widths.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace limber::body {
namespace {

constexpr int kResolution = 128;  // cells along the longest side
constexpr double kThick = 2;      // cells: how thick slices are

/// The largest eigenvalue of a covariance matrix, by power iteration.
double largest_variance(Mat3d m) {
  const double trace = m.m[0][0] + m.m[1][1] + m.m[2][2];
  if (!(trace > 0)) return 0;
  m = (1 / trace) * m;
  Vec3d v{1, 0.7, 0.4};
  for (int k = 0; k < 40; ++k) v = normalized(m * v, v);
  return trace * dot(v, m * v);
}

}  // namespace

SliceWidths::SliceWidths(const BodyShape& body) {
  // The solid once more in coarse cells.
  const VoxelGrid& fine = body.solid.grid;
  const int longest = std::max({fine.size[0], fine.size[1], fine.size[2]});
  const int factor = std::max(1, (longest + kResolution - 1) / kResolution);
  grid_.cell = factor * fine.cell;
  const double shift = 0.5 * (factor - 1) * fine.cell;
  grid_.origin = fine.origin + Vec3d{shift, shift, shift};
  for (std::size_t a = 0; a < 3; ++a) grid_.size[a] = (fine.size[a] + factor - 1) / factor;
  distance_.assign(grid_.count(), -1);
  for (std::size_t c = 0; c < body.solid.solid.size(); ++c) {
    if (body.solid.solid[c] == 0) continue;
    const std::array<int, 3> p = fine.place(c);
    distance_[grid_.index(p[0] / factor, p[1] / factor, p[2] / factor)] = std::numeric_limits<float>::infinity();
  }
  flood(body);
  cut();
}

template <class Visit>
void SliceWidths::visit_neighbours(std::size_t cell, const Visit& visit) const {
  const std::array<int, 3> p = grid_.place(cell);
  for (int k = -1; k <= 1; ++k) {
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        if (!grid_.contains(p[0] + i, p[1] + j, p[2] + k) || (i == 0 && j == 0 && k == 0)) continue;
        const std::size_t other = grid_.index(p[0] + i, p[1] + j, p[2] + k);
        if (!(distance_[other] < 0)) visit(other, std::sqrt(static_cast<double>(i * i + j * j + k * k)) * grid_.cell);
      }
    }
  }
}

/// Distances from the middle, through cells. Pieces that do not touch begin where the sphere graph bridges to them.
void SliceWidths::flood(const BodyShape& body) {
  using Entry = std::pair<float, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<int> spheres(body.graph.spheres.size());
  std::iota(spheres.begin(), spheres.end(), 0);
  std::stable_sort(spheres.begin(), spheres.end(), [&](int a, int b) {
    return body.paths.distance[static_cast<std::size_t>(a)] < body.paths.distance[static_cast<std::size_t>(b)];
  });
  for (const int s : spheres) {
    const long start = cell_of(body.sphere(s).centre);
    if (start < 0 || !std::isinf(distance_[static_cast<std::size_t>(start)])) continue;
    distance_[static_cast<std::size_t>(start)] = static_cast<float>(body.paths.distance[static_cast<std::size_t>(s)]);
    queue.emplace(distance_[static_cast<std::size_t>(start)], static_cast<std::size_t>(start));
    while (!queue.empty()) {
      const auto [distance, cell] = queue.top();
      queue.pop();
      if (distance > distance_[cell]) continue;
      visit_neighbours(cell, [&, from = distance](std::size_t other, double step) {
        const float through = from + static_cast<float>(step);
        if (!(through < distance_[other])) return;
        distance_[other] = through;
        queue.emplace(through, other);
      });
    }
  }
}

void SliceWidths::cut() {
  slice_.assign(distance_.size(), -1);
  auto level = [&](std::size_t cell) { return std::lround(std::floor(distance_[cell] / (kThick * grid_.cell))); };
  std::vector<std::size_t> cells;
  for (std::size_t seed = 0; seed < distance_.size(); ++seed) {
    if (slice_[seed] >= 0 || distance_[seed] < 0 || std::isinf(distance_[seed])) continue;
    cells.assign(1, seed);
    slice_[seed] = static_cast<int>(slices_.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      visit_neighbours(cells[k], [&](std::size_t other, double) {
        if (slice_[other] >= 0 || std::isinf(distance_[other]) || level(other) != level(seed)) return;
        slice_[other] = slice_[seed];
        cells.push_back(other);
      });
    }
    measure(cells);
  }
}

void SliceWidths::measure(const std::vector<std::size_t>& cells) {
  Slice slice;
  const double share = 1 / static_cast<double>(cells.size());
  for (const std::size_t cell : cells) slice.middle += share * centre(cell);
  Mat3d spread;
  for (const std::size_t cell : cells)
    spread = spread + share * outer(centre(cell) - slice.middle, centre(cell) - slice.middle);
  // Between the centres of its cells: cells that the body only touches make up for the halves at both ends.
  slice.breadth = std::sqrt(12 * largest_variance(spread));
  slices_.push_back(slice);
}

SliceWidths::Slice SliceWidths::at(Vec3d point) const {
  const long cell = cell_of(point);
  if (cell < 0 || slice_[static_cast<std::size_t>(cell)] < 0) return {point, 0};
  return slices_[static_cast<std::size_t>(slice_[static_cast<std::size_t>(cell)])];
}

long SliceWidths::cell_of(Vec3d point) const {
  const Vec3d p = (1 / grid_.cell) * (point - grid_.origin);
  if (!is_finite(p)) return -1;
  std::array<int, 3> place{};
  for (int a = 0; a < 3; ++a) {
    if (!(p[a] > -0.5 && p[a] < grid_.size[static_cast<std::size_t>(a)] - 0.5)) return -1;
    place[static_cast<std::size_t>(a)] = static_cast<int>(std::lround(p[a]));
  }
  return static_cast<long>(grid_.index(place[0], place[1], place[2]));
}

Vec3d SliceWidths::centre(std::size_t cell) const {
  const std::array<int, 3> p = grid_.place(cell);
  return grid_.centre(p[0], p[1], p[2]);
}

}  // namespace limber::body
