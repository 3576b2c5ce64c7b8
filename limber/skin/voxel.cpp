// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/voxel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "limber/base/at.h"
#include "limber/base/threads.h"
#include "limber/skin/diffusion.h"

namespace limber::skin {
namespace {

constexpr int kPerCell = 4;               ///< bones remembered in a cell
constexpr std::size_t kMaxCells = 60000;  ///< of the solid; the grid is made coarser above
constexpr int kSnapCells = 5;             ///< how far a bone outside may be from the solid, in cells
constexpr float kFar = std::numeric_limits<float>::infinity();

struct Entry {
  int bone = -1;
  float distance = kFar;
};

/// Fine enough that the thinnest bone at the end of a chain is three cells thick.
int choose_resolution(const SkinBody& body, std::span<const SkinBone> bones) {
  double thinnest = std::numeric_limits<double>::infinity();
  for (const SkinBone& bone : bones) {
    if (bone.segments.size() != 1) continue;
    const double depth = body.field.depth(lerp(bone.segments[0].from, bone.segments[0].to, 0.5));
    if (depth > 0) thinnest = std::min(thinnest, depth);
  }
  const double longest = body.surface.longest_side();
  return std::isfinite(thinnest) ? static_cast<int>(std::clamp(3 * longest / thinnest, 96.0, 192.0)) : 96;
}

/// Distances through the solid cells from every bone.
class VoxelDistances {
 public:
  VoxelDistances(const body::SolidProxy& solid, std::span<const SkinBone> bones)
      : solid_(solid), number_(solid.grid.count(), -1) {
    for (std::size_t cell = 0; cell < solid.solid.size(); ++cell) {
      if (!solid.solid[cell]) continue;
      number_[cell] = static_cast<int>(cells_.size());
      cells_.push_back(cell);
    }
    entries_.resize(cells_.size() * kPerCell);
    for (std::size_t b = 0; b < bones.size(); ++b) {
      for (const body::Segment& segment : bones[b].segments) add_source(static_cast<int>(b), segment);
    }
    spread();
  }

  /// The bones near a point with their distances, interpolated between the cells around it.
  void at_point(Vec3d point, std::map<int, float>& distances) const;

 private:
  struct Front {
    float distance;
    int cell;
    int bone;
    bool operator>(const Front& other) const {
      return distance != other.distance ? distance > other.distance
                                        : (bone != other.bone ? bone > other.bone : cell > other.cell);
    }
  };

  void add_source(int bone, const body::Segment& segment);
  void spread();
  int nearest_solid(Vec3d point, double& distance) const;
  const Entry* find(int cell, int bone) const {
    const Entry* first = &entries_[at(cell) * kPerCell];
    for (int k = 0; k < kPerCell && first[k].bone >= 0; ++k) {
      if (first[k].bone == bone) return &first[k];
    }
    return nullptr;
  }

