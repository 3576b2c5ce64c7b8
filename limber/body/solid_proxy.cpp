// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/solid_proxy.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::body {
namespace {

/// Ray hits that one fill may collect; grids that would need more get coarser (a hostile file can have a million
/// triangles as large as the whole box).
constexpr double kMaxHits = 1.5e8;

/// Rays are shifted off the cell centres by a little, so that they do not run through the vertices of models built on a
/// grid.
constexpr double kShift = 0.00137;

VoxelGrid choose_grid(const WeldedSurface& surface, const SolidSettings& settings, int resolution) {
  VoxelGrid grid;
  const Vec3d extent = surface.high - surface.low;
  // Cells must not drown in the rounding of coordinates, even where all points are one.
  const double magnitude = std::max(norm(surface.low), norm(surface.high));
  const double longest = std::max({surface.longest_side(), 1e-6 * magnitude, 1e-20});
  grid.cell = longest / resolution;
  auto cells_of = [&](double cell) {
    double count = 1;
    for (int a = 0; a < 3; ++a) count *= std::ceil(extent[a] / cell) + 2 * settings.margin + 1;
    return count;
  };
  while (cells_of(grid.cell) > static_cast<double>(settings.max_cells)) grid.cell *= 1.1;
  const Vec3d middle = 0.5 * (surface.low + surface.high);
  for (int a = 0; a < 3; ++a) {
    grid.size[static_cast<std::size_t>(a)] =
        static_cast<int>(std::ceil(extent[a] / grid.cell)) + 2 * settings.margin + 1;
    grid.origin[a] = middle[a] - 0.5 * grid.cell * (grid.size[static_cast<std::size_t>(a)] - 1);
  }
  return grid;
}

/// Columns that the box of each triangle covers, summed over the axes: the cost of filling.
double count_columns(const WeldedSurface& surface, double cell) {
  double total = 0;
  for (const Triangle& t : surface.triangles) {
    const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
    const Vec3d extent = (1 / cell) * (max(a, max(b, c)) - min(a, min(b, c))) + Vec3d{1, 1, 1};
    total += extent.x * extent.y + extent.y * extent.z + extent.z * extent.x;
  }
  return total;
}

struct Hit {
  std::uint32_t column;
  float depth;  ///< along the ray, in cells
  std::int8_t sign;
};

/// Twice the signed area of (a, b, p) with the corners taken in a fixed order, so that both triangles on an edge get
/// the same number with opposite signs.
double edge_side(const std::array<double, 2>& a, const std::array<double, 2>& b, double u, double v) {
  if (b < a) return -edge_side(b, a, u, v);
  return (b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0]);
}

/// Casts a ray through every column of cells along `axis` and collects where it crosses the surface.
std::vector<Hit> cast_columns(const WeldedSurface& surface, const VoxelGrid& grid, int axis) {
  const int ua = (axis + 1) % 3, va = (axis + 2) % 3;
  const int width = grid.size[static_cast<std::size_t>(ua)], height = grid.size[static_cast<std::size_t>(va)];
  std::vector<Hit> hits;
  for (const Triangle& t : surface.triangles) {
    std::array<std::array<double, 2>, 3> flat;
    std::array<double, 3> depth;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d p = (1 / grid.cell) * (surface.points[t[k]] - grid.origin);
      flat[k] = {p[ua] - kShift, p[va] - 2 * kShift}, depth[k] = p[axis];
    }
    const double area = edge_side(flat[0], flat[1], flat[2][0], flat[2][1]);
    if (area == 0) continue;
    const auto [u_low, u_high] = std::minmax({flat[0][0], flat[1][0], flat[2][0]});
    const auto [v_low, v_high] = std::minmax({flat[0][1], flat[1][1], flat[2][1]});
    const int i_end = std::min(width - 1, static_cast<int>(std::floor(u_high)));
    const int j_end = std::min(height - 1, static_cast<int>(std::floor(v_high)));
    for (int j = std::max(0, static_cast<int>(std::ceil(v_low))); j <= j_end; ++j) {
      for (int i = std::max(0, static_cast<int>(std::ceil(u_low))); i <= i_end; ++i) {
        std::array<double, 3> side;
        bool inside = true;
        for (std::size_t k = 0; k < 3 && inside; ++k) {
          const auto &a = flat[(k + 1) % 3], &b = flat[(k + 2) % 3];
          side[k] = edge_side(a, b, i, j);
          // A ray through an edge belongs to one of its two triangles.
          inside = area > 0 ? (side[k] > 0 || (side[k] == 0 && a < b)) : (side[k] < 0 || (side[k] == 0 && a < b));
        }
        if (!inside) continue;
        const double w = (side[0] * depth[0] + side[1] * depth[1] + side[2] * depth[2]) / (side[0] + side[1] + side[2]);
        hits.push_back(
            {static_cast<std::uint32_t>(j) * static_cast<std::uint32_t>(width) + static_cast<std::uint32_t>(i),
             static_cast<float>(w), static_cast<std::int8_t>(area > 0 ? 1 : -1)});
      }
    }
  }
  return hits;
}

