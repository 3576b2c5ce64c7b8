// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/asset/encoders.h"

namespace limber::asset {
namespace {

Asset triangle() {
  Asset asset;
  Primitive primitive;
  primitive.positions = {{0, 0, 0}, {0.1f, 0, 0}, {0, 1e-7f, 0}};
  asset.meshes.resize(1);
  asset.meshes[0].primitives = {primitive};
  asset.nodes.resize(1);
  asset.nodes[0].name = "left ear";
  asset.nodes[0].mesh = 0;
  return asset;
}

TEST(ObjText, WritesEveryFloatSoThatItReadsBackTheSame) {
  EXPECT_EQ(obj_text(triangle()).value(), "# limber\ng left_ear_0\nv 0 0 0\nv 0.1 0 0\nv 0 1e-07 0\nf 1 2 3\n");
}

TEST(ObjText, TurnsMirroredFacesAndMovesToTheWorld) {
  Asset asset = triangle();
  asset.nodes[0].local = {{5, 0, 0}, {}, {-1, 1, 1}};
  const std::string text = obj_text(asset).value();
  EXPECT_NE(text.find("v 4.9 0 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("f 1 3 2\n"), std::string::npos) << text;
}

TEST(ObjText, CountsVerticesTextureCoordinatesAndNormalsThroughTheFile) {
  Asset asset = triangle();
  asset.meshes[0].primitives.push_back(asset.meshes[0].primitives[0]);
  asset.meshes[0].primitives[1].texcoords = {{{0, 0}, {1, 0}, {0, 0.25f}}};
  asset.meshes[0].primitives[1].normals.assign(3, {0, 0, 1});
  asset.meshes[0].primitives.push_back(asset.meshes[0].primitives[0]);
  asset.meshes[0].primitives[2].normals.assign(3, {0, 0, 1});
  const std::string text = obj_text(asset).value();
  EXPECT_NE(text.find("vt 0 0.75\n"), std::string::npos) << text;
  EXPECT_NE(text.find("f 4/1/1 5/2/2 6/3/3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("f 7//4 8//5 9//6\n"), std::string::npos) << text;
}

TEST(ObjText, LeavesOutPointsAndLines) {
  Asset asset = triangle();
  asset.meshes[0].primitives[0].mode = PrimitiveMode::kLineStrip;
  EXPECT_EQ(obj_text(asset).value(), "# limber\n");
  EXPECT_EQ(obj_text(Asset{}).value(), "# limber\n");
}

}  // namespace
}  // namespace limber::asset
