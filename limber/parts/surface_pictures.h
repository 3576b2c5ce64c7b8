// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"

/// A body as the network of parts sees it: small pictures from all sides, and what every pixel shows. What it is taught
/// with and what it is asked about are drawn by the same code.
namespace limber::parts {

using Triangle = std::array<std::uint32_t, 3>;

/// Where places and the colours of parts are counted: in the box of the body's first frame, with axes to the right of
/// the first camera, up, and towards it. A frame that the camera does not know would leave the colours unknowable.
struct CodeFrame {
  Vec3 right{1, 0, 0}, towards{0, 0, 1};
  Vec3 low, size{1, 1, 1};  ///< along these axes; no side is much shorter than the longest

  Vec3 turned(Vec3 world) const { return {dot(right, world), world.y, dot(towards, world)}; }
  /// 0 to 1 within the box.
  Vec3 code(Vec3 world) const;
  Vec3 world(Vec3 code) const;
};
/// Points that are not finite are left out.
CodeFrame make_code_frame(std::span<const Vec3> points, float azimuth);

/// The colour of a part whose middle has this code: black is kept for what is no body.
Vec3 part_color(Vec3 code);
Vec3 code_of_part_color(Vec3 color);
/// The colour of a place, also of one that left the box of the first frame.
Vec3 place_color(Vec3 code);
/// Display values as bytes.
std::array<std::uint8_t, 3> color_bytes(Vec3 color);

/// A body in motion, or not.
struct PicturedBody {
  std::vector<std::span<const Vec3>> frames;  ///< its points at each moment; the same memory twice: it keeps still
  std::span<const Triangle> triangles;
  std::span<const Vec3> colors;          ///< per point, as displays show them; empty: grey
  std::span<const std::uint8_t> labels;  ///< per triangle: its part; empty: all one
};

/// Cameras stand around the body at equal angles, go along with it, and all keep the same distance.
struct PictureSettings {
  int views = 4, size = 64;
  float azimuth = 0;        ///< of the first camera: 0 looks from +Z, growing towards +X
  float elevation = 0.25f;  ///< radians
  /// For a body that keeps still: cameras of each frame stand between those of the one before, and as high as its
  /// number here says, radians. As many as frames; empty: all frames are seen from the same places.
  std::vector<float> orbit;
  float fill = 0.9f;  ///< of the picture that the body may take
  float field_of_view = 0.6f;
  Vec3 light{-0.35f, 0.8f, 0.5f};  ///< where it comes from: right of the first camera, up, towards it
  float ambient = 0.45f;           ///< of the light, from everywhere
};

/// How high the cameras of each frame stand around a mesh: the first at `elevation`, then from above and below.
std::vector<float> mesh_orbit(int frames, float elevation);

/// Pictures, views x frames of them. Black where nothing is seen.
struct SurfacePictures {
  int views = 0, frames = 0, size = 0;
  std::vector<float> elevations;  ///< per frame: of its cameras
  CodeFrame frame;
  std::vector<std::uint8_t> colors, places, normals;  ///< pictures x size x size x 3
  std::vector<std::uint8_t> labels;                   ///< pictures x size x size: 0 for nothing, else the part plus one
  std::vector<std::int32_t> triangles;                ///< likewise: the one that is seen, -1 for none
  std::vector<float> facings;  ///< likewise: cosine between its normal and the direction to the camera, 0 for none

  int pictures() const { return views * frames; }
  std::size_t pixels() const {
    return static_cast<std::size_t>(pictures()) * static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  }
};

/// Four samples a pixel; a pixel shows what most of them do. Indices of triangles are valid, points may be anything.
SurfacePictures draw_pictures(const PicturedBody& body, const PictureSettings& settings);

/// The middle of each part in the first frame, as a code; a part without area has that of the box.
std::vector<Vec3> part_codes(const PicturedBody& body, const CodeFrame& frame, int parts);

}  // namespace limber::parts
