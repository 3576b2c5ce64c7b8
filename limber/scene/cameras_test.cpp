// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/cameras.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/rng.h"

namespace limber::scene {
namespace {

/// A box that walks along +Z with a hop now and then.
std::vector<Box> walking_boxes(int frames, float speed) {
  std::vector<Box> boxes;
  for (int f = 0; f < frames; ++f) {
    const float z = speed * static_cast<float>(f), y = f % 7 == 0 ? 0.3f : 0.0f;
    boxes.push_back({{-0.2f, y, z - 0.6f}, {0.25f, y + 1, z + 0.5f}});
  }
  return boxes;
}

struct Projection {
  float x = 0, y = 0, z = 0;
};

Projection project(const Camera& camera, Vec3 point) {
  const Vec3 c = camera.camera_from_world * point;
  return {camera.fx * c.x / c.z + camera.cx, camera.fy * c.y / c.z + camera.cy, c.z};
}

/// Largest |coordinate| of the box's corners in the image, 1 at the image's edge.
float extent(const Camera& camera, const Box& box) {
  float largest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Projection p = project(camera, {corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                                          corner & 4 ? box.high.z : box.low.z});
    EXPECT_GT(p.z, 0);
    const auto width = static_cast<float>(camera.width), height = static_cast<float>(camera.height);
    largest = std::max({largest, std::abs(2 * p.x / width - 1), std::abs(2 * p.y / height - 1)});
  }
  return largest;
}

TEST(OrbitCameras, LookFromTheFrontAtAzimuthZeroAndFromTheLeftAtNinetyDegrees) {
  const Box box{{-1, 0, -1}, {1, 2, 1}};
  OrbitSettings settings;
  settings.azimuth = 0, settings.elevation = 0;
  const Vec3 front = splat::camera_center(orbit_cameras(std::span(&box, 1), 24, settings)[0]);
  EXPECT_GT(front.z, 2);
  EXPECT_NEAR(front.x, 0, 1e-4);
  EXPECT_NEAR(front.y, 1, 1e-4);
  settings.azimuth = static_cast<float>(kPi / 2);
  const Camera left = orbit_cameras(std::span(&box, 1), 24, settings)[0];
  EXPECT_GT(splat::camera_center(left).x, 2);
  // Seen from its left side, the body's front (+Z) is on the image's left, and up is up.
  EXPECT_LT(project(left, {0, 1, 1}).x, left.cx);
  EXPECT_LT(project(left, {0, 2, 0}).y, left.cy);
}

TEST(OrbitCameras, KeepTheBodyInsideTheImageInEveryFrameAndView) {
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    OrbitSettings settings;
    settings.azimuth = static_cast<float>(rng.uniform() * 6);
    settings.elevation = static_cast<float>(rng.uniform() * 2.8 - 1.4);
    settings.turn = trial % 3 == 0 ? static_cast<float>(2 * kPi) : 0;
    settings.fill = 0.5f + 0.5f * static_cast<float>(rng.uniform());
    settings.views = 1 + trial % 3;
    settings.width = trial % 2 ? 640 : 200, settings.height = 360;
    settings.follow = trial % 5 != 0;
    const std::vector<Box> boxes = walking_boxes(30, 0.1f);
    const std::vector<Camera> cameras = orbit_cameras(boxes, 24, settings);
    ASSERT_EQ(cameras.size(), boxes.size() * static_cast<std::size_t>(settings.views));
    float largest = 0;
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      largest = std::max(largest, extent(cameras[i], boxes[i % boxes.size()]));
    }
    // As near as can be: somewhere in the clip the body reaches the asked part of the image.
    EXPECT_NEAR(largest, settings.fill, 1e-3);
  }
}

TEST(OrbitCameras, ComeNearerToABodyWhosePointsAreKnown) {
  // A ball: its box is larger than it is.
  Rng rng(5);
  std::vector<Vec3> ball;
  for (int i = 0; i < 3000; ++i) {
    const Vec3d p{rng.normal(), rng.normal(), rng.normal()};
    ball.push_back(Vec3{0, 1, 0} + normalized(p).cast<float>());
  }
  ball.push_back({std::nanf(""), 0, 0});
  const std::vector<Vec3> few = outline(ball);
  EXPECT_LE(few.size(), 96u);
  EXPECT_GE(few.size(), 80u);
  Box box;
  for (const Vec3& p : few) box.add(p);
  OrbitSettings settings;
  settings.fill = 0.9f;
  const Camera by_box = orbit_cameras(std::span(&box, 1), 24, settings)[0];
  const Camera by_points = orbit_cameras(std::span(&few, 1), 24, settings)[0];
  const auto distance = [](const Camera& camera) { return norm(splat::camera_center(camera) - Vec3{0, 1, 0}); };
  EXPECT_LT(distance(by_points), 0.75f * distance(by_box));
  float largest = 0;
  ball.pop_back();
  for (const Vec3& p : ball) {
    const Projection at = project(by_points, p);
    largest = std::max({largest, std::abs(at.x / 256 - 1), std::abs(at.y / 256 - 1)});
  }
  EXPECT_NEAR(largest, 0.9f, 0.02f);
}

