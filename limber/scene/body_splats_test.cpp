// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/body_splats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/asset/picture.h"
#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/scene/scene_testing.h"
#include "limber/testing/toy_assets.h"
#include "limber/zoo/creature.h"

namespace limber::scene {
namespace {

/// A rigged tube, red below half its height and blue above, by a texture.
asset::Asset painted_tube() {
  asset::Asset asset = testing::tube_asset(3);
  Bitmap picture(1, 2, 3);
  *picture.at(0, 0) = 255, picture.at(0, 1)[2] = 255;
  asset::Image image;
  image.mime_type = "image/png";
  image.bytes = asset::encode_png(picture).value();
  asset.images.push_back(image);
  asset::Texture texture;
  texture.image = 0, texture.nearest = true;
  texture.wrap_s = texture.wrap_t = asset::Wrap::kClampToEdge;
  asset.textures.push_back(texture);
  asset::Material material;
  material.base_color_texture.texture = 0;
  asset.materials.push_back(material);
  for (asset::Mesh& mesh : asset.meshes) {
    for (asset::Primitive& primitive : mesh.primitives) {
      float high = 0;
      for (const Vec3& p : primitive.positions) high = std::max(high, p.y);
      std::vector<Vec2> uv;
      for (const Vec3& p : primitive.positions) uv.push_back({0.5f, p.y / high});
      primitive.texcoords = {uv};
      primitive.material = 0;
    }
  }
  return asset;
}

TEST(BodySplats, OfASubjectTakeColoursFromTexturesAndTheSkin) {
  const asset::Asset asset = painted_tube();
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  splat::SampleSettings settings;
  settings.count = 400;
  const splat::Gaussians gaussians = subject_gaussians(subject, &asset, settings);
  ASSERT_EQ(gaussians.size(), 400u);
  const std::vector<Vec3> colors = splat::base_colors(gaussians);
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    const float y = gaussians.means[i].y;  // height one
    if (y < 0.45f) {
      EXPECT_LT(norm(colors[i] - Vec3{1, 0, 0}), 1e-4f) << y;
    }
    if (y > 0.55f) {
      EXPECT_LT(norm(colors[i] - Vec3{0, 0, 1}), 1e-4f) << y;
    }
    float sum = 0;
    for (std::size_t k = i * 4; k < i * 4 + 4; ++k) sum += gaussians.weights[k];
    EXPECT_NEAR(sum, 1, 1e-5f);
  }
  // Ready for a Scene.
  Scene scene(subject.rig, gaussians);
  Frames frames;
  scene.forward(kinematics::rest_motion(subject.rig, 1, 24), test_cameras(1, 1, 16, 16), frames);
  // Without an asset they are grey, in the same places.
  const splat::Gaussians grey = subject_gaussians(subject, nullptr, settings);
  EXPECT_EQ(grey.means, gaussians.means);
  EXPECT_NE(grey.harmonics, gaussians.harmonics);
}

TEST(BodySplats, OfTheWholeBodyAgreeWithThoseOfTheSubject) {
  const asset::Asset asset = painted_tube();
  const Body body = Body::from_asset(asset).value();
  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  const splat::Gaussians gaussians = body_gaussians(body, pose, fine_sampling(300));
  const std::vector<Vec3> colors = splat::base_colors(gaussians);
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    if (gaussians.means[i].y < 0.4f) {
      EXPECT_GT(colors[i].x, colors[i].z);
    }
    if (gaussians.means[i].y > 0.6f) {
      EXPECT_LT(colors[i].x, colors[i].z);
    }
  }
  EXPECT_EQ(gaussians.influences, 4);
}

