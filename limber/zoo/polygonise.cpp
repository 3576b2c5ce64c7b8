// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/polygonise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "limber/base/crossing.h"

namespace limber::zoo {
namespace {

// Corners of a cell are numbered by bits: x + 2 y + 4 z. Its twelve edges join corners that differ in one bit.
struct CellEdge {
  int corner, axis;  // from `corner` (that bit clear) along `axis`
};
constexpr std::array<CellEdge, 12> kEdges = {
    {{0, 0}, {2, 0}, {4, 0}, {6, 0}, {0, 1}, {1, 1}, {4, 1}, {5, 1}, {0, 2}, {1, 2}, {2, 2}, {3, 2}}};
// Corners of the six faces, counter-clockwise seen from outside.
constexpr std::array<std::array<int, 4>, 6> kFaces = {
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

int edge_between(int a, int b) {
  for (int e = 0; e < 12; ++e) {
    const int first = kEdges[static_cast<std::size_t>(e)].corner;
    const int second = first | (1 << kEdges[static_cast<std::size_t>(e)].axis);
    if ((first == a && second == b) || (first == b && second == a)) return e;
  }
  return -1;
}

bool share_face(int edge_a, int edge_b) {
  for (const auto& face : kFaces) {
    bool has_a = false, has_b = false;
    for (std::size_t k = 0; k < 4; ++k) {
      const int edge = edge_between(face[k], face[(k + 1) % 4]);
      has_a |= edge == edge_a, has_b |= edge == edge_b;
    }
    if (has_a && has_b) return true;
  }
  return false;
}

/// Where the surface cuts the edges of a cell: loops of edges, outward normals by the right-hand rule. A loop that
/// cannot be fanned without a diagonal inside a face of the cell (where the neighbour might have the same one) starts
/// with -1: it needs a vertex of its own in the middle.
using Loops = std::vector<std::vector<int>>;

/// `next[e]`: the edge that follows edge e on the surface's cut with the cell, -1 for none.
std::array<int, 12> link_edges(int inside) {
  std::array<int, 12> next;
  next.fill(-1);
  const auto is_in = [inside](int corner) { return ((inside >> corner) & 1) != 0; };
  for (const auto& face : kFaces) {
    // Walking counter-clockwise, a segment leads from where an inside run begins to where it ends: the inside corners
    // of an ambiguous face get a segment each.
    for (std::size_t k = 0; k < 4; ++k) {
      if (!is_in(face[k]) || is_in(face[(k + 1) % 4])) continue;  // not the end of a run
      std::size_t begin = k;
      while (is_in(face[(begin + 3) % 4])) begin = (begin + 3) % 4;
      next[static_cast<std::size_t>(edge_between(face[begin], face[(begin + 3) % 4]))] =
          edge_between(face[k], face[(k + 1) % 4]);
    }
  }
  return next;
}

void start_at_safe_apex(std::vector<int>& loop) {
  for (std::size_t turn = 0; turn < loop.size(); ++turn) {
    bool safe = true;
    for (std::size_t k = 2; k + 1 < loop.size(); ++k) safe = safe && !share_face(loop[0], loop[k]);
    if (safe) return;
    std::rotate(loop.begin(), loop.begin() + 1, loop.end());
  }
  loop.insert(loop.begin(), -1);
}

std::array<Loops, 256> build_cases() {
  std::array<Loops, 256> cases;
  for (int inside = 0; inside < 256; ++inside) {
    std::array<int, 12> next = link_edges(inside);
    for (std::size_t first = 0; first < 12; ++first) {
      if (next[first] < 0) continue;
      std::vector<int> loop;
      for (std::size_t edge = first; next[edge] >= 0;) {
        loop.push_back(static_cast<int>(edge));
        edge = static_cast<std::size_t>(std::exchange(next[edge], -1));
      }
      start_at_safe_apex(loop);
      cases[static_cast<std::size_t>(inside)].push_back(std::move(loop));
    }
  }
  return cases;
}

const std::array<Loops, 256>& cases() {
  static const std::array<Loops, 256> table = build_cases();
  return table;
}

constexpr int kBlock = 8, kSmallestBlock = 2;  // cells along a block, the unit of pruning

/// The field on a grid, known only in blocks near the surface.
class Grid {
 public:
  Grid(const ImplicitSurface& surface, Vec3d cell) : surface_(surface), cell_(cell) {
    // Symmetric about x = 0, and a cell of air all around.
    const Vec3d lower = surface.lower() - 1.5 * cell, upper = surface.upper() + 1.5 * cell;
    for (int k = 0; k < 3; ++k) {
      const auto cells = static_cast<int>(std::ceil((upper[k] - lower[k]) / cell[k]));
      blocks_[static_cast<std::size_t>(k)] = (cells + kBlock - 1) / kBlock;
      samples_[static_cast<std::size_t>(k)] = blocks_[static_cast<std::size_t>(k)] * kBlock + 1;
      origin_[k] = 0.5 * (lower[k] + upper[k]) - 0.5 * cell[k] * (samples_[static_cast<std::size_t>(k)] - 1);
    }
    values_.assign(static_cast<std::size_t>(samples_[0]) * samples_[1] * samples_[2], std::nanf(""));
    edge_vertex_.assign(3 * values_.size(), -1);
  }

  PolygonMesh march() {
    std::vector<int> all(surface_.cones().size());
    std::iota(all.begin(), all.end(), 0);
    for (int z = 0; z < blocks_[2]; ++z)
      for (int y = 0; y < blocks_[1]; ++y)
        for (int x = 0; x < blocks_[0]; ++x) march_block({x * kBlock, y * kBlock, z * kBlock}, kBlock, all);
    return std::move(mesh_);
  }

 private:
  using Index = std::array<int, 3>;

  std::size_t at(Index i) const {
    return static_cast<std::size_t>(i[0]) +
           static_cast<std::size_t>(samples_[0]) *
               (static_cast<std::size_t>(i[1]) +
                static_cast<std::size_t>(samples_[1]) * static_cast<std::size_t>(i[2]));
  }
  static Index corner_of(Index cell, int corner) {
    return {cell[0] + (corner & 1), cell[1] + ((corner >> 1) & 1), cell[2] + ((corner >> 2) & 1)};
  }
  Vec3d position(Index i) const { return origin_ + scaled(cell_, Vec3d{double(i[0]), double(i[1]), double(i[2])}); }

  float value(Index i) {
    float& stored = values_[at(i)];
    if (std::isnan(stored)) stored = static_cast<float>(surface_.value(position(i), mesh_.regions.back()));
    return stored;
  }

  /// Halves blocks near the surface until they are small; fewer and fewer cones matter on the way.
  void march_block(Index first, int size, std::span<const int> candidates) {
    const Vec3d centre = position(first) + (0.5 * size) * cell_;
    const double radius = 0.5 * size * norm(cell_);
    std::vector<int> subset;
    surface_.nearby(centre, radius, candidates, subset);
    // A flat cone just beyond reach still bends the value: all that the block around this one knew count.
    if (!surface_.may_cross(surface_.value(centre, subset), radius, candidates)) return;
    const int step = size > kSmallestBlock ? size / 2 : 1;
    if (size == kSmallestBlock) mesh_.regions.push_back(subset);
    for (int z = 0; z < size; z += step) {
      for (int y = 0; y < size; y += step) {
        for (int x = 0; x < size; x += step) {
          const Index inner{first[0] + x, first[1] + y, first[2] + z};
          size > kSmallestBlock ? march_block(inner, step, subset) : march_cell(inner);
        }
      }
    }
  }

  void march_cell(Index cell) {
    int inside = 0;
    for (int corner = 0; corner < 8; ++corner) inside |= (value(corner_of(cell, corner)) < 0 ? 1 : 0) << corner;
    for (const std::vector<int>& loop : cases()[static_cast<std::size_t>(inside)]) emit(cell, loop);
  }

  void emit(Index cell, const std::vector<int>& loop) {
    std::vector<std::uint32_t> ring;
    for (const int edge : loop) {
      if (edge >= 0) ring.push_back(vertex(cell, edge));
    }
    if (loop[0] < 0) {
      Vec3d middle;
      for (const std::uint32_t v : ring) middle += mesh_.points[v];
      const auto apex = static_cast<std::uint32_t>(mesh_.points.size());
      add_point(middle / static_cast<double>(ring.size()));
      for (std::size_t k = 0; k < ring.size(); ++k) {
        mesh_.triangles.push_back({apex, ring[k], ring[(k + 1) % ring.size()]});
      }
      return;
    }
    for (std::size_t k = 1; k + 1 < ring.size(); ++k) mesh_.triangles.push_back({ring[0], ring[k], ring[k + 1]});
  }

  std::uint32_t vertex(Index cell, int edge) {
    const CellEdge& e = kEdges[static_cast<std::size_t>(edge)];
    const Index begin = corner_of(cell, e.corner);
    int& stored = edge_vertex_[3 * at(begin) + static_cast<std::size_t>(e.axis)];
    if (stored < 0) {
      Index end = begin;
      ++end[static_cast<std::size_t>(e.axis)];
      const double a = value(begin), b = value(end);
      // Away from the corners, so that no triangle starts out degenerate.
      const double t = std::clamp(a / (a - b), 0.1, 0.9);
      stored = static_cast<int>(mesh_.points.size());
      add_point(lerp(position(begin), position(end), t));
    }
    return static_cast<std::uint32_t>(stored);
  }

  void add_point(Vec3d point) {
    mesh_.points.push_back(point);
    mesh_.region_of.push_back(static_cast<int>(mesh_.regions.size()) - 1);
  }

  const ImplicitSurface& surface_;
  Vec3d cell_, origin_;
  std::array<int, 3> blocks_{}, samples_{};
  std::vector<float> values_;
  std::vector<int> edge_vertex_;
  PolygonMesh mesh_;
};

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

/// Drops every piece but the one with most triangles, and vertices that nothing uses.
void keep_largest_piece(PolygonMesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.points.size());
  std::iota(parent.begin(), parent.end(), 0u);
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 1; k < 3; ++k) parent[find_root(parent, t[k])] = find_root(parent, t[0]);
  }
  std::vector<int> size(mesh.points.size(), 0);
  for (const auto& t : mesh.triangles) ++size[find_root(parent, t[0])];
  const auto largest = static_cast<std::uint32_t>(std::max_element(size.begin(), size.end()) - size.begin());