TEST(OrbitCameras, SpreadViewsEvenlyOrStandWhereTheyAreTold) {
  const Box box{{-1, 0, -1}, {1, 2, 1}};
  OrbitSettings settings;
  settings.views = 2, settings.elevation = 0;
  auto cameras = orbit_cameras(std::span(&box, 1), 24, settings);
  const Vec3 a = splat::camera_center(cameras[0]), b = splat::camera_center(cameras[1]);
  EXPECT_NEAR(a.x, -b.x, 1e-4);
  EXPECT_NEAR(a.z, -b.z, 1e-4);
  settings.view_azimuth = {0, static_cast<float>(kPi / 2)};
  cameras = orbit_cameras(std::span(&box, 1), 24, settings);
  EXPECT_NEAR(splat::camera_center(cameras[0]).x, 0, 1e-4);
  EXPECT_NEAR(splat::camera_center(cameras[1]).z, 0, 1e-4);
}

TEST(OrbitCameras, OfATurntableGoRoundOnceAtOneDistance) {
  const std::vector<Box> boxes(36, Box{{-0.2f, 0, -0.5f}, {0.2f, 1, 0.5f}});
  OrbitSettings settings;
  settings.azimuth = 0, settings.turn = static_cast<float>(2 * kPi);
  const std::vector<Camera> cameras = orbit_cameras(boxes, 24, settings);
  const Vec3 middle = boxes[0].center();
  const float distance = norm(splat::camera_center(cameras[0]) - middle);
  for (std::size_t f = 0; f < cameras.size(); ++f) {
    const Vec3 way = splat::camera_center(cameras[f]) - middle;
    EXPECT_NEAR(norm(way), distance, 1e-4);
    EXPECT_NEAR(std::remainder(std::atan2(way.x, way.z) - 2 * kPi * double(f) / 36, 2 * kPi), 0, 1e-4);
  }
}

TEST(OrbitCameras, FollowASteadyWalkWithoutLagAndShakesSmoothly) {
  std::vector<Box> boxes = walking_boxes(48, 0.05f);
  for (Box& box : boxes) box.low.y = 0, box.high.y = 1;
  OrbitSettings settings;
  const std::vector<Camera> cameras = orbit_cameras(boxes, 24, settings);
  const Vec3 offset = splat::camera_center(cameras[0]) - boxes[0].center();
  for (std::size_t f = 0; f < boxes.size(); ++f) {
    EXPECT_LT(norm(splat::camera_center(cameras[f]) - boxes[f].center() - offset), 1e-4);
  }
  // A body that trembles by 0.1 moves the camera by far less.
  for (std::size_t f = 0; f < boxes.size(); ++f) boxes[f] = {{-1, f % 2 ? 0.1f : 0, -1}, {1, f % 2 ? 1.1f : 1, 1}};
  const std::vector<Camera> calm = orbit_cameras(boxes, 24, settings);
  for (std::size_t f = 1; f < calm.size(); ++f) {
    EXPECT_LT(norm(splat::camera_center(calm[f]) - splat::camera_center(calm[f - 1])), 0.02f);
  }
}

TEST(OrbitCameras, SurviveEmptyAndPointLikeAndBrokenBoxes) {
  const float nan = std::nanf("");
  const std::vector<Box> boxes{{}, {{1, 1, 1}, {1, 1, 1}}, {{nan, 0, 0}, {1, 1, 1}}, {}};
  for (const std::size_t count : {0u, 1u, 2u, 4u}) {
    for (const Camera& camera : orbit_cameras(std::span(boxes).first(count), 24, {})) {
      EXPECT_TRUE(is_finite(camera.camera_from_world));
    }
  }
  OrbitSettings above;
  above.elevation = static_cast<float>(kPi / 2);
  const Box box{{-1, 0, -1}, {1, 2, 1}};
  EXPECT_TRUE(is_finite(orbit_cameras(std::span(&box, 1), 24, above)[0].camera_from_world));
}

