// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/surface.h"

#include <gtest/gtest.h>

#include <limits>

namespace limber::asset {
namespace {

Surface tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

double volume(const Surface& s) {
  double sum = 0;
  for (const auto& [a, b, c] : s.triangles) sum += double(dot(s.points[a], cross(s.points[b], s.points[c]))) / 6;
  return sum;
}

TEST(Surface, BecomesAnAssetAndComesBackAsItWas) {
  const Surface given = tetrahedron();
  const Asset asset = asset_from_surface(given, "thing").value();
  const Surface back = posed_surface(asset, rest_state(asset));
  EXPECT_EQ(back.points, given.points);
  EXPECT_EQ(back.triangles, given.triangles);
  EXPECT_TRUE(posed_surface(asset, rest_state(asset), false).triangles.empty());
}

TEST(Surface, StaysInsideInUnderANodeThatMirrors) {
  Asset asset = asset_from_surface(tetrahedron(), "thing").value();
  asset.nodes[0].local.scale = {-1, 1, 1};
  asset.nodes.push_back(Node{});
  asset.nodes[1].mesh = 0;
  asset.scenes[0].roots.push_back(1);
  const Surface both = posed_surface(asset, rest_state(asset));
  EXPECT_EQ(both.points.size(), 8u);
  EXPECT_NEAR(volume(both), 2.0 / 6, 1e-6);
}

TEST(Surface, IsRefusedWithThePlaceOfWhatIsWrong) {
  Surface wrong = tetrahedron();
  wrong.triangles[2][1] = 4;
  EXPECT_EQ(asset_from_surface(wrong, "thing").error().where, "thing#/faces/2");
  wrong = tetrahedron();
  wrong.points[1].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(asset_from_surface(wrong, "thing").error().where, "thing#/vertices/1");
  EXPECT_FALSE(asset_from_surface({}, "thing").ok());
}

TEST(TurnScene, TurnsAllThatIsShownWithOrWithoutScenes) {
  const Quat turn = axis_angle(Vec3{0, 0, 1}, static_cast<float>(kPi / 2));
  for (const bool scenes : {true, false}) {
    Asset asset = asset_from_surface(tetrahedron(), "thing").value();
    if (!scenes) asset.scenes.clear(), asset.scene = -1;
    turn_scene(asset, turn);
    const Surface turned = posed_surface(asset, rest_state(asset));
    EXPECT_LT(norm(turned.points[1] - Vec3{0, 1, 0}), 1e-6f) << scenes;
  }
}

}  // namespace
}  // namespace limber::asset
