// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/mesh_raster.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/scene/tile_raster.h"

namespace limber::scene {
namespace {

using Corners = std::array<std::uint32_t, 3>;

/// A corner in the image: pixels, and 1 / z. What lies before the near plane or is not finite has no nearness.
struct ScreenPoint {
  float x = 0, y = 0, nearness = 0;
};

/// A corner's place in the triangle that it was cut from.
struct CutPoint {
  ScreenPoint screen;
  Vec3 barycentric;
};

/// What is left of a triangle that crosses the near plane.
struct CutTriangle {
  std::uint32_t source = 0;
  std::array<CutPoint, 3> corners;
};

/// A triangle that may be seen, and the tiles that it may touch.
struct Candidate {
  std::uint32_t id = 0;  ///< of the mesh, or of `cuts` from the number of triangles on
  std::uint16_t first_x = 0, last_x = 0, first_y = 0, last_y = 0;

  std::size_t tiles() const { return (last_x - first_x + std::size_t{1}) * (last_y - first_y + std::size_t{1}); }
  bool touches(std::size_t x, std::size_t y) const {
    return x >= first_x && x <= last_x && y >= first_y && y <= last_y;
  }
};

/// A run of triangles, handled by one thread.
struct Batch {
  std::vector<Candidate> candidates, large;
  std::vector<CutTriangle> cuts;
  std::vector<std::size_t> tile_counts;  ///< then: where the batch's next entry of a tile goes
};
constexpr std::size_t kMaxBatches = 64;
/// Triangles that touch more tiles are not listed in each, so that lists stay short whatever a file holds.
constexpr std::size_t kMaxListedTiles = 16;

const TileKernels& tile_kernels() {
#if defined(__x86_64__)
  if (simd_level() != SimdLevel::kPortable) return avx2_tile_kernels();
#endif
  return portable_tile_kernels();
}

ScreenPoint project(const splat::Camera& camera, Vec3 c, float near) {
  if (!(c.z >= near)) return {};
  const float nearness = 1 / c.z;
  const ScreenPoint p{camera.fx * c.x * nearness + camera.cx, camera.fy * c.y * nearness + camera.cy, nearness};
  // Far out, but no overflow in what follows.
  const bool good = std::abs(p.x) < 1e15f && std::abs(p.y) < 1e15f && nearness > 0;
  return good ? p : ScreenPoint{};
}

/// Twice the area, positive where the corners run clockwise on the screen: the back of a triangle.
double double_area(const ScreenPoint& a, const ScreenPoint& b, const ScreenPoint& c) {
  return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(b.y) - a.y) * (double(c.x) - a.x);
}

/// Where an edge crosses the near plane; always computed from the inside, so that neighbours agree.
CutPoint cross_near(const splat::Camera& camera, float near, Vec3 inside, Vec3 outside, int from, int to) {
  const float t = (inside.z - near) / (inside.z - outside.z);
  Vec3 point = inside + t * (outside - inside);
  point.z = near;
  CutPoint result{project(camera, point, near), {}};
  result.barycentric[from] = 1 - t;
  result.barycentric[to] = t;
  return result;
}

/// The part of a triangle behind the near plane: none, one or two triangles.
int clip(const splat::Camera& camera, float near, const std::array<Vec3, 3>& points, std::uint32_t source,
         std::array<CutTriangle, 2>& result) {
  std::array<CutPoint, 4> polygon;
  std::size_t count = 0;
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3;
    const Vec3 &a = points[static_cast<std::size_t>(i)], &b = points[static_cast<std::size_t>(next)];
    if (a.z >= near) {
      CutPoint corner{project(camera, a, near), {}};
      corner.barycentric[i] = 1;
      polygon[count++] = corner;
    }
    if (a.z >= near && b.z < near) polygon[count++] = cross_near(camera, near, a, b, i, next);
    if (a.z < near && b.z >= near) polygon[count++] = cross_near(camera, near, b, a, next, i);
  }
  if (count < 3) return 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(polygon[i].screen.nearness > 0)) return 0;
  }
  const int triangles = static_cast<int>(count) - 2;
  for (int k = 0; k < triangles; ++k) {
    const auto next = static_cast<std::size_t>(k + 1);
    result[static_cast<std::size_t>(k)] = {source, {polygon[0], polygon[next], polygon[next + 1]}};
  }
  return triangles;
}