/// Sorted by column (counting sort) and then by depth; returns where each column begins.
std::vector<std::uint32_t> sort_hits(std::vector<Hit>& hits, std::size_t columns) {
  std::vector<std::uint32_t> begin(columns + 1, 0);
  for (const Hit& hit : hits) ++begin[hit.column + 1];
  for (std::size_t c = 0; c < columns; ++c) begin[c + 1] += begin[c];
  std::vector<Hit> sorted(hits.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const Hit& hit : hits) sorted[next[hit.column]++] = hit;
  for (std::size_t c = 0; c < columns; ++c) {
    std::sort(sorted.begin() + begin[c], sorted.begin() + begin[c + 1],
              [](const Hit& a, const Hit& b) { return a.depth < b.depth || (a.depth == b.depth && a.sign < b.sign); });
  }
  hits = std::move(sorted);
  return begin;
}

struct Votes {
  std::vector<std::int8_t> inside;    ///< per cell, -6 to 6
  std::vector<std::uint8_t> surface;  ///< per cell, 1 where the surface runs through
};

/// Adds the winding numbers seen along one axis, in both directions, each no more than one.
void vote_along(const WeldedSurface& surface, const VoxelGrid& grid, int axis, Votes& votes) {
  const auto ua = static_cast<std::size_t>((axis + 1) % 3), va = static_cast<std::size_t>((axis + 2) % 3);
  const std::size_t columns = static_cast<std::size_t>(grid.size[ua]) * static_cast<std::size_t>(grid.size[va]);
  std::vector<Hit> hits = cast_columns(surface, grid, axis);
  const std::vector<std::uint32_t> begin = sort_hits(hits, columns);
  const int length = grid.size[static_cast<std::size_t>(axis)];
  parallel_for(columns, 1024, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
      if (begin[c] == begin[c + 1]) continue;
      std::array<int, 3> cell;
      cell[ua] = static_cast<int>(c) % grid.size[ua], cell[va] = static_cast<int>(c) / grid.size[ua];
      int total = 0;
      for (std::uint32_t h = begin[c]; h < begin[c + 1]; ++h) total += hits[h].sign;
      int passed = 0;
      std::uint32_t h = begin[c];
      for (int w = 0; w < length; ++w) {
        while (h < begin[c + 1] && hits[h].depth <= static_cast<float>(w)) passed += hits[h++].sign;
        cell[static_cast<std::size_t>(axis)] = w;
        std::int8_t& vote = votes.inside[grid.index(cell[0], cell[1], cell[2])];
        vote = static_cast<std::int8_t>(vote + std::clamp(total - passed, -1, 1) + std::clamp(-passed, -1, 1));
      }
      for (h = begin[c]; h < begin[c + 1]; ++h) {
        cell[static_cast<std::size_t>(axis)] = std::clamp(static_cast<int>(std::lround(hits[h].depth)), 0, length - 1);
        votes.surface[grid.index(cell[0], cell[1], cell[2])] = 1;
      }
    }
  });
}

constexpr int kInside = 3;         // of six votes: more of them make a cell solid
constexpr double kDisagree = 0.3;  // share of the cells with any vote of which some rays say otherwise: it leaks
constexpr int kAround = 2;         // cells: so far neighbours' votes count where it leaks

/// Whether rays contradict each other about much of the inside, as they do where a third of a surface is missing.
bool leaks(const std::vector<std::int8_t>& inside) {
  std::size_t all = 0, some = 0;
  for (const std::int8_t vote : inside) all += vote == 6 ? 1 : 0, some += vote > 0 && vote < 6 ? 1 : 0;
  return static_cast<double>(some) > kDisagree * static_cast<double>(all + some);
}

