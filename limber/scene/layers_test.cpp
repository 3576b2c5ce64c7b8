// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/layers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/asset/picture.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/testing/toy_assets.h"

namespace limber::scene {
namespace {

constexpr Layer kAll[] = {Layer::kRgb,   Layer::kMask,     Layer::kDepth,  Layer::kNormals,
                          Layer::kParts, Layer::kSkeleton, Layer::kWeights};

/// A body in a pose, drawn.
struct Drawn {
  explicit Drawn(const asset::Asset& asset, int width = 120, int height = 90, const LayerSettings& settings = {},
                 const OrbitSettings& orbit = {})
      : body(Body::from_asset(asset).value()) {
    body.pose(asset.clips.empty() ? asset::rest_state(asset) : asset::clip_state(asset, asset.clips[0], 0.3), pose);
    OrbitSettings around = orbit;
    around.width = width, around.height = height;
    const Box box = pose_box(body.mesh(), pose);
    camera = orbit_cameras(std::span(&box, 1), 24, around)[0];
    LayerRenderer renderer(body, settings);
    renderer.set_pose(pose);
    renderer.draw(camera, kAll, pictures, &numbers);
  }
  const Bitmap& picture(Layer layer) const { return pictures[static_cast<std::size_t>(layer)]; }

  Body body;
  BodyPose pose;
  Camera camera;
  std::vector<Bitmap> pictures;
  LayerNumbers numbers;
};

/// A single square facing +Z, on the ground, with a material.
asset::Asset square_asset(const asset::Material& material) {
  asset::Asset asset;
  const int node = testing::add_node(asset, -1, "square");
  asset::Primitive square;
  square.positions = {{-0.5f, 0, 0}, {0.5f, 0, 0}, {0.5f, 1, 0}, {-0.5f, 1, 0}};
  square.texcoords = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  square.indices = {0, 1, 2, 0, 2, 3};
  square.material = 0;
  asset.meshes.emplace_back().primitives.push_back(square);
  asset.nodes[static_cast<std::size_t>(node)].mesh = 0;
  asset.materials = {material};
  return asset;
}

OrbitSettings from_front() {
  OrbitSettings orbit;
  orbit.azimuth = 0, orbit.elevation = 0;
  return orbit;
}

TEST(Layers, ShareOneCoverage) {
  const asset::Asset asset = testing::tube_asset(5);
  const Drawn drawn(asset);
  for (int y = 0; y < drawn.camera.height; ++y) {
    for (int x = 0; x < drawn.camera.width; ++x) {
      const float coverage = drawn.numbers.coverage[static_cast<std::size_t>(y * drawn.camera.width + x)];
      const auto expected = static_cast<int>(255 * coverage + 0.5f);
      ASSERT_EQ(drawn.picture(Layer::kMask).at(x, y)[0], expected);
      // Every data layer is there exactly where the mask is.
      for (const Layer layer : {Layer::kDepth, Layer::kNormals, Layer::kParts, Layer::kWeights}) {
        const std::uint8_t* p = drawn.picture(layer).at(x, y);
        const int brightest = std::max({p[0], p[1], p[2]});
        ASSERT_EQ(brightest > 0, expected > 0) << name(layer) << " at " << x << ", " << y;
      }
      ASSERT_EQ(drawn.numbers.depth[static_cast<std::size_t>(y * drawn.camera.width + x)] > 0, expected > 0);
    }
  }
}

TEST(Layers, OfASquareMatchItsProjectionToTheEighthOfAPixel) {
  asset::Asset asset = square_asset({});
  const Body body = Body::from_asset(asset).value();
  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  LayerRenderer renderer(body);
  renderer.set_pose(pose);
  const Camera camera = splat::look_at({0, 0.5f, 3}, {0, 0.5f, 0}, {0, 1, 0}, 0.7f, 97, 83);
  std::vector<Bitmap> pictures;
  LayerNumbers numbers;
  renderer.draw(camera, std::span(kAll, 2), pictures, &numbers);
  double area = 0;
  for (const float c : numbers.coverage) area += double(c);
  const double side = double(camera.fx) / 3;
  EXPECT_NEAR(area, side * side, 4 * side / 16);
  for (std::size_t i = 0; i < numbers.depth.size(); ++i) {
    EXPECT_NEAR(numbers.depth[i], numbers.coverage[i] > 0 ? 3 : 0, 1e-4);
  }
}

TEST(Layers, PutDiscsWhereJointsAre) {
  const asset::Asset asset = testing::tube_asset(5);
  LayerSettings settings;
  settings.joint_radius = 0.01f, settings.min_joint_radius = 3;
  const Drawn drawn(asset, 320, 240, settings);
  for (std::size_t j = 0; j < drawn.pose.joints.size(); ++j) {
    const Vec3 c = drawn.camera.camera_from_world * drawn.pose.joints[j];
    const int x = static_cast<int>(drawn.camera.fx * c.x / c.z + drawn.camera.cx);
    const int y = static_cast<int>(drawn.camera.fy * c.y / c.z + drawn.camera.cy);
    const Vec3 color = joint_color(static_cast<int>(j));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(drawn.picture(Layer::kSkeleton).at(x, y)[k], 255 * color[k], 1.5);
  }
}

TEST(Layers, OfTheSkeletonLieOverADimmedPicture) {
  const asset::Asset asset = testing::tube_asset(2);
  const Drawn drawn(asset);
  const std::uint8_t *rgb = drawn.picture(Layer::kRgb).at(2, 2), *skeleton = drawn.picture(Layer::kSkeleton).at(2, 2);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(skeleton[k], 0.4 * rgb[k], 1);
  LayerSettings dark;
  dark.dim = 0;
  const Drawn on_black(asset, 120, 90, dark);
  EXPECT_EQ(on_black.picture(Layer::kSkeleton).at(2, 2)[0], 0);
}

TEST(Layers, GiveJointsColoursThatDiffer) {
  for (int a = 0; a < 40; ++a) {
    for (int b = 0; b < a; ++b) EXPECT_GT(norm(joint_color(a) - joint_color(b)), 0.02f) << a << ", " << b;
  }
}

TEST(Layers, PaintPartsThatLabelsTellOf) {
  const asset::Asset asset = testing::tube_asset(4);
  const Drawn plain(asset);
  const BodyMesh& mesh = plain.body.mesh();
  // The lower half of the tube is one part, the upper half another, and one triangle none.
  std::vector<int> labels;
  for (const auto& t : mesh.triangles) {
    const float y = (plain.pose.points[t[0]].y + plain.pose.points[t[1]].y + plain.pose.points[t[2]].y) / 3;
    labels.push_back(y < 0.5f ? 3 : 7);
  }
  labels[0] = -1;
  LayerSettings settings;
  settings.part_colors = label_colors(plain.pose.points, mesh.triangles, labels);
  EXPECT_EQ(settings.part_colors[0], (Vec3{0.5f, 0.5f, 0.5f}));
  const auto color_of = [&](int label) {
    return settings
        .part_colors[static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin())];
  };
  // As high as the middle of the half.
  EXPECT_NEAR(color_of(3).y, 0.1 + 0.9 * 0.25, 0.06);
  EXPECT_NEAR(color_of(7).y, 0.1 + 0.9 * 0.75, 0.06);
  const Drawn drawn(asset, 120, 90, settings);
  int lower = 0, upper = 0;
  for (int y = 0; y < drawn.camera.height; ++y) {
    for (int x = 0; x < drawn.camera.width; ++x) {
      if (drawn.picture(Layer::kMask).at(x, y)[0] < 255) continue;
      const int green = drawn.picture(Layer::kParts).at(x, y)[1];
      lower += std::abs(green - static_cast<int>(255 * color_of(3).y)) < 2 ? 1 : 0;
      upper += std::abs(green - static_cast<int>(255 * color_of(7).y)) < 2 ? 1 : 0;
    }
  }
  EXPECT_GT(lower, 100);
  EXPECT_GT(upper, 100);
}

TEST(Layers, PaintPartsInTheirColours) {
  const asset::Asset asset = testing::tube_asset(4);
  const Drawn drawn(asset);
  const auto& colors = drawn.body.parts().colors;
  ASSERT_EQ(colors.size(), 4u);
  int inside = 0;
  std::vector<bool> seen(colors.size(), false);
  for (int y = 0; y < drawn.camera.height; ++y) {
    for (int x = 0; x < drawn.camera.width; ++x) {
      if (drawn.picture(Layer::kMask).at(x, y)[0] < 255) continue;
      const std::uint8_t* p = drawn.picture(Layer::kParts).at(x, y);
      for (std::size_t c = 0; c < colors.size(); ++c) {
        const Vec3 color = 255.0f * colors[c];
        if (std::abs(p[0] - color.x) < 1.5f && std::abs(p[1] - color.y) < 1.5f && std::abs(p[2] - color.z) < 1.5f) {
          ++inside, seen[c] = true;
          break;
        }
      }
    }
  }
  EXPECT_GT(inside, 200);
  for (std::size_t c = 0; c < colors.size(); ++c) EXPECT_TRUE(seen[c]) << "part " << c;
}

TEST(Layers, ShowNormalsAsTheCameraSeesThem) {
  const Drawn drawn(square_asset({}), 64, 64, {}, from_front());
  const std::uint8_t* p = drawn.picture(Layer::kNormals).at(32, 32);
  EXPECT_NEAR(p[0], 128, 1);
  EXPECT_NEAR(p[1], 128, 1);
  EXPECT_EQ(p[2], 255) << "towards the viewer";
}

TEST(Layers, ShowUnlitTexturesAsTheyAre) {
  asset::Material material;
  material.unlit = true;
  material.base_color_texture.texture = 0;
  asset::Asset asset = square_asset(material);
  Bitmap picture(2, 2, 3);
  picture.pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 60, 120, 180};
  asset.images.emplace_back().bytes = asset::encode_png(picture).value();
  asset.textures.emplace_back().image = 0;
  asset.textures[0].nearest = true;
  const Drawn drawn(asset, 200, 200, {}, from_front());
  const Bitmap& rgb = drawn.picture(Layer::kRgb);
  const auto expect = [&](int x, int y, int r, int g, int b) {
    EXPECT_NEAR(rgb.at(x, y)[0], r, 1);
    EXPECT_NEAR(rgb.at(x, y)[1], g, 1);
    EXPECT_NEAR(rgb.at(x, y)[2], b, 1);
  };
  expect(60, 60, 255, 0, 0);  // the picture's first row is at the top
  expect(140, 60, 0, 255, 0);
  expect(60, 140, 0, 0, 255);
  expect(140, 140, 60, 120, 180);
}