/// A linear function of the screen, in double, then shifted to a tile.
struct Plane {
  double dx = 0, dy = 0, at_origin = 0;
};

/// The line through two corners, as a function that vanishes on it. Neighbours get exactly the same, up to its sign,
/// because the corners are taken in an order of their own.
struct Line {
  Plane plane;
  bool turned = false;
};

Line line_between(const ScreenPoint& from, const ScreenPoint& to, double origin_x, double origin_y) {
  const bool turned = to.x < from.x || (to.x == from.x && to.y < from.y);
  const ScreenPoint &a = turned ? to : from, &b = turned ? from : to;
  const double dx = double(b.x) - a.x, dy = double(b.y) - a.y;
  return {{-dy, dx, dx * (origin_y - a.y) - dy * (origin_x - a.x)}, turned};
}

/// Fragments of see-through triangles, gathered before they are sorted.
struct ThinFragment {
  std::uint16_t pixel = 0;
  std::uint8_t samples = 0;
  std::uint32_t id = 0;
  float nearness = 0;
};
constexpr std::size_t kMaxThinPerPixel = 16;
constexpr std::size_t kMaxThin = kMaxThinPerPixel * kTileSide * kTileSide;

/// What one thread needs for a tile.
struct TileWork {
  TileSamples samples;
  std::vector<std::uint32_t> triangles;
  Tile tile;
  std::vector<ThinFragment> thin;
  std::array<TouchedPixel, kTileSide * kTileSide> touched;
};

}  // namespace

struct MeshRaster::State {
  std::vector<Vec3> camera_points;
  std::vector<ScreenPoint> screen;
  std::vector<Batch> batches;
  std::vector<CutTriangle> cuts;
  std::vector<Candidate> large;
  std::vector<std::size_t> tile_first;
  std::vector<std::uint32_t> tile_triangles;
  std::vector<std::unique_ptr<TileWork>> thread_work;

  // Of the image being drawn.
  const RasterInput* input = nullptr;
  splat::Camera camera;
  int tiles_x = 0, tiles_y = 0;

  void project_points();
  void find_candidates();
  void add_candidate(Batch& batch, std::uint32_t id, const std::array<ScreenPoint, 3>& p, std::uint8_t kind) const;
  void sort_into_tiles();
  void list_triangles(std::size_t tile, std::vector<std::uint32_t>& list) const;
  void draw_tile(std::size_t tile, TileWork& work) const;

  std::uint32_t triangle_count() const { return static_cast<std::uint32_t>(input->triangles.size()); }
  std::uint32_t source_of(std::uint32_t id) const {
    return id < triangle_count() ? id : cuts[id - triangle_count()].source;
  }
  std::uint8_t kind_of(std::uint32_t source) const { return input->kinds.empty() ? 0 : input->kinds[source]; }
  std::array<ScreenPoint, 3> corners(std::uint32_t id) const;
  bool set_up(std::uint32_t id, const Tile& tile, TileTriangle& result) const;
  void cut_out(const TileTriangle& triangle, int count, TileWork& work) const;
  void gather_thin(const TileTriangle& triangle, int count, TileWork& work) const;
  void resolve(TileWork& work) const;
  void add_fragment(std::uint32_t id, unsigned samples, int pixel, std::uint8_t flags, Tile& tile) const;
};

void MeshRaster::State::project_points() {
  const std::size_t count = input->points.size();
  camera_points.resize(count), screen.resize(count);
  parallel_for(count, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      camera_points[i] = camera.camera_from_world * input->points[i];
      screen[i] = project(camera, camera_points[i], input->near);
    }
  });
}

