// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/color_clusters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::parts {
namespace {

constexpr int kSteps = 40;
constexpr double kReach = 3;       // of the kernel, in bandwidths
constexpr double kApart = 1.2;     // modes that are nearer to each other are one, in bandwidths
constexpr double kSettled = 0.01;  // a step, in bandwidths

/// Colours that are nearly alike.
struct Cell {
  Vec3d sum;
  double count = 0;
  int column = 0;  ///< along the first axis; cells are in its order
  Vec3d mean() const { return sum / count; }
};

std::vector<Cell> gather(std::span<const Vec3> colors, double size) {
  std::map<std::array<int, 3>, Cell> cells;  // ordered: the result does not depend on a hash
  for (const Vec3& c : colors) {
    std::array<int, 3> key;
    Vec3d color;
    // Whatever a network says stays within a few cells of the range of colours.
    for (int k = 0; k < 3; ++k) {
      color[k] = std::clamp(double(c[k]), -1.0, 2.0);
      key[static_cast<std::size_t>(k)] = static_cast<int>(std::floor(color[k] / size));
    }
    Cell& cell = cells[key];
    cell.sum += color, cell.count += 1, cell.column = key[0];
  }
  std::vector<Cell> list;
  for (const auto& [key, cell] : cells) list.push_back(cell);
  return list;
}

/// Where a colour drifts to.
Vec3d climb(Vec3d from, const std::vector<Cell>& cells, double size, double bandwidth) {
  const double reach = kReach * kReach * bandwidth * bandwidth, scale = -0.5 / (bandwidth * bandwidth);
  for (int step = 0; step < kSteps; ++step) {
    Vec3d sum;
    double weight = 0;
    const auto column = [&](double x) { return static_cast<int>(std::floor(x / size)); };
    const int last = column(from.x + kReach * bandwidth);
    auto next_cell = std::lower_bound(cells.begin(), cells.end(), column(from.x - kReach * bandwidth),
                                      [](const Cell& cell, int first) { return cell.column < first; });
    for (; next_cell != cells.end() && next_cell->column <= last; ++next_cell) {
      const Cell& cell = *next_cell;
      const Vec3d mean = cell.mean();
      const double apart = squared_norm(mean - from);
      if (apart > reach) continue;
      const double w = cell.count * std::exp(scale * apart);
      sum += w * mean, weight += w;
    }
    if (!(weight > 0)) return from;
    const Vec3d next = sum / weight;
    const double moved = norm(next - from);
    from = next;
    if (moved < kSettled * bandwidth) break;
  }
  return from;
}

/// Modes with the colours that drift to them, largest first; those close together count as one.
std::vector<Cell> find_modes(const std::vector<Cell>& cells, double size, double bandwidth) {
  std::vector<Vec3d> ends(cells.size());
  parallel_for(cells.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ends[i] = climb(cells[i].mean(), cells, size, bandwidth);
  });
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cells[a].count > cells[b].count; });
  std::vector<Cell> modes;
  for (const std::size_t i : order) {
    auto mode = std::find_if(modes.begin(), modes.end(),
                             [&](const Cell& m) { return norm(m.mean() - ends[i]) < kApart * bandwidth; });
    if (mode == modes.end()) mode = modes.insert(modes.end(), Cell{});
    mode->sum += cells[i].count * ends[i], mode->count += cells[i].count;
  }
  std::stable_sort(modes.begin(), modes.end(), [](const Cell& a, const Cell& b) { return a.count > b.count; });
  return modes;
}

}  // namespace

int nearest_center(std::span<const Vec3> centers, Vec3 color) {
  std::size_t best = 0;
  float least = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    const float apart = squared_norm(centers[i] - color);
    if (apart < least) least = apart, best = i;
  }
  return static_cast<int>(best);
}

ColorClusters cluster_colors(std::span<const Vec3> colors, const ClusterSettings& settings) {
  LIMBER_EXPECT(settings.bandwidth > 0 && settings.most >= 1, std::to_string(settings.bandwidth));
  ColorClusters clusters;
  if (colors.empty()) return clusters;
  const double size = 0.5 * settings.bandwidth;
  const std::vector<Cell> modes = find_modes(gather(colors, size), size, settings.bandwidth);
  const double least = settings.least_share * static_cast<double>(colors.size());
  for (const Cell& mode : modes) {
    if (!clusters.centers.empty() && (mode.count < least || static_cast<int>(clusters.centers.size()) >= settings.most))
      break;
    clusters.centers.push_back(mode.mean().cast<float>());
  }
  for (const Vec3& c : colors) clusters.labels.push_back(nearest_center(clusters.centers, c));
  return clusters;
}

}  // namespace limber::parts
