// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"
#include "limber/scene/body.h"
#include "limber/scene/mesh_raster.h"
#include "limber/splat/camera.h"

/// What fragments look like. Private to `scene`.
namespace limber::scene {

/// Light that shows shapes: sky from above, a weaker ground from below, and a key light over the viewer's left
/// shoulder, which goes round with the camera, so that no side is dark. Linear.
struct Lighting {
  Vec3 sky{0.50f, 0.52f, 0.56f}, ground{0.20f, 0.19f, 0.18f}, key{0.60f, 0.58f, 0.55f};
  float sheen = 0.06f;  ///< of the light that a surface mirrors
};

/// The fragments of a pixel put together, front to back: opaque ones share what the blended ones before them let
/// through.
class PixelBlend {
 public:
  /// A fragment's share of the pixel.
  float add(float coverage, bool see_through, float alpha) {
    const float weight = through_ * coverage * (see_through ? alpha : 1.0f);
    if (see_through) through_ -= weight;
    sum_ += weight;
    return weight;
  }
  float covered() const { return sum_ < 1 ? sum_ : 1.0f; }

 private:
  float through_ = 1, sum_ = 0;
};

/// Looks at fragments of one image.
class Shader {
 public:
  Shader(const BodyMesh& mesh, const BodyPose& pose, const splat::Camera& camera, const Lighting& lighting = {});

  /// Display colour and alpha.
  Vec4 color(const Tile& tile, std::size_t fragment) const;
  /// Alpha alone.
  float alpha(const Tile& tile, std::size_t fragment) const;
  /// Unit, towards the viewer's side of the surface, world.
  Vec3 normal(const Tile& tile, std::size_t fragment) const;
  /// The part that the fragment belongs to: that of the corners which are nearest together; -1 for none.
  int part(const Tile& tile, std::size_t fragment) const;
  Vec3 weight_color(const Tile& tile, std::size_t fragment) const;
  /// RasterInput::inside
  bool inside(std::uint32_t triangle, Vec3 barycentric) const;

 private:
  Vec3 face_normal(const std::array<std::uint32_t, 3>& corners) const;

  const BodyMesh& mesh_;
  const BodyPose& pose_;
  Lighting lighting_;
  Vec3 eye_, key_direction_;
};

/// The display value of a linear one in 0 .. 1 (clamped): srgb_from_linear by a table.
float display_from_linear(float linear);

}  // namespace limber::scene