void MeshRaster::State::add_candidate(Batch& batch, std::uint32_t id, const std::array<ScreenPoint, 3>& p,
                                      std::uint8_t kind) const {
  const double area = double_area(p[0], p[1], p[2]);
  if (area == 0 || ((kind & kOneSided) != 0 && area > 0)) return;
  const float left = std::min({p[0].x, p[1].x, p[2].x}), right = std::max({p[0].x, p[1].x, p[2].x});
  const float top = std::min({p[0].y, p[1].y, p[2].y}), bottom = std::max({p[0].y, p[1].y, p[2].y});
  const auto width = static_cast<float>(camera.width), height = static_cast<float>(camera.height);
  if (!(right > 0 && bottom > 0 && left < width && top < height)) return;
  const auto tile = [](float pixel, float size) {
    return static_cast<std::uint16_t>(static_cast<int>(std::clamp(pixel, 0.0f, size - 1)) / kTileSide);
  };
  const Candidate candidate{id, tile(left, width), tile(right, width), tile(top, height), tile(bottom, height)};
  if (candidate.tiles() > kMaxListedTiles) {
    batch.large.push_back(candidate);
    return;
  }
  batch.candidates.push_back(candidate);
  for (std::size_t y = candidate.first_y; y <= candidate.last_y; ++y) {
    for (std::size_t x = candidate.first_x; x <= candidate.last_x; ++x) {
      ++batch.tile_counts[y * static_cast<std::size_t>(tiles_x) + x];
    }
  }
}

void MeshRaster::State::find_candidates() {
  const std::size_t count = input->triangles.size();
  const std::size_t grain = std::max<std::size_t>(1024, (count + kMaxBatches - 1) / kMaxBatches);
  batches.resize((count + grain - 1) / grain);
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    Batch& batch = batches[begin / grain];
    batch.candidates.clear(), batch.large.clear(), batch.cuts.clear();
    batch.tile_counts.assign(static_cast<std::size_t>(tiles_x) * static_cast<std::size_t>(tiles_y), 0);
    for (std::size_t i = begin; i < end; ++i) {
      const Corners& t = input->triangles[i];
      const std::array<ScreenPoint, 3> p{screen[t[0]], screen[t[1]], screen[t[2]]};
      const auto id = static_cast<std::uint32_t>(i);
      if (p[0].nearness > 0 && p[1].nearness > 0 && p[2].nearness > 0) {
        add_candidate(batch, id, p, kind_of(id));
        continue;
      }
      const std::array<Vec3, 3> points{camera_points[t[0]], camera_points[t[1]], camera_points[t[2]]};
      if (!is_finite(points[0]) || !is_finite(points[1]) || !is_finite(points[2])) continue;
      std::array<CutTriangle, 2> pieces;
      const int piece_count = clip(camera, input->near, points, id, pieces);
      for (int k = 0; k < piece_count; ++k) batch.cuts.push_back(pieces[static_cast<std::size_t>(k)]);
    }
  });
  // Cut and large triangles are few: gathered in order.
  cuts.clear(), large.clear();
  for (Batch& batch : batches) {
    for (const CutTriangle& cut : batch.cuts) {
      add_candidate(batch, triangle_count() + static_cast<std::uint32_t>(cuts.size()),
                    {cut.corners[0].screen, cut.corners[1].screen, cut.corners[2].screen}, kind_of(cut.source));
      cuts.push_back(cut);
    }
    large.insert(large.end(), batch.large.begin(), batch.large.end());
  }
}

void MeshRaster::State::sort_into_tiles() {
  // Counts become starting places: tile by tile, in each the batches in order.
  const std::size_t tiles = static_cast<std::size_t>(tiles_x) * static_cast<std::size_t>(tiles_y);
  tile_first.resize(tiles + 1);
  std::size_t next = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    tile_first[tile] = next;
    for (Batch& batch : batches) {
      const std::size_t count = batch.tile_counts[tile];
      batch.tile_counts[tile] = next;
      next += count;
    }
  }
  tile_first[tiles] = next;
  tile_triangles.resize(next);
  parallel_for(batches.size(), 1, [&](std::size_t b, std::size_t) {
    Batch& batch = batches[b];
    for (const Candidate& c : batch.candidates) {
      for (std::size_t y = c.first_y; y <= c.last_y; ++y) {
        for (std::size_t x = c.first_x; x <= c.last_x; ++x) {
          tile_triangles[batch.tile_counts[y * static_cast<std::size_t>(tiles_x) + x]++] = c.id;
        }
      }
    }
  });
}

