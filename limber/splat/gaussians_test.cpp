// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/gaussians.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/asset/ply.h"
#include "limber/base/rng.h"
#include "limber/testing/shared_data.h"

namespace limber::splat {
namespace {

Gaussians random_gaussians(std::size_t count, int degree) {
  Rng rng(3);
  const auto draw = [&] { return static_cast<float>(rng.normal()); };
  Gaussians g;
  g.degree = degree;
  for (std::size_t i = 0; i < count; ++i) {
    g.means.push_back({draw(), draw(), draw()});
    g.rotations.push_back(normalized(Quat{draw(), draw(), draw(), draw()}));
    g.scales.push_back({std::exp(draw()), std::exp(draw()), std::exp(draw())});
    g.opacities.push_back(static_cast<float>(rng.uniform(0.01, 0.99)));
    for (int k = 0; k < harmonic_count(degree); ++k) g.harmonics.push_back({draw(), draw(), draw()});
  }
  return g;
}

TEST(SplatPly, KeepsACloudOfEveryDegree) {
  const testing::TemporaryFolder folder;
  for (int degree = 0; degree <= kMaxHarmonicDegree; ++degree) {
    const Gaussians g = random_gaussians(20, degree);
    ASSERT_TRUE(write_splat_ply(g, folder.path() / "cloud.ply").ok());
    const auto back = read_splat_ply(folder.path() / "cloud.ply");
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(back->means, g.means);
    EXPECT_EQ(back->degree, degree);
    EXPECT_EQ(back->harmonics, g.harmonics);
    for (std::size_t i = 0; i < g.size(); ++i) {
      EXPECT_NEAR(back->opacities[i], g.opacities[i], 1e-6);
      EXPECT_NEAR(std::abs(dot(back->rotations[i], g.rotations[i])), 1, 1e-6);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(back->scales[i][k] / g.scales[i][k], 1, 1e-6);
    }
  }
}

TEST(SplatPly, HasTheLayoutThatViewersExpect) {
  Gaussians g = random_gaussians(1, 1);
  g.rotations[0] = {0.5f, -0.5f, 0.5f, 0.5f};
  g.opacities[0] = 0.5f;
  g.scales[0] = {1, std::exp(1.0f), 1};
  const auto table = asset::read_ply_vertices(write_splat_ply(g), "cloud.ply");
  ASSERT_TRUE(table.ok());
  const std::vector<std::string> names{
      "x",        "y",        "z",        "nx",       "ny",       "nz",       "f_dc_0",   "f_dc_1",   "f_dc_2",
      "f_rest_0", "f_rest_1", "f_rest_2", "f_rest_3", "f_rest_4", "f_rest_5", "f_rest_6", "f_rest_7", "f_rest_8",
      "opacity",  "scale_0",  "scale_1",  "scale_2",  "rot_0",    "rot_1",    "rot_2",    "rot_3"};
  EXPECT_EQ(table->names, names);
  const auto value = [&](const char* name) { return (*table->find(name))[0]; };
  EXPECT_EQ(value("f_rest_1"), g.harmonics[2].x);  // second coefficient of red
  EXPECT_EQ(value("f_rest_3"), g.harmonics[1].y);  // first of green
  EXPECT_NEAR(value("opacity"), 0, 1e-6);
  EXPECT_NEAR(value("scale_1"), 1, 1e-6);
  EXPECT_EQ(value("rot_0"), 0.5f);   // w
  EXPECT_EQ(value("rot_2"), -0.5f);  // y
}

TEST(SplatPly, WritesFiniteNumbersForOpaqueAndFlatGaussians) {
  Gaussians g = random_gaussians(2, 0);
  g.opacities = {0, 1};
  g.scales[0].z = 0;
  const auto back = read_splat_ply(write_splat_ply(g), "cloud.ply");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_NEAR(back->opacities[0], 0, 1e-5);
  EXPECT_NEAR(back->opacities[1], 1, 1e-5);
  EXPECT_LT(back->scales[0].z, 1e-15f);
}

TEST(SplatPly, SaysWhatIsMissingOrBroken) {
  const Bytes whole = write_splat_ply(random_gaussians(5, 2));
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_FALSE(read_splat_ply(std::span(whole).first(size), "cloud.ply").ok()) << size;
  }
  auto table = asset::read_ply_vertices(whole, "cloud.ply").value();
  for (const char* name : {"opacity", "rot_3", "f_dc_1", "f_rest_4", "x"}) {
    asset::PlyVertices less;
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      if (table.names[i] == name) continue;
      less.names.push_back(table.names[i]);
      less.columns.push_back(table.columns[i]);
    }
    EXPECT_FALSE(read_splat_ply(asset::write_ply_vertices(less), "cloud.ply").ok()) << name;
  }
  table.columns[0][3] = std::numeric_limits<float>::quiet_NaN();
  const auto nan = read_splat_ply(asset::write_ply_vertices(table), "cloud.ply");
  ASSERT_FALSE(nan.ok());
  EXPECT_EQ(nan.error().where, "cloud.ply#/vertex/3");
}

TEST(Gaussians, BaseColorsInvertHarmonicFromColor) {
  Gaussians g = random_gaussians(1, 0);
  g.harmonics[0] = harmonic_from_color({0.25f, 0.5f, 1});
  const Vec3 color = base_colors(g)[0];
  EXPECT_NEAR(color.x, 0.25f, 1e-6);
  EXPECT_NEAR(color.y, 0.5f, 1e-6);
  EXPECT_NEAR(color.z, 1, 1e-6);
}

}  // namespace
}  // namespace limber::splat
