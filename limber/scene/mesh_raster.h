// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/splat/camera.h"

/// Which triangles are seen in which pixels: visibility only, what they look like is up to the caller (see layers.h).
/// Eight samples per pixel, z-buffered, clipped at the near plane, watertight along shared edges. Tiles are spread over
/// threads; the same bits for any number of them.
namespace limber::scene {

/// How a triangle takes part, bits to be combined.
inline constexpr std::uint8_t kOneSided = 1;  ///< hidden where its back (clockwise) side is seen
inline constexpr std::uint8_t kCutout = 2;    ///< only there where `RasterInput::inside` says so
inline constexpr std::uint8_t kBlended = 4;   ///< seen through: what lies behind is reported too

/// Triangles in the world. Indices are valid; points may be anything, triangles with a corner that is not finite are
/// left out.
struct RasterInput {
  std::span<const Vec3> points;
  std::span<const std::array<std::uint32_t, 3>> triangles;
  std::span<const std::uint8_t> kinds;  ///< per triangle; empty: opaque, two-sided
  /// Whether a cut-out triangle is there at a point of it. Called from several threads.
  std::function<bool(std::uint32_t triangle, Vec3 barycentric)> inside;
  float near = 0.01f;  ///< nothing nearer to the camera's plane is drawn, > 0
};

/// What is seen in one tile of the image: for every pixel its fragments, blended ones first, from front to back, then
/// opaque ones in no particular order.
///
/// A fragment is the part of a pixel where one triangle is seen: `coverage` of the pixel's area, sampled in eighths.
/// Its place on the triangle is that of the middle of the samples, so it always lies inside. Opaque coverages of a
/// pixel sum to one at most; that of a blended fragment is what no opaque triangle hides. A triangle that the near
/// plane cuts may have two fragments in a pixel.
struct Tile {
  int x = 0, y = 0, width = 0, height = 0;  ///< in the image
  std::vector<std::uint32_t> first;         ///< per pixel, rows of the tile: its first fragment; and the end

  // Per fragment.
  std::vector<std::uint32_t> triangle;
  std::vector<float> coverage;
  std::vector<float> b1, b2;        ///< barycentric coordinates of the second and third corner, perspective-correct
  std::vector<float> b1_dx, b2_dx;  ///< their change per pixel to the right
  std::vector<float> b1_dy, b2_dy;  ///< and per pixel down
  std::vector<float> depth;         ///< camera z
  std::vector<std::uint8_t> flags;  ///< kBackSide, kSeeThrough

  std::size_t size() const { return triangle.size(); }
};
inline constexpr std::uint8_t kBackSide = 1;    ///< the triangle's clockwise side is seen
inline constexpr std::uint8_t kSeeThrough = 2;  ///< a blended fragment

/// Called once for every tile of the image, from several threads at once.
using TileVisitor = std::function<void(const Tile& tile)>;

/// Keeps its buffers from image to image. Not thread-safe.
class MeshRaster {
 public:
  MeshRaster();
  ~MeshRaster();
  MeshRaster(MeshRaster&&) noexcept;
  MeshRaster& operator=(MeshRaster&&) noexcept;

  void draw(const RasterInput& input, const splat::Camera& camera, const TileVisitor& visit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Where the eight samples of a pixel lie, in pixels from its centre.
inline constexpr std::array<float, 8> kSampleX{1 / 16.f,  -1 / 16.f, 5 / 16.f, -3 / 16.f,
                                               -5 / 16.f, -7 / 16.f, 3 / 16.f, 7 / 16.f};
inline constexpr std::array<float, 8> kSampleY{-3 / 16.f, 3 / 16.f,  1 / 16.f, -5 / 16.f,
                                               5 / 16.f,  -1 / 16.f, 7 / 16.f, -7 / 16.f};

}  // namespace limber::scene