std::array<ScreenPoint, 3> MeshRaster::State::corners(std::uint32_t id) const {
  if (id >= triangle_count()) {
    const CutTriangle& cut = cuts[id - triangle_count()];
    return {cut.corners[0].screen, cut.corners[1].screen, cut.corners[2].screen};
  }
  const Corners& t = input->triangles[id];
  return {screen[t[0]], screen[t[1]], screen[t[2]]};
}

bool MeshRaster::State::set_up(std::uint32_t id, const Tile& tile, TileTriangle& result) const {
  const std::array<ScreenPoint, 3> p = corners(id);
  // Pixels that it may touch.
  const auto column = [&](float x) {
    return static_cast<int>(std::clamp(x - static_cast<float>(tile.x), 0.0f, static_cast<float>(tile.width - 1)));
  };
  const auto row = [&](float y) {
    return static_cast<int>(std::clamp(y - static_cast<float>(tile.y), 0.0f, static_cast<float>(tile.height - 1)));
  };
  result.first_column = column(std::min({p[0].x, p[1].x, p[2].x}));
  result.last_column = column(std::max({p[0].x, p[1].x, p[2].x}));
  result.first_row = row(std::min({p[0].y, p[1].y, p[2].y}));
  result.last_row = row(std::max({p[0].y, p[1].y, p[2].y}));

  const double area = double_area(p[0], p[1], p[2]);
  const double origin_x = tile.x + 0.5, origin_y = tile.y + 0.5;
  const auto columns = static_cast<float>(tile.width - 1), rows = static_cast<float>(tile.height - 1);
  for (std::size_t e = 0; e < 3; ++e) {
    const Line line = line_between(p[(e + 1) % 3], p[(e + 2) % 3], origin_x, origin_y);
    // Positive inside, whichever way round the triangle is.
    const bool negative = line.turned != (area < 0);
    const float sign = negative ? -1.0f : 1.0f;
    result.a[e] = sign * static_cast<float>(line.plane.dx);
    result.b[e] = sign * static_cast<float>(line.plane.dy);
    result.c[e] = sign * static_cast<float>(line.plane.at_origin);
    result.threshold[e] = negative ? 0.0f : -1e-37f;
    for (std::size_t s = 0; s < kSamples; ++s) {
      result.edge_offset[e][s] = result.a[e] * kSampleX[s] + result.b[e] * kSampleY[s];
    }
    // The whole tile may lie outside.
    const float reach_x = std::max(result.a[e] * -0.5f, result.a[e] * (columns + 0.5f));
    const float reach_y = std::max(result.b[e] * -0.5f, result.b[e] * (rows + 0.5f));
    if (result.c[e] + reach_x + reach_y < 0) return false;
  }

  const double u = double(p[1].nearness) - p[0].nearness, v = double(p[2].nearness) - p[0].nearness;
  const double dx = (u * (double(p[2].y) - p[0].y) - v * (double(p[1].y) - p[0].y)) / area;
  const double dy = (v * (double(p[1].x) - p[0].x) - u * (double(p[2].x) - p[0].x)) / area;
  const double at_origin = p[0].nearness + dx * (origin_x - p[0].x) + dy * (origin_y - p[0].y);
  // A triangle seen edge-on may have any slope; its samples still lie between its corners.
  const auto bounded = [](double value) { return static_cast<float>(std::clamp(value, -1e30, 1e30)); };
  result.nearness_dx = bounded(dx), result.nearness_dy = bounded(dy), result.nearness = bounded(at_origin);
  result.nearest = std::max({p[0].nearness, p[1].nearness, p[2].nearness});
  result.farthest = std::min({p[0].nearness, p[1].nearness, p[2].nearness});
  for (std::size_t s = 0; s < kSamples; ++s) {
    result.nearness_offset[s] = result.nearness_dx * kSampleX[s] + result.nearness_dy * kSampleY[s];
  }
  result.id = id;
  return true;
}

