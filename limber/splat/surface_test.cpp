// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/expect.h"

namespace limber::splat {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// A box with sides 1, 2 and 0.5, as 12 triangles.
struct Box {
  std::vector<Vec3> points;
  Triangles triangles;
  Box() {
    for (int i = 0; i < 8; ++i) points.push_back({float(i & 1), 2.0f * float(i >> 1 & 1), 0.5f * float(i >> 2)});
    const std::uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : quads) {
      triangles.push_back({q[0], q[1], q[2]});
      triangles.push_back({q[0], q[2], q[3]});
    }
  }
  Surface surface() const { return {points, triangles, {}, 0, {}, {}}; }
};

/// Which of the six sides a point lies on, -1 for none.
int side_of(Vec3 p) {
  const float high[] = {1, 2, 0.5f};
  for (int k = 0; k < 3; ++k) {
    if (std::abs(p[k]) < 1e-5f) return 2 * k;
    if (std::abs(p[k] - high[k]) < 1e-5f) return 2 * k + 1;
  }
  return -1;
}

TEST(SampleSurface, SpreadsGaussiansByAreaFlatOnTheSurface) {
  const Box box;
  const Gaussians g = sample_surface(box.surface(), {.count = 4000});
  ASSERT_EQ(g.size(), 4000u);
  std::array<int, 6> found{};
  for (std::size_t i = 0; i < g.size(); ++i) {
    const int side = side_of(g.means[i]);
    ASSERT_GE(side, 0);
    ++found[static_cast<std::size_t>(side)];
    // The thin axis stands on the surface, along one of the box's axes.
    const Vec3 normal = rotate(g.rotations[i], Vec3{0, 0, 1});
    EXPECT_GT(std::max({std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)}), 0.999f);
    EXPECT_LT(g.scales[i].z, 0.3f * g.scales[i].x);
  }
  const double areas[] = {1, 0.5, 2};  // along x, y, z; 7 in all
  for (int side = 0; side < 6; ++side) {
    const double expected = 4000 * areas[side / 2] / 7;
    EXPECT_NEAR(found[static_cast<std::size_t>(side)], expected, 0.05 * expected) << side;
  }
}

TEST(SampleSurface, KeepsNeighboursApart) {
  const Box box;
  const Gaussians g = sample_surface(box.surface(), {.count = 2000});
  const double spacing = std::sqrt(7.0 / 2000);
  std::vector<double> nearest;
  for (std::size_t i = 0; i < g.size(); ++i) {
    double best = 1e9;
    for (std::size_t j = 0; j < g.size(); ++j) {
      if (j != i) best = std::min(best, double(norm(g.means[i] - g.means[j])));
    }
    nearest.push_back(best / spacing);
  }
  std::sort(nearest.begin(), nearest.end());
  EXPECT_GT(nearest[nearest.size() / 100], 0.5);  // 0.1 for independent samples
  EXPECT_GT(nearest[nearest.size() / 2], 0.75);
}

TEST(SampleSurface, GivesTheSameBitsForTheSameSeedOnly) {
  const Box box;
  const Gaussians a = sample_surface(box.surface(), {.count = 500}), b = sample_surface(box.surface(), {.count = 500});
  EXPECT_EQ(a, b);
  SampleSettings other{.count = 500};
  other.seed = 1;
  EXPECT_NE(a, sample_surface(box.surface(), other));
}

TEST(SampleSurface, BlendsSkinWeights) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Triangles triangles{{0, 1, 2}};
  const std::vector<std::uint16_t> bones{0, 5, 1, 5, 2, 5};
  const std::vector<float> weights{1, 0, 1, 0, 0.25f, 0.75f};
  const Surface surface{points, triangles, {}, 2, bones, weights};
  const Gaussians g = sample_surface(surface, {.count = 200});
  ASSERT_EQ(g.influences, 4);
  ASSERT_EQ(g.weights.size(), 4 * g.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    float total = 0;
    Vec3 place;
    for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) {
      total += g.weights[k];
      if (k > 4 * i) {
        EXPECT_LE(g.weights[k], g.weights[k - 1]);
      }
      if (g.bones[k] == 1) place.x += g.weights[k];
      if (g.weights[k] > 0 && (g.bones[k] == 2 || g.bones[k] == 5)) place.y += g.weights[k];
    }
    EXPECT_NEAR(total, 1, 1e-6);
    EXPECT_NEAR(place.x, g.means[i].x, 1e-5);
    EXPECT_NEAR(place.y, g.means[i].y, 1e-5);
  }
}