TEST(Layers, LetLightThroughBlendedSurfacesAndNotThroughTheOthers) {
  asset::Material material;
  material.unlit = true;
  material.base_color = {1, 0, 0, 0.5f};
  LayerSettings settings;
  settings.ground.visible = false, settings.ground.sky = {0, 0, 1};
  material.alpha_mode = asset::AlphaMode::kBlend;
  const Drawn blended(square_asset(material), 64, 64, settings, from_front());
  EXPECT_NEAR(blended.picture(Layer::kRgb).at(32, 32)[0], 128, 1);
  EXPECT_NEAR(blended.picture(Layer::kRgb).at(32, 32)[2], 128, 1);
  EXPECT_NEAR(blended.picture(Layer::kMask).at(32, 32)[0], 128, 1);
  material.alpha_mode = asset::AlphaMode::kOpaque;
  const Drawn opaque(square_asset(material), 64, 64, settings, from_front());
  EXPECT_EQ(opaque.picture(Layer::kRgb).at(32, 32)[2], 0);
  material.alpha_mode = asset::AlphaMode::kMask;
  material.alpha_cutoff = 0.6f;
  const Drawn cut(square_asset(material), 64, 64, settings, from_front());
  EXPECT_EQ(cut.picture(Layer::kRgb).at(32, 32)[2], 255);
  EXPECT_EQ(cut.picture(Layer::kMask).at(32, 32)[0], 0);
}