namespace {

/// The middle of some samples of a pixel, from its centre.
Vec2 middle_of(unsigned samples) {
  static const std::array<Vec2, 256> table = [] {
    std::array<Vec2, 256> middles;
    for (unsigned mask = 1; mask < 256; ++mask) {
      float count = 0;
      for (unsigned s = 0; s < kSamples; ++s) {
        if ((mask >> s & 1u) == 0) continue;
        middles[mask].x += kSampleX[s], middles[mask].y += kSampleY[s];
        ++count;
      }
      middles[mask].x /= count, middles[mask].y /= count;
    }
    return middles;
  }();
  return table[samples];
}

/// A point of a triangle on the screen: perspective-correct barycentric coordinates and their change per pixel.
struct Place {
  Vec3 b, dx, dy;
};

Place place_at(const std::array<ScreenPoint, 3>& p, float x, float y) {
  Place place;
  // Areas opposite the corners, each divided by its corner's depth.
  Vec3 area;
  for (std::size_t i = 0; i < 3; ++i) {
    const ScreenPoint &a = p[(i + 1) % 3], &b = p[(i + 2) % 3];
    const float n = p[i].nearness;
    area[static_cast<int>(i)] = n * ((a.x - x) * (b.y - y) - (a.y - y) * (b.x - x));
    place.dx[static_cast<int>(i)] = n * (a.y - b.y);
    place.dy[static_cast<int>(i)] = n * (b.x - a.x);
  }
  const float sum = area.x + area.y + area.z;
  const float inverse = sum != 0 ? 1 / sum : 0;
  place.b = inverse * area;
  // d(area_i / sum) = (d area_i - b_i d sum) / sum
  place.dx = inverse * (place.dx - (place.dx.x + place.dx.y + place.dx.z) * place.b);
  place.dy = inverse * (place.dy - (place.dy.x + place.dy.y + place.dy.z) * place.b);
  // Rounding may push thin triangles' points out.
  place.b = max(place.b, Vec3{0, 0, 0});
  const float total = place.b.x + place.b.y + place.b.z;
  place.b = total > 0 ? place.b / total : Vec3{1, 0, 0};
  return place;
}

Vec3 from_corners(const CutTriangle& cut, Vec3 b) {
  return b.x * cut.corners[0].barycentric + b.y * cut.corners[1].barycentric + b.z * cut.corners[2].barycentric;
}

}  // namespace

void MeshRaster::State::cut_out(const TileTriangle& triangle, int count, TileWork& work) const {
  const std::array<ScreenPoint, 3> p = corners(triangle.id);
  const std::uint32_t source = source_of(triangle.id);
  for (int k = 0; k < count; ++k) {
    const TouchedPixel touched = work.touched[static_cast<std::size_t>(k)];
    const int column = touched.pixel % kTileSide, row = touched.pixel / kTileSide;
    const float x = static_cast<float>(column), y = static_cast<float>(row);
    for (unsigned s = 0; s < kSamples; ++s) {
      if ((touched.samples >> s & 1u) == 0) continue;
      Vec3 b = place_at(p, static_cast<float>(work.tile.x) + x + 0.5f + kSampleX[s],
                        static_cast<float>(work.tile.y) + y + 0.5f + kSampleY[s])
                   .b;
      if (triangle.id >= triangle_count()) b = from_corners(cuts[triangle.id - triangle_count()], b);
      if (!input->inside(source, b)) continue;
      const std::size_t sample = static_cast<std::size_t>(touched.pixel) * kSamples + s;
      const float nearness = triangle.nearness_dx * x + (triangle.nearness_dy * y + triangle.nearness);
      work.samples.nearness[sample] =
          std::clamp(nearness + triangle.nearness_offset[s], triangle.farthest, triangle.nearest);
      work.samples.triangle[sample] = triangle.id;
    }
  }
}