TEST(BodySplats, DoNotSinkMuchDeeperThanTheyAreApart) {
  const asset::Asset asset = painted_tube();
  const Body body = Body::from_asset(asset).value();
  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  double area = 0;
  for (const auto& [a, b, c] : body.mesh().triangles) {
    area += 0.5 * double(norm(cross(pose.points[b] - pose.points[a], pose.points[c] - pose.points[a])));
  }
  const auto spacing = static_cast<float>(std::sqrt(area / 400));
  const splat::Gaussians flat = body_gaussians(body, pose, fine_sampling(400)),
                         little = body_gaussians(body, pose, fine_sampling(400), 0.1f * spacing),
                         far = body_gaussians(body, pose, fine_sampling(400), 1000);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    EXPECT_NEAR(norm(little.means[i] - flat.means[i]), 0.1f * spacing, 1e-5f);
    EXPECT_NEAR(norm(far.means[i] - flat.means[i]), 2.0f * spacing, 1e-5f);
  }
}

TEST(BodySplats, PaintedByPartsStayWhereTheyAre) {
  zoo::CreatureSettings creature_settings;
  creature_settings.resolution = 32;
  const zoo::Creature creature = zoo::make_creature(creature_settings).value();
  splat::SampleSettings settings;
  settings.count = 500;
  splat::Gaussians gaussians = subject_gaussians(creature.subject, nullptr, settings);
  const splat::Gaussians before = gaussians;
  const Parts parts = find_parts(creature.subject);
  paint_parts(gaussians, creature.subject.rig, parts);
  EXPECT_EQ(gaussians.means, before.means);
  EXPECT_EQ(gaussians.scales, before.scales);
  EXPECT_EQ(gaussians.weights, before.weights);
  std::vector<int> counts(parts.colors.size());
  for (const Vec3& color : splat::base_colors(gaussians)) {
    int found = -1;
    for (std::size_t p = 0; p < parts.colors.size(); ++p) {
      if (norm(parts.colors[p] - color) < 1e-4f) found = static_cast<int>(p);
    }
    ASSERT_GE(found, 0);
    ++counts[static_cast<std::size_t>(found)];
  }
  EXPECT_GT(std::count_if(counts.begin(), counts.end(), [](int c) { return c > 0; }), 4);
}

TEST(BodySplats, MovedToBindSpaceAreBackAtRest) {
  // Bones that are bound elsewhere than they rest.
  const rig::Rig rig = testing::toy_rig({.joints = 5, .scales = true, .extra_bones = 6, .seed = 4});
  const splat::Gaussians rest = random_gaussians(50, rig.bone_count(), 0, 2);
  splat::Gaussians bound = rest;
  move_to_bind_space(bound, rig);
  EXPECT_NE(bound.means, rest.means);

  splat::ReferenceGaussians reference;
  const std::vector<Symmetric> covariances = splat::covariances(bound), expected = splat::covariances(rest);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    reference.means.push_back(bound.means[i].cast<double>());
    reference.covariances.push_back(covariances[i].cast<double>());
  }
  reference.opacities.resize(bound.size()), reference.colors.resize(bound.size());
  std::vector<Affined> bones;
  for (const Affine& bone : kinematics::bone_matrices(rig, kinematics::rest_pose(rig))) {
    bones.push_back(bone.cast<double>());
  }
  const splat::ReferenceGaussians posed = splat::reference_pose_forward(
      reference, {bound.influences, bound.bones, {bound.weights.begin(), bound.weights.end()}}, bones);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    EXPECT_LT(norm(posed.means[i] - rest.means[i].cast<double>()), 1e-4) << i;
    const Mat3d off = to_matrix(posed.covariances[i]) + -1.0 * to_matrix(expected[i].cast<double>());
    for (int c = 0; c < 3; ++c) EXPECT_LT(norm(off.column(c)), 1e-4) << i;
  }
}

TEST(BodySplats, RefuseASubjectOfAnotherAsset) {
  const asset::Asset asset = painted_tube();
  const asset::Asset other = testing::tube_asset(5);
  EXPECT_THROW(subject_gaussians(rig::subject_from_asset(asset).value(), &other), ContractError);
}

}  // namespace
}  // namespace limber::scene