  std::vector<std::uint32_t> new_index(mesh.points.size(), 0);
  std::uint32_t kept = 0;
  for (std::uint32_t v = 0; v < mesh.points.size(); ++v) {
    if (find_root(parent, v) != largest) continue;
    mesh.points[kept] = mesh.points[v], mesh.region_of[kept] = mesh.region_of[v];
    new_index[v] = kept++;
  }
  std::erase_if(mesh.triangles, [&](const auto& t) { return find_root(parent, t[0]) != largest; });
  for (auto& t : mesh.triangles) {
    for (std::uint32_t& v : t) v = new_index[v];
  }
  mesh.points.resize(kept), mesh.region_of.resize(kept);
}

/// Takes back the moves that turned a triangle over or squeezed it flat, so that the mesh stays free of folds.
void undo_folds(const std::vector<Vec3d>& before, PolygonMesh& mesh) {
  constexpr int kPasses = 6;  // taking one back may fold a neighbour
  for (int pass = 0; pass < kPasses; ++pass) {
    bool folded = false;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3d old_normal = cross(before[b] - before[a], before[c] - before[a]);
      const Vec3d normal = cross(mesh.points[b] - mesh.points[a], mesh.points[c] - mesh.points[a]);
      const double agreement = dot(old_normal, normal);
      if (agreement > 0.4 * norm(old_normal) * norm(normal) && agreement > 0.05 * squared_norm(old_normal)) continue;
      for (const std::uint32_t v : {a, b, c}) {
        folded |= !(mesh.points[v] == before[v]);
        mesh.points[v] = before[v];
      }
    }
    if (!folded) return;
  }
  mesh.points = before;
}