void MeshRaster::State::gather_thin(const TileTriangle& triangle, int count, TileWork& work) const {
  for (int k = 0; k < count; ++k) {
    const TouchedPixel touched = work.touched[static_cast<std::size_t>(k)];
    const Vec2 middle = middle_of(touched.samples);
    const float x = static_cast<float>(touched.pixel % kTileSide) + middle.x,
                y = static_cast<float>(touched.pixel / kTileSide) + middle.y;
    const float nearness = triangle.nearness + triangle.nearness_dx * x + triangle.nearness_dy * y;
    work.thin.push_back(
        {touched.pixel, touched.samples, triangle.id, std::clamp(nearness, triangle.farthest, triangle.nearest)});
  }
  if (work.thin.size() < 2 * kMaxThin) return;
  // Too many layers: the nearest ones of each pixel stay.
  std::stable_sort(work.thin.begin(), work.thin.end(), [](const ThinFragment& a, const ThinFragment& b) {
    return a.pixel != b.pixel ? a.pixel < b.pixel : a.nearness > b.nearness;
  });
  std::size_t kept = 0, run = 0;
  for (std::size_t i = 0; i < work.thin.size(); ++i) {
    run = i > 0 && work.thin[i].pixel == work.thin[i - 1].pixel ? run + 1 : 0;
    if (run < kMaxThinPerPixel) work.thin[kept++] = work.thin[i];
  }
  work.thin.resize(kept);
}

void MeshRaster::State::add_fragment(std::uint32_t id, unsigned samples, int pixel, std::uint8_t flags,
                                     Tile& tile) const {
  const std::array<ScreenPoint, 3> p = corners(id);
  const Vec2 middle = middle_of(samples);
  Place place = place_at(p, static_cast<float>(tile.x + pixel % kTileSide) + 0.5f + middle.x,
                         static_cast<float>(tile.y + pixel / kTileSide) + 0.5f + middle.y);
  const float depth = place.b.x / p[0].nearness + place.b.y / p[1].nearness + place.b.z / p[2].nearness;
  if (double_area(p[0], p[1], p[2]) > 0) flags |= kBackSide;
  std::uint32_t source = id;
  if (id >= triangle_count()) {
    const CutTriangle& cut = cuts[id - triangle_count()];
    source = cut.source;
    place.b = from_corners(cut, place.b);
    place.dx = from_corners(cut, place.dx);
    place.dy = from_corners(cut, place.dy);
  }
  tile.triangle.push_back(source);
  tile.coverage.push_back(static_cast<float>(std::popcount(samples)) / kSamples);
  tile.b1.push_back(place.b.y), tile.b2.push_back(place.b.z);
  tile.b1_dx.push_back(place.dx.y), tile.b2_dx.push_back(place.dx.z);
  tile.b1_dy.push_back(place.dy.y), tile.b2_dy.push_back(place.dy.z);
  tile.depth.push_back(depth);
  tile.flags.push_back(flags);
}

void MeshRaster::State::resolve(TileWork& work) const {
  Tile& tile = work.tile;
  std::stable_sort(work.thin.begin(), work.thin.end(), [](const ThinFragment& a, const ThinFragment& b) {
    return a.pixel != b.pixel ? a.pixel < b.pixel : a.nearness > b.nearness;
  });
  std::size_t thin = 0;
  for (int row = 0; row < tile.height; ++row) {
    for (int column = 0; column < tile.width; ++column) {
      const int pixel = row * kTileSide + column;
      tile.first.push_back(static_cast<std::uint32_t>(tile.size()));
      for (; thin < work.thin.size() && work.thin[thin].pixel == pixel; ++thin) {
        add_fragment(work.thin[thin].id, work.thin[thin].samples, pixel, kSeeThrough, tile);
      }
      const std::uint32_t* ids = &work.samples.triangle[static_cast<std::size_t>(pixel) * kSamples];
      // Every triangle among the samples once, with all of its samples.
      for (unsigned left = 0xff; left != 0;) {
        const std::uint32_t id = ids[std::countr_zero(left)];
        unsigned samples = 0;
        for (unsigned s = 0; s < kSamples; ++s) samples |= static_cast<unsigned>(ids[s] == id) << s;
        left &= ~samples;
        if (id != kNoTriangle) add_fragment(id, samples, pixel, 0, tile);
      }
    }
  }
  tile.first.push_back(static_cast<std::uint32_t>(tile.size()));
}

namespace {

void clear(Tile& tile) {
  tile.first.clear(), tile.triangle.clear(), tile.coverage.clear(), tile.depth.clear(), tile.flags.clear();
  tile.b1.clear(), tile.b2.clear(), tile.b1_dx.clear(), tile.b2_dx.clear(), tile.b1_dy.clear(), tile.b2_dy.clear();
}

}  // namespace