/// Sums along one axis over a cell and its neighbours; beyond the grid nobody votes.
void sum_along(const VoxelGrid& grid, std::size_t axis, std::vector<std::int16_t>& votes) {
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(grid.size[0]),
      static_cast<std::size_t>(grid.size[0]) * static_cast<std::size_t>(grid.size[1])};
  const auto length = static_cast<std::size_t>(grid.size[axis]);
  const std::size_t ua = axis == 0 ? 1 : 0, va = axis == 2 ? 1 : 2, width = static_cast<std::size_t>(grid.size[ua]);
  const std::size_t lines = width * static_cast<std::size_t>(grid.size[va]);
  parallel_for(lines, 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<int> before(length + 1, 0);  // sums of all cells before
    for (std::size_t l = begin; l < end; ++l) {
      const std::size_t first = l % width * stride[ua] + l / width * stride[va];
      for (std::size_t k = 0; k < length; ++k) before[k + 1] = before[k] + votes[first + k * stride[axis]];
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t low = k < kAround ? 0 : k - kAround, high = std::min(length, k + kAround + 1);
        votes[first + k * stride[axis]] = static_cast<std::int16_t>(before[high] - before[low]);
      }
    }
  });
}

/// Which cells the rays have inside. Of a surface that leaks, each ray is wrong as often as it runs through a hole, and
/// the mean of many is right: inside is where it is more than half of what it is deep inside.
std::vector<std::uint8_t> count_votes(const VoxelGrid& grid, const std::vector<std::int8_t>& inside) {
  std::vector<std::uint8_t> solid(inside.size());
  double votes = 0, cells = 0;
  for (std::size_t c = 0; c < inside.size(); ++c) {
    solid[c] = inside[c] > kInside ? 1 : 0;
    if (solid[c] != 0) votes += inside[c], cells += 1;
  }
  if (cells == 0 || !leaks(inside)) return solid;
  std::vector<std::int16_t> sums(inside.begin(), inside.end());
  for (std::size_t axis = 0; axis < 3; ++axis) sum_along(grid, axis, sums);
  constexpr int kCells = (2 * kAround + 1) * (2 * kAround + 1) * (2 * kAround + 1);
  const double half = 0.5 * votes / cells * kCells;
  for (std::size_t c = 0; c < inside.size(); ++c) solid[c] = inside[c] == 6 || sums[c] > half ? 1 : 0;
  return solid;
}

/// Rays miss what is thinner than a cell.
void mark_corners(const WeldedSurface& surface, const VoxelGrid& grid, std::vector<std::uint8_t>& marks) {
  auto mark = [&](Vec3d p) {
    const Vec3d q = (1 / grid.cell) * (p - grid.origin);
    const int i = static_cast<int>(std::lround(q.x)), j = static_cast<int>(std::lround(q.y)),
              k = static_cast<int>(std::lround(q.z));
    if (grid.contains(i, j, k)) marks[grid.index(i, j, k)] = 1;
  };
  for (const Triangle& t : surface.triangles) {
    const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
    mark(a), mark(b), mark(c), mark((1.0 / 3) * (a + b + c));
    // Along the edges too: a whisker is a chain of cells, not two specks.
    for (const auto& [p, q] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
      const int steps = std::min(1024, static_cast<int>(norm(q - p) / grid.cell));
      for (int s = 1; s <= steps; ++s) mark(lerp(p, q, static_cast<double>(s) / (steps + 1)));
    }
  }
  if (surface.triangles.empty()) {
    for (const Vec3d& p : surface.points) mark(p);
    if (surface.points.empty()) mark(0.5 * (surface.low + surface.high));
  }
}

template <class Visit>
void for_neighbours(const VoxelGrid& grid, std::size_t index, Visit visit) {
  const std::array<int, 3> p = grid.place(index);
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        if ((i != 0 || j != 0 || k != 0) && grid.contains(p[0] + i, p[1] + j, p[2] + k))
          visit(grid.index(p[0] + i, p[1] + j, p[2] + k));
}