/// The middle of each vertex' neighbours.
std::vector<Vec3d> neighbour_means(const PolygonMesh& mesh) {
  std::vector<Vec3d> mean(mesh.points.size());
  std::vector<int> valence(mesh.points.size());
  // On a closed manifold each neighbour is met once this way round.
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) mean[t[k]] += mesh.points[t[(k + 1) % 3]], ++valence[t[k]];
  }
  for (std::size_t v = 0; v < mean.size(); ++v) mean[v] = mean[v] / static_cast<double>(valence[v]);
  return mean;
}

/// Brings the vertices onto the surface and evens out the triangles.
void relax(const ImplicitSurface& surface, Vec3d cell, PolygonMesh& mesh) {
  constexpr int kRounds = 6;
  const double size = norm(cell);
  mesh.normals.resize(mesh.points.size());
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Vec3d> before = mesh.points;
    const std::vector<Vec3d> mean = neighbour_means(mesh);
    const bool evens = round > 0 && round + 1 < kRounds;  // the first and the last round only project
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      // Along the surface: pulling inwards would eat thin parts. Small steps: cells are finest across thin parts, where
      // one side must not reach the other.
      const Vec3d towards = evens ? mean[v] - mesh.points[v] : Vec3d{};
      const Vec3d along = 0.5 * (towards - dot(towards, mesh.normals[v]) * mesh.normals[v]);
      const Vec3d point = mesh.points[v] + max(-0.25 * cell, min(0.25 * cell, along));
      const FieldSample sample = surface.evaluate(point, mesh.nearby(v));
      const double slope = std::max(squared_norm(sample.gradient), 0.25);
      // At most half a cell a time: far from the surface the field is no true distance.
      const double step = std::clamp(sample.value / slope, -0.5 * size, 0.5 * size);
      mesh.points[v] = point - max(-0.4 * cell, min(0.4 * cell, step * sample.gradient));
      mesh.normals[v] = normalized(sample.gradient);
    }
    undo_folds(before, mesh);
  }
}

