// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/splat/gaussians.h"

/// Gaussians on the surface of a mesh.
namespace limber::splat {

/// Colour at a point of a triangle, by barycentric coordinates: linear RGB and alpha.
using SurfaceColor = std::function<Vec4(std::size_t triangle, Vec3 barycentric)>;

/// Triangles to cover. Normals are those of the triangles.
struct Surface {
  std::span<const Vec3> points;
  std::span<const std::array<std::uint32_t, 3>> triangles;
  SurfaceColor color;  ///< empty: a light grey

  // Skin of the points, where there is one.
  int influences = 0;
  std::span<const std::uint16_t> bones;  ///< points x influences
  std::span<const float> weights;        ///< points x influences
};

struct SampleSettings {
  std::size_t count = 20000;   ///< Gaussians; fewer where the surface is cut out by its alpha
  float width = 0.55f;         ///< standard deviation along the surface, of the distance between neighbours
  float thickness = 0.08f;     ///< standard deviation across the surface, likewise
  float opacity = 0.98f;       ///< of an opaque surface
  float alpha_cutoff = 0.05f;  ///< samples with less alpha are left out
  int influences = 4;          ///< kept per Gaussian, 1 to 8
  std::uint64_t seed = 0;      ///< same surface, settings and seed give the same bits
};

/// Flat Gaussians spread evenly over the surface, by area: candidates are thinned out until the rest keep their
/// distance (weighted sample elimination, Yuksel 2015). Each takes the colour around its place and the blended skin
/// weights of its triangle. A surface without area gives none.
Gaussians sample_surface(const Surface& surface, const SampleSettings& settings = {});

/// Looks up a texture of the asset: linear RGB and alpha at `uv`, wrapping left to the callee.
using TextureLookup = std::function<Vec4(int texture, Vec2 uv)>;

/// The colour of a primitive's triangles (as `asset::triangles` lists them): vertex colours times material times base
/// colour texture, plus what it emits. Without a lookup, textures count as white. Keeps references to both arguments.
SurfaceColor primitive_color(const asset::Asset& asset, const asset::Primitive& primitive, TextureLookup lookup = {});

/// The display value (sRGB curve) of a linear one, and back; inputs are clamped to 0 .. 1.
float srgb_from_linear(float value);
float linear_from_srgb(float value);

}  // namespace limber::splat