/// Adds the cells of surface that has no inside near it, and those that join them to the rest.
void add_sheets(const std::vector<std::uint8_t>& surface, SolidProxy& proxy) {
  std::vector<std::size_t> sheet;
  for (std::size_t c = 0; c < surface.size(); ++c) {
    if (surface[c] == 0 || proxy.solid[c] != 0) continue;
    bool alone = true;
    for_neighbours(proxy.grid, c, [&](std::size_t n) { alone = alone && proxy.solid[n] != 1; });
    if (alone) sheet.push_back(c);
  }
  // Marked 2 while being added, so that the sheet's own cells do not count as an inside.
  for (const std::size_t c : sheet) {
    proxy.solid[c] = 2;
    for_neighbours(proxy.grid, c, [&](std::size_t n) {
      if (surface[n] != 0 && proxy.solid[n] == 0) proxy.solid[n] = 2;
    });
  }
  for (std::uint8_t& s : proxy.solid) {
    proxy.sheet_cells += s == 2 ? 1 : 0;
    s = s != 0 ? 1 : 0;
  }
}

/// Fills what the outside cannot reach.
void fill_cavities(SolidProxy& proxy) {
  const VoxelGrid& grid = proxy.grid;
  const auto nx = static_cast<std::size_t>(grid.size[0]), ny = static_cast<std::size_t>(grid.size[1]),
             nz = static_cast<std::size_t>(grid.size[2]);
  std::vector<std::uint8_t> outside(grid.count(), 0);
  // The rim is margin and so empty. As it is marked at once, no step from within ever leaves the grid.
  for (std::size_t k = 0; k < nz; ++k) {
    for (std::size_t j = 0; j < ny; ++j) {
      const std::size_t row = (k * ny + j) * nx;
      if (k == 0 || k + 1 == nz || j == 0 || j + 1 == ny) {
        std::fill_n(outside.begin() + static_cast<std::ptrdiff_t>(row), nx, std::uint8_t{1});
      } else {
        outside[row] = outside[row + nx - 1] = 1;
      }
    }
  }
  std::vector<std::uint32_t> queue;
  auto reach = [&](std::size_t c) {
    if (outside[c] != 0 || proxy.solid[c] != 0) return;
    outside[c] = 1;
    queue.push_back(static_cast<std::uint32_t>(c));
  };
  for (std::size_t k = 1; k + 1 < nz; ++k) {
    for (std::size_t j = 1; j + 1 < ny; ++j) {
      const bool beside = k == 1 || k + 2 == nz || j == 1 || j + 2 == ny;
      for (std::size_t i = 1; i + 1 < nx; i += beside || nx < 4 ? 1 : nx - 3) reach((k * ny + j) * nx + i);
    }
  }
  while (!queue.empty()) {
    const std::size_t c = queue.back();
    queue.pop_back();
    for (const std::size_t step : {std::size_t{1}, nx, nx * ny}) reach(c + step), reach(c - step);
  }
  for (std::size_t c = 0; c < outside.size(); ++c) {
    proxy.solid[c] = outside[c] == 0 ? 1 : 0;
    proxy.solid_cells += proxy.solid[c];
  }
}

}  // namespace

std::array<int, 3> VoxelGrid::place(std::size_t index) const {
  const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
  return {static_cast<int>(index % nx), static_cast<int>(index / nx % ny), static_cast<int>(index / (nx * ny))};
}

SolidProxy make_solid(const WeldedSurface& surface, const SolidSettings& settings) {
  LIMBER_EXPECT(settings.resolution >= 8 && settings.resolution <= 1024, std::to_string(settings.resolution));
  LIMBER_EXPECT(settings.margin >= 1 && settings.max_cells >= 4096, "a margin and room for cells");
  SolidProxy proxy;
  int resolution = settings.resolution;
  proxy.grid = choose_grid(surface, settings, resolution);
  while (resolution > 8 && count_columns(surface, proxy.grid.cell) > kMaxHits) {
    resolution /= 2;
    proxy.grid = choose_grid(surface, settings, resolution);
  }
  Votes votes{std::vector<std::int8_t>(proxy.grid.count(), 0), std::vector<std::uint8_t>(proxy.grid.count(), 0)};
  for (int axis = 0; axis < 3; ++axis) vote_along(surface, proxy.grid, axis, votes);
  mark_corners(surface, proxy.grid, votes.surface);
  proxy.solid = count_votes(proxy.grid, votes.inside);
  add_sheets(votes.surface, proxy);
  fill_cavities(proxy);
  return proxy;
}

}  // namespace limber::body