/// Where triangles face against the field after all, in sharp creases, their corners go to the middle of their
/// neighbours, off the surface, until nothing is folded.
void smooth_out_folds(PolygonMesh& mesh) {
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<bool> folded(mesh.points.size(), false);
    bool any = false;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3d normal = cross(mesh.points[b] - mesh.points[a], mesh.points[c] - mesh.points[a]);
      const Vec3d wanted = mesh.normals[a] + mesh.normals[b] + mesh.normals[c];
      if (dot(normal, wanted) > 0.25 * norm(normal) * norm(wanted)) continue;
      any = folded[a] = folded[b] = folded[c] = true;
    }
    if (!any) return;
    const std::vector<Vec3d> mean = neighbour_means(mesh);
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      if (folded[v]) mesh.points[v] = lerp(mesh.points[v], mean[v], 0.7);
    }
  }
}

/// Where two sheets are nearer to each other than a cell (a folded wing and the flank below it), edges may cut through
/// though all corners are on the surface. There corners go back, half the way a time, to where the grid had them, which
/// crosses nothing.
void uncross(const std::vector<Vec3d>& grid_points, PolygonMesh& mesh) {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    const auto crossing = crossing_pairs(mesh.points, mesh.triangles);
    if (crossing.empty()) return;
    for (const auto& [s, t] : crossing) {
      for (const std::uint32_t triangle : {s, t}) {
        for (const std::uint32_t v : mesh.triangles[triangle]) {
          mesh.points[v] = lerp(mesh.points[v], grid_points[v], round + 1 < kRounds ? 0.5 : 1.0);
        }
      }
    }
  }
}

}  // namespace

PolygonMesh polygonise(const ImplicitSurface& surface, Vec3d cell, bool loose) {
  PolygonMesh mesh = Grid(surface, cell).march();
  if (!loose) keep_largest_piece(mesh);
  const std::vector<Vec3d> grid_points = mesh.points;
  relax(surface, cell, mesh);
  smooth_out_folds(mesh);
  uncross(grid_points, mesh);
  return mesh;
}

}  // namespace limber::zoo
