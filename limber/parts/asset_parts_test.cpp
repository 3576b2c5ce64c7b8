// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/asset_parts.h"

#include <gtest/gtest.h>

#include "limber/zoo/creature.h"

namespace limber::parts {
namespace {

TEST(UprightMesh, StandsAndFacesAsTold) {
  zoo::CreatureSettings settings;
  settings.resolution = 28;
  const zoo::Creature creature = zoo::make_creature(settings).value();
  const asset::Asset asset = zoo::static_asset(creature);
  const auto mesh = upright_mesh(asset, rig::make_facing({0, 1, 0}, {0, 0, 1}).value());
  ASSERT_TRUE(mesh.ok()) << mesh.error().message();
  ASSERT_EQ(mesh->triangles.size(), creature.subject.triangles.size());
  EXPECT_EQ(mesh->colors.size(), mesh->points.size());
  // Coats are no single grey.
  EXPECT_NE(mesh->colors.front(), mesh->colors[mesh->colors.size() / 2]);
  // Told that it looks along -X, it is turned by a quarter.
  const auto turned = upright_mesh(asset, rig::make_facing({0, 1, 0}, {-1, 0, 0}).value());
  ASSERT_TRUE(turned.ok());
  for (std::size_t i = 0; i < mesh->points.size(); i += 97) {
    const Vec3 p = mesh->points[i];
    EXPECT_NEAR(norm(turned->points[i] - Vec3{p.z, p.y, -p.x}), 0, 1e-5);
  }
  EXPECT_FALSE(upright_mesh(asset::Asset{}).ok());
}

}  // namespace
}  // namespace limber::parts
