// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/parts.h"

#include <gtest/gtest.h>

#include "limber/asset/read.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"

namespace limber::scene {
namespace {

rig::Subject tube_subject(int joints) { return rig::subject_from_asset(testing::tube_asset(joints)).value(); }

void expect_consistent(const rig::Subject& subject, const Parts& parts) {
  const auto count = static_cast<int>(parts.joints.size());
  ASSERT_EQ(parts.part_of_joint.size(), static_cast<std::size_t>(subject.rig.joint_count()));
  ASSERT_EQ(parts.centers.size(), parts.joints.size());
  ASSERT_EQ(parts.colors.size(), parts.joints.size());
  for (int p = 0; p < count; ++p) {
    EXPECT_EQ(parts.part_of_joint[static_cast<std::size_t>(parts.joints[static_cast<std::size_t>(p)])], p);
  }
  for (const Vec3& color : parts.colors) {
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(color[k] >= 0.1f && color[k] <= 1.0f) << color[k];
  }
  for (const int part : parts.part_of_joint) EXPECT_TRUE(part >= 0 && part < count) << part;
  for (const int part : point_parts(subject, parts)) EXPECT_TRUE(part >= 0 && part < count) << part;
}

TEST(Parts, OfATubeAreItsJointsFromBottomToTop) {
  const rig::Subject subject = tube_subject(4);
  const Parts parts = find_parts(subject);
  expect_consistent(subject, parts);
  ASSERT_EQ(parts.joints.size(), 4u);
  for (std::size_t p = 1; p < parts.joints.size(); ++p) {
    EXPECT_GT(parts.centers[p].y, parts.centers[p - 1].y);
    EXPECT_GT(parts.colors[p].y, parts.colors[p - 1].y) << "green grows with height";
    EXPECT_NEAR(parts.colors[p].x, 0.55f, 1e-3f) << "the middle of the body is the middle of the range";
  }
}

TEST(Parts, SmallBonesMergeIntoTheirParents) {
  const rig::Subject subject = tube_subject(40);
  const Parts fine = find_parts(subject), coarse = find_parts(subject, {.min_area = 0.2f});
  expect_consistent(subject, fine);
  expect_consistent(subject, coarse);
  EXPECT_GT(fine.joints.size(), 30u);
  EXPECT_GE(coarse.joints.size(), 3u);
  EXPECT_LE(coarse.joints.size(), 5u);
  // Joints between two leaders belong to the upper one's ancestor, so parts are runs of the chain.
  for (std::size_t j = 1; j < coarse.part_of_joint.size(); ++j) {
    EXPECT_GE(coarse.part_of_joint[j], coarse.part_of_joint[j - 1]);
  }
}

TEST(Parts, OfABodyWithoutLargeBonesAreOne) {
  const rig::Subject subject = tube_subject(4);
  const Parts parts = find_parts(subject, {.min_area = 1.5f});
  expect_consistent(subject, parts);
  EXPECT_EQ(parts.joints.size(), 1u);
}

TEST(Parts, OfABodyWithoutSurfaceAreNone) {
  rig::Subject subject = tube_subject(3);
  subject.triangles.clear();
  const Parts parts = find_parts(subject);
  EXPECT_TRUE(parts.joints.empty());
  for (const int part : parts.part_of_joint) EXPECT_EQ(part, -1);
  for (const int part : point_parts(subject, parts)) EXPECT_EQ(part, -1);
}

TEST(Parts, OfPointsAreThoseThatMoveThemMost) {
  const rig::Subject subject = tube_subject(5);
  const Parts parts = find_parts(subject);
  const std::vector<int> labels = point_parts(subject, parts);
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    // Every joint is a part here, so the heaviest bone decides; slots are sorted.
    EXPECT_EQ(labels[i], parts.part_of_bone(subject.rig, subject.weights.bones[i * stride]));
  }
}

TEST(Parts, OfRealModelsAreConsistent) {
  const auto files = testing::shared_files("assets/quadruped", {".glb"});
  if (files.empty()) GTEST_SKIP() << "the shared assets are not there";
  for (const auto& path : files) {
    const auto asset = asset::read_asset(path);
    ASSERT_TRUE(asset.ok()) << asset.error().message();
    const auto subject = rig::subject_from_asset(*asset);
    if (!subject.ok()) continue;
    SCOPED_TRACE(path.string());
    const Parts parts = find_parts(*subject);
    expect_consistent(*subject, parts);
    EXPECT_GE(parts.joints.size(), 5u);
    EXPECT_LE(parts.joints.size(), 200u);
  }
}

}  // namespace
}  // namespace limber::scene