TEST(OrbitCameras, RefuseSettingsThatMakeNoSense) {
  const Box box{{-1, 0, -1}, {1, 2, 1}};
  OrbitSettings settings;
  settings.views = 0;
  EXPECT_THROW(orbit_cameras(std::span(&box, 1), 24, settings), ContractError);
  settings.views = 2, settings.view_azimuth = {0};
  EXPECT_THROW(orbit_cameras(std::span(&box, 1), 24, settings), ContractError);
  settings = {};
  settings.fill = 0;
  EXPECT_THROW(orbit_cameras(std::span(&box, 1), 24, settings), ContractError);
}

TEST(CamerasJson, ComesBackToTheBit) {
  OrbitSettings settings;
  settings.views = 3, settings.turn = 1.7f, settings.elevation = 0.123f;
  const std::vector<Camera> cameras = orbit_cameras(walking_boxes(5, 0.1f), 24, settings);
  const Result<CameraList> read = cameras_from_json(cameras_to_json(cameras, 3), "cameras.json", 5);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->views, 3);
  EXPECT_EQ(read->frames, 5);
  EXPECT_EQ(read->cameras, cameras);
}

TEST(CamerasJson, RepeatsASingleCameraForAllFrames) {
  const std::vector<Camera> cameras = orbit_cameras(walking_boxes(1, 0), 24, {});
  const Result<CameraList> read = cameras_from_json(cameras_to_json(cameras, 1), "one.json", 7);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->cameras.size(), 7u);
  EXPECT_EQ(read->cameras[6], cameras[0]);
}

TEST(CamerasJson, SaysWhatIsWrongAndWhere) {
  const std::string good = cameras_to_json(orbit_cameras(walking_boxes(3, 0.1f), 24, {}), 1);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::pair<std::string, std::string> cases[] = {
      {"", "bad JSON"},
      {"[[", "bad JSON"},
      {"{}", "list of views"},
      {"[]", "list of views"},
      {"[{}]", "#/0"},
      {"[[]]", "#/0"},
      {"[[3]]", "must be an object"},
      {"[[{}]]", "#/0/0/width"},
      {with("\"width\":512", "\"width\":0"), "#/0/0/width"},
      {with("\"width\":512", "\"width\":1e9"), "whole number"},
      {with("\"width\":512", "\"width\":1.5"), "whole number"},
      {with("\"width\":512", "\"width\":511"), "one size"},
      {with("\"fx\":", "\"gx\":"), "/fx"},
      {with("\"fx\":", "\"fx\":1e300,\"hx\":"), "out of range"},
      {with("\"fx\":", "\"fx\":-1,\"hx\":"), "positive"},
      {with("\"camera_from_world\":[[", "\"camera_from_world\":[[9e9,"), "four numbers"},
      {with("\"camera_from_world\":[[", "\"camera_from_world\":[[9,9,9,9],["), "three rows"},
      {with("\"camera_from_world\":", "\"camera_from_world\":[[1,0,0,0],[0,2,0,0],[0,0,1,0]],\"x\":"), "rotation"},
      {with("\"camera_from_world\":", "\"camera_from_world\":[[1,0,0,0],[0,-1,0,0],[0,0,1,0]],\"x\":"), "mirror"},
      {std::string(100000, '['), ""},
      {"[" + std::string(50, '[') + std::string(50, ']') + "]", "deep"},
  };
  for (const auto& [text, message] : cases) {
    const Result<CameraList> read = cameras_from_json(text, "c.json", 3);
    ASSERT_FALSE(read.ok()) << text.substr(0, 80);
    EXPECT_NE(read.error().message().find(message), std::string::npos) << read.error().message();
    EXPECT_EQ(read.error().where.rfind("c.json", 0), 0u) << read.error().where;
  }
  EXPECT_FALSE(cameras_from_json(good, "c.json", 4).ok()) << "three cameras cannot serve four frames";
  EXPECT_TRUE(cameras_from_json(good, "c.json", 3).ok());
}

TEST(Cameras, OutlinesMissNoTipOfALargeBody) {
  std::vector<Vec3> points(200000, {0, 0.5f, 0});
  points[12345] = {3, 0, 0};
  const std::vector<Vec3> found = outline(points);
  EXPECT_NE(std::find(found.begin(), found.end(), points[12345]), found.end());
}

TEST(Cameras, OfAFileHaveAtMostSixtyFourViews) {
  const std::vector<Camera> cameras(65, splat::look_at({0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 0.6f, 8, 8));
  EXPECT_TRUE(cameras_from_json(cameras_to_json(std::span(cameras).first(64), 64), "c.json", 1).ok());
  const Result<CameraList> many = cameras_from_json(cameras_to_json(cameras, 65), "c.json", 1);
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().message(), "c.json: 65 views are more than 64");
}

}  // namespace
}  // namespace limber::scene