/// The triangles that may touch a tile, large ones first.
void MeshRaster::State::list_triangles(std::size_t tile, std::vector<std::uint32_t>& list) const {
  list.clear();
  const std::size_t x = tile % static_cast<std::size_t>(tiles_x), y = tile / static_cast<std::size_t>(tiles_x);
  for (const Candidate& candidate : large) {
    if (candidate.touches(x, y)) list.push_back(candidate.id);
  }
  list.insert(list.end(), tile_triangles.begin() + static_cast<std::ptrdiff_t>(tile_first[tile]),
              tile_triangles.begin() + static_cast<std::ptrdiff_t>(tile_first[tile + 1]));
}

void MeshRaster::State::draw_tile(std::size_t index, TileWork& work) const {
  Tile& tile = work.tile;
  clear(tile);
  work.thin.clear();
  tile.x = static_cast<int>(index % static_cast<std::size_t>(tiles_x)) * kTileSide;
  tile.y = static_cast<int>(index / static_cast<std::size_t>(tiles_x)) * kTileSide;
  tile.width = std::min(kTileSide, camera.width - tile.x);
  tile.height = std::min(kTileSide, camera.height - tile.y);
  const std::size_t pixels = static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height);
  list_triangles(index, work.triangles);
  if (work.triangles.empty()) {
    tile.first.assign(pixels + 1, 0);
    return;
  }
  work.samples.nearness.fill(0), work.samples.triangle.fill(kNoTriangle);

  const TileKernels& kernels = tile_kernels();
  TileTriangle triangle;
  bool any_blended = false;
  for (const std::uint32_t id : work.triangles) {
    const std::uint8_t kind = kind_of(source_of(id));
    any_blended |= (kind & kBlended) != 0;
    if ((kind & kBlended) != 0 || !set_up(id, tile, triangle)) continue;
    if ((kind & kCutout) == 0) {
      kernels.fill(triangle, work.samples);
    } else {
      cut_out(triangle, kernels.probe(triangle, work.samples, work.touched.data()), work);
    }
  }
  for (std::size_t i = 0; any_blended && i < work.triangles.size(); ++i) {
    const std::uint32_t id = work.triangles[i];
    if ((kind_of(source_of(id)) & kBlended) == 0 || !set_up(id, tile, triangle)) continue;
    gather_thin(triangle, kernels.probe(triangle, work.samples, work.touched.data()), work);
  }
  resolve(work);
}

MeshRaster::MeshRaster() : state_(std::make_unique<State>()) {}
MeshRaster::~MeshRaster() = default;
MeshRaster::MeshRaster(MeshRaster&&) noexcept = default;
MeshRaster& MeshRaster::operator=(MeshRaster&&) noexcept = default;

void MeshRaster::draw(const RasterInput& input, const splat::Camera& camera, const TileVisitor& visit) {
  LIMBER_EXPECT(camera.width > 0 && camera.height > 0, std::to_string(camera.width));
  LIMBER_EXPECT(input.near > 0, std::to_string(input.near));
  LIMBER_EXPECT(input.kinds.empty() || input.kinds.size() == input.triangles.size(), "one kind per triangle");
  State& state = *state_;
  state.input = &input;
  state.camera = camera;
  state.tiles_x = (camera.width + kTileSide - 1) / kTileSide;
  state.tiles_y = (camera.height + kTileSide - 1) / kTileSide;
  state.project_points();
  state.find_candidates();
  state.sort_into_tiles();
  while (state.thread_work.size() < static_cast<std::size_t>(thread_count())) {
    state.thread_work.push_back(std::make_unique<TileWork>());
  }
  const std::size_t tiles = static_cast<std::size_t>(state.tiles_x) * static_cast<std::size_t>(state.tiles_y);
  parallel_for(tiles, 1, [&](std::size_t tile, std::size_t) {
    TileWork& work = *state.thread_work[static_cast<std::size_t>(thread_index())];
    state.draw_tile(tile, work);
    visit(work.tile);
  });
  state.input = nullptr;
}

}  // namespace limber::scene
