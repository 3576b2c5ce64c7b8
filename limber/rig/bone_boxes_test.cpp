// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/bone_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/rig/subject.h"
#include "limber/testing/toy_assets.h"

namespace limber::rig {
namespace {

Subject tube_subject(int joints) {
  Result<Subject> subject = subject_from_asset(testing::tube_asset(joints));
  EXPECT_TRUE(subject.ok());
  return *std::move(subject);
}

TEST(BoneBoxes, WrapTheSkinOfEveryJoint) {
  const Subject subject = tube_subject(4);
  const std::vector<BoneBox> boxes = bone_boxes(subject);
  ASSERT_GE(boxes.size(), 3u);
  for (const Vec3& p : subject.points) {
    const bool inside = std::any_of(boxes.begin(), boxes.end(), [&](const BoneBox& box) {
      const Vec3 local = transposed(box.axes) * (p - box.centre);
      return std::abs(local.x) < box.half.x + 1e-5f && std::abs(local.y) < box.half.y + 1e-5f &&
             std::abs(local.z) < box.half.z + 1e-5f;
    });
    EXPECT_TRUE(inside);
  }
}

TEST(BoneBoxes, HaveRightHandedAxesAndTouchTheSkin) {
  const Subject subject = tube_subject(3);
  for (const BoneBox& box : bone_boxes(subject)) {
    EXPECT_NEAR(determinant(box.axes), 1, 1e-5);
    EXPECT_GT(std::min({box.half.x, box.half.y, box.half.z}), 0);
    EXPECT_GE(box.touching.size(), 4u);
    EXPECT_LE(box.touching.size(), 14u);
    for (const Vec3& t : box.touching) {
      const auto same = [&](const Vec3& p) { return norm(p - t) < 1e-5f; };
      EXPECT_TRUE(std::any_of(subject.points.begin(), subject.points.end(), same));
    }
    // The lowest corner is no higher than the lowest touching point, and both stand on the ground or above.
    float corner = 1, touch = 1;
    for (const Vec3& c : box.corners()) corner = std::min(corner, c.y);
    for (const Vec3& t : box.touching) touch = std::min(touch, t.y);
    EXPECT_LE(corner, touch + 1e-5f);
  }
}

TEST(BoneBoxes, ASubjectWithoutPointsHasNone) {
  Subject subject = tube_subject(3);
  subject.points.clear(), subject.weights.bones.clear(), subject.weights.weights.clear();
  EXPECT_TRUE(bone_boxes(subject).empty());
}

}  // namespace
}  // namespace limber::rig