TEST(Layers, GlowInTheDark) {
  asset::Material material;
  material.base_color = {0, 0, 0, 1};
  material.emissive = {0, 1, 0};
  const Drawn drawn(square_asset(material), 64, 64, {}, from_front());
  EXPECT_EQ(drawn.picture(Layer::kRgb).at(32, 32)[1], 255);
}

TEST(Layers, DarkenTheGroundBelowTheBodyOnly) {
  const asset::Asset asset = testing::tube_asset(3);
  LayerSettings lit, dark;
  lit.ground.shadow = 0;
  OrbitSettings above;
  above.elevation = 0.8f, above.fill = 0.5f;
  const Drawn without(asset, 160, 120, lit, above), with(asset, 160, 120, dark, above);
  int darker = 0;
  for (std::size_t i = 0; i < with.picture(Layer::kRgb).pixels.size(); ++i) {
    const int a = with.picture(Layer::kRgb).pixels[i], b = without.picture(Layer::kRgb).pixels[i];
    EXPECT_LE(a, b);
    darker += a < b - 10;
  }
  EXPECT_GT(darker, 100);
  EXPECT_LT(darker, 160 * 120 * 3 / 8);
  EXPECT_EQ(with.picture(Layer::kRgb).at(1, 100)[0], without.picture(Layer::kRgb).at(1, 100)[0]);
}