  const body::SolidProxy& solid_;
  std::vector<int> number_;         ///< of solid cells, -1 for others
  std::vector<std::size_t> cells_;  ///< back to the grid
  std::vector<Entry> entries_;      ///< kPerCell each, nearest first
  std::priority_queue<Front, std::vector<Front>, std::greater<>> front_;
};

std::array<int, 3> cell_of(const body::VoxelGrid& grid, Vec3d point) {
  const Vec3d q = (point - grid.origin) / grid.cell;
  std::array<int, 3> cell;
  for (int k = 0; k < 3; ++k) {
    cell[at(k)] = static_cast<int>(std::clamp(std::floor(q[k] + 0.5), 0.0, double(grid.size[at(k)] - 1)));
  }
  return cell;
}

int VoxelDistances::nearest_solid(Vec3d point, double& distance) const {
  const body::VoxelGrid& grid = solid_.grid;
  const auto [i, j, k] = cell_of(grid, point);
  int best = -1;
  distance = kSnapCells * grid.cell;
  for (int dk = -kSnapCells; dk <= kSnapCells; ++dk) {
    for (int dj = -kSnapCells; dj <= kSnapCells; ++dj) {
      for (int di = -kSnapCells; di <= kSnapCells; ++di) {
        if (!grid.contains(i + di, j + dj, k + dk)) continue;
        const int cell = number_[grid.index(i + di, j + dj, k + dk)];
        if (cell < 0) continue;
        const double gap = norm(grid.centre(i + di, j + dj, k + dk) - point);
        if (gap < distance) distance = gap, best = cell;
      }
    }
  }
  return best;
}

void VoxelDistances::add_source(int bone, const body::Segment& segment) {
  const double length = norm(segment.to - segment.from);
  const int steps = static_cast<int>(std::min(length / (0.5 * solid_.grid.cell), 4096.0)) + 1;
  for (int s = 0; s <= steps; ++s) {
    const Vec3d point = lerp(segment.from, segment.to, double(s) / steps);
    const auto [i, j, k] = cell_of(solid_.grid, point);
    double distance = norm(solid_.grid.centre(i, j, k) - point);
    if (distance > kSnapCells * solid_.grid.cell) continue;
    int cell = number_[solid_.grid.index(i, j, k)];
    if (cell < 0 || distance > solid_.grid.cell) cell = nearest_solid(point, distance);
    if (cell >= 0) front_.push({static_cast<float>(distance), cell, bone});
  }
}

/// Dijkstra from all bones at once; a cell lets through the first kPerCell bones that reach it.
void VoxelDistances::spread() {
  const body::VoxelGrid& grid = solid_.grid;
  while (!front_.empty()) {
    const Front top = front_.top();
    front_.pop();
    Entry* first = &entries_[at(top.cell) * kPerCell];
    int place = 0;
    while (place < kPerCell && first[place].bone >= 0 && first[place].bone != top.bone) ++place;
    if (place == kPerCell || first[place].bone == top.bone) continue;
    first[place] = {top.bone, top.distance};
    const auto [i, j, k] = grid.place(cells_[at(top.cell)]);
    for (int n = 0; n < 27; ++n) {
      const int di = n % 3 - 1, dj = n / 3 % 3 - 1, dk = n / 9 - 1;
      if (n == 13 || !grid.contains(i + di, j + dj, k + dk)) continue;
      const int next = number_[grid.index(i + di, j + dj, k + dk)];
      if (next < 0 || entries_[at(next) * kPerCell + kPerCell - 1].bone >= 0 || find(next, top.bone)) continue;
      const double way = grid.cell * std::sqrt(double(di * di + dj * dj + dk * dk));
      front_.push({top.distance + static_cast<float>(way), next, top.bone});
    }
  }
}

void VoxelDistances::at_point(Vec3d point, std::map<int, float>& distances) const {
  distances.clear();
  const body::VoxelGrid& grid = solid_.grid;
  const Vec3d q = (point - grid.origin) / grid.cell;
  const int i = static_cast<int>(std::floor(q.x)), j = static_cast<int>(std::floor(q.y)),
            k = static_cast<int>(std::floor(q.z));
  std::map<int, std::pair<double, double>> sums;  // share times distance, share
  for (int n = 0; n < 8; ++n) {
    const int a = i + (n & 1), b = j + (n >> 1 & 1), c = k + (n >> 2);
    if (!grid.contains(a, b, c)) continue;
    const int cell = number_[grid.index(a, b, c)];
    if (cell < 0) continue;
    const Vec3d off = q - Vec3d{double(a), double(b), double(c)};
    const double share = (1 - std::abs(off.x)) * (1 - std::abs(off.y)) * (1 - std::abs(off.z)) + 1e-6;
    for (int e = 0; e < kPerCell; ++e) {
      const Entry& entry = entries_[at(cell) * kPerCell + at(e)];
      if (entry.bone < 0) break;
      auto& [sum, shares] = sums[entry.bone];
      sum += share * entry.distance, shares += share;
    }
  }
  for (const auto& [bone, sum] : sums) distances[bone] = static_cast<float>(sum.first / sum.second);
  if (!distances.empty()) return;
  double gap = 0;
  const int cell = nearest_solid(point, gap);
  for (int e = 0; cell >= 0 && e < kPerCell; ++e) {
    const Entry& entry = entries_[at(cell) * kPerCell + at(e)];
    if (entry.bone >= 0) distances[entry.bone] = entry.distance + static_cast<float>(gap);
  }
}

}  // namespace

std::vector<std::vector<rig::Influence>> skin_voxel(const SkinBody& body, std::span<const SkinBone> bones,
                                                    const VoxelSettings& settings) {
  body::SolidSettings grid;
  grid.resolution = settings.resolution > 0 ? std::clamp(settings.resolution, 32, 256) : choose_resolution(body, bones);
  body::SolidProxy solid = body::make_solid(body.surface, grid);
  while (solid.solid_cells > kMaxCells && grid.resolution > 32) {
    grid.resolution = grid.resolution * 3 / 4;
    solid = body::make_solid(body.surface, grid);
  }
  const VoxelDistances distances(solid, bones);
  const double least = std::max(0.25 * solid.grid.cell, 1e-30);
  std::vector<std::vector<rig::Influence>> rows(body.surface.points.size());
  parallel_for(rows.size(), 256, [&](std::size_t begin, std::size_t end) {
    std::map<int, float> near;
    for (std::size_t v = begin; v < end; ++v) {
      distances.at_point(body.surface.points[v], near);
      double sum = 0;
      std::vector<std::pair<int, double>> row;
      for (const auto& [bone, distance] : near) {
        const double weight = std::pow(least / std::max(double(distance), least), settings.falloff);
        row.emplace_back(bone, weight);
        sum += weight;
      }
      for (const auto& [bone, weight] : row) {
        rows[v].push_back({static_cast<std::uint16_t>(bone), static_cast<float>(weight / sum)});
      }
      keep_heaviest(rows[v], rig::kMaxInfluences);
    }
  });
  return rows;
}

}  // namespace limber::skin