TEST(SampleSurface, GivesNothingForSurfacesWithoutArea) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {nan, 0, 0}};
  const Triangles line{{0, 1, 2}}, broken{{0, 1, 3}};
  EXPECT_EQ(sample_surface({points, line, {}, 0, {}, {}}).size(), 0u);
  EXPECT_EQ(sample_surface({points, broken, {}, 0, {}, {}}).size(), 0u);
  EXPECT_EQ(sample_surface({points, {}, {}, 0, {}, {}}).size(), 0u);
  EXPECT_EQ(sample_surface(Box().surface(), {.count = 0}).size(), 0u);
  EXPECT_EQ(sample_surface(Box().surface(), {.count = 1}).size(), 1u);
  const Triangles outside{{0, 1, 9}};
  EXPECT_THROW(sample_surface({points, outside, {}, 0, {}, {}}), ContractError);
}

/// A unit square of two triangles with texture coordinates and a material.
struct TexturedSquare {
  asset::Asset asset;
  asset::Primitive primitive;
  TexturedSquare() {
    primitive.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    primitive.indices = {0, 1, 2, 0, 2, 3};
    primitive.texcoords = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    primitive.material = 0;
    asset.materials.emplace_back();
    asset.materials[0].base_color = {0.5f, 1, 1, 1};
    asset.materials[0].base_color_texture.texture = 3;
  }
  Surface surface(const Triangles& triangles, SurfaceColor color) const {
    return {primitive.positions, triangles, std::move(color), 0, {}, {}};
  }
};

TEST(PrimitiveColor, MultipliesVertexColoursMaterialAndTexture) {
  TexturedSquare square;
  square.primitive.colors = {{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}}};
  // Texture: red ramp along u.
  const TextureLookup lookup = [](int texture, Vec2 uv) {
    EXPECT_EQ(texture, 3);
    return Vec4{uv.x, 1, 1, 1};
  };
  const SurfaceColor color = primitive_color(square.asset, square.primitive, lookup);
  const Vec4 c = color(0, {0.25f, 0.5f, 0.25f});  // at (0.75, 0.25)
  EXPECT_NEAR(c.x, 0.5 * 0.75, 1e-6);
  EXPECT_NEAR(c.y, 0.75, 1e-6);
  EXPECT_NEAR(c.z, 1, 1e-6);
  EXPECT_EQ(c.w, 1);
}

TEST(PrimitiveColor, TransformsTextureCoordinates) {
  TexturedSquare square;
  asset::TextureUse& use = square.asset.materials[0].base_color_texture;
  use.offset = {0.1f, 0.2f};
  use.scale = {2, 3};
  use.rotation = static_cast<float>(kPi / 2);
  Vec2 seen;
  const SurfaceColor color = primitive_color(square.asset, square.primitive, [&](int, Vec2 uv) {
    seen = uv;
    return Vec4{1, 1, 1, 1};
  });
  color(0, {0, 1, 0});  // uv (1, 0) -> scaled (2, 0) -> turned (0, -2)
  EXPECT_NEAR(seen.x, 0.1, 1e-6);
  EXPECT_NEAR(seen.y, 0.2 - 2, 1e-6);
}

TEST(PrimitiveColor, CutsOutWhatTheMaskHides) {
  TexturedSquare square;
  square.asset.materials[0].alpha_mode = asset::AlphaMode::kMask;
  const TextureLookup half = [](int, Vec2 uv) { return Vec4{1, 1, 1, uv.x < 0.5f ? 1.0f : 0.0f}; };
  const Triangles triangles = asset::triangles(square.primitive);
  const Gaussians g =
      sample_surface(square.surface(triangles, primitive_color(square.asset, square.primitive, half)), {.count = 1000});
  EXPECT_NEAR(double(g.size()), 500, 50);
  for (const Vec3& mean : g.means) EXPECT_LT(mean.x, 0.55f);
}

TEST(PrimitiveColor, GivesDisplayColoursToGaussians) {
  TexturedSquare square;
  const Triangles triangles = asset::triangles(square.primitive);
  const Gaussians g =
      sample_surface(square.surface(triangles, primitive_color(square.asset, square.primitive)), {.count = 10});
  for (const Vec3& color : base_colors(g)) {
    EXPECT_NEAR(color.x, srgb_from_linear(0.5f), 1e-5);
    EXPECT_NEAR(color.y, 1, 1e-5);
  }
  for (const float v : {0.0f, 0.001f, 0.2f, 1.0f}) EXPECT_NEAR(linear_from_srgb(srgb_from_linear(v)), v, 1e-6);
}

}  // namespace
}  // namespace limber::splat