TEST(Layers, AreTheSameForAnyNumberOfThreads) {
  const asset::Asset asset = testing::tube_asset(6);
  const int before = thread_count();
  set_thread_count(1);
  const Drawn one(asset, 333, 222);
  set_thread_count(3);
  const Drawn three(asset, 333, 222);
  set_thread_count(before);
  EXPECT_EQ(one.pictures, three.pictures);
  EXPECT_EQ(one.numbers.coverage, three.numbers.coverage);
}

TEST(Layers, AreDrawnInASinglePixel) {
  for (const int height : {1, 2}) {
    const Drawn drawn(testing::tube_asset(5), 1, height);
    ASSERT_TRUE(drawn.body.subject().has_value());
    for (const Bitmap& picture : drawn.pictures) EXPECT_EQ(picture.pixels.size(), 3u * static_cast<unsigned>(height));
  }
}

TEST(Layers, OfColoursThatAreNoNumbersAreStillPictures) {
  asset::Material material;
  material.alpha_mode = asset::AlphaMode::kBlend;
  asset::Asset asset = square_asset(material);
  asset.meshes[0].primitives[0].colors = {std::vector<Vec4>(4, {1, NAN, 1, NAN})};
  const Drawn drawn(asset, 32, 32, {}, from_front());
  EXPECT_EQ(drawn.picture(Layer::kMask).at(16, 16)[0], 0);
  EXPECT_EQ(drawn.picture(Layer::kRgb).at(16, 16)[1], 0);
}

TEST(Layers, OfAnEmptyAssetShowTheGround) {
  const asset::Asset asset;
  const Drawn drawn(asset, 1, 1);
  EXPECT_EQ(drawn.picture(Layer::kMask).pixels[0], 0);
  EXPECT_GT(drawn.picture(Layer::kRgb).pixels[0], 0);
}

TEST(Layers, HaveNames) {
  for (const Layer layer : kAll) EXPECT_EQ(layer_from_name(name(layer)), layer);
  EXPECT_FALSE(layer_from_name("colour").has_value());
}

TEST(Layers, RefuseToDrawWithoutAPose) {
  const asset::Asset asset = testing::tube_asset(2);
  const Body body = Body::from_asset(asset).value();
  LayerRenderer renderer(body);
  std::vector<Bitmap> pictures;
  EXPECT_THROW(renderer.draw(splat::look_at({0, 0, 3}, {}, {0, 1, 0}, 0.7f, 8, 8), kAll, pictures), ContractError);
  EXPECT_THROW(renderer.set_pose({}), ContractError);
}

}  // namespace
}  // namespace limber::scene
