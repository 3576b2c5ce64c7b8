// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/attitude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "limber/anatomy/body_reader.h"
#include "limber/autorig/autorig_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::autorig {
namespace {

using testing::capsule;
using testing::dog;
using testing::TestSurface;

/// A dog with a stump on its left, so that its mirror image is another body.
TestSurface lopsided_dog() {
  TestSurface surface = dog();
  surface.add(capsule({0.1, 0.6, -0.2}, {0.25, 0.65, -0.2}, 0.06, 0.05));
  return surface;
}

/// One of the 24 rotations that take axes to axes; from 24 on in a mirror.
Mat3d attitude(int k) {
  const int up = k % 6, around = k / 6 % 4;
  Vec3d y, first;
  y[up / 2] = up % 2 == 0 ? 1 : -1, first[(up / 2 + 1) % 3] = 1;
  const Vec3d z = (around % 2 == 0 ? 1.0 : -1.0) * (around < 2 ? first : cross(y, first));
  return Mat3d::from_columns((k < 24 ? 1.0 : -1.0) * cross(y, z), y, z);
}

/// The surface in another attitude; a mirror image is turned inside out, so that its triangles look outward.
asset::Asset in_attitude(TestSurface surface, const Mat3d& turn) {
  if (determinant(turn) < 0) {
    for (body::Triangle& t : surface.triangles) std::swap(t[1], t[2]);
  }
  return asset_of(turned(std::move(surface), turn));
}

/// Whoever looks sees a body stand and look the same way, and is as sure of it as `trust` says.
anatomy::ReadBody sees(Vec3d up, Vec3d forward, double trust) {
  return [=](const body::BodyShape&) {
    anatomy::BodyReading reading;
    reading.points = reading.starts = {Vec3d{}};
    reading.regions.resize(1), reading.regions[0][0] = 1;
    reading.kind_right = reading.front_right = 0.5 + 0.3 * trust;  // what trust() makes that of
    reading.up = up, reading.forward = forward;
    return reading;
  };
}

TEST(Attitude, MakesTheSameBodyOfEveryAttitudeAndMirrorImage) {
  AutoRigSettings settings;
  settings.reader = sees({0.1, 0.9, -0.2}, {0.2, 0.1, 0.8}, 1);
  const auto studied = [&](int k) {
    const rig::ShownGeometry shown = rig::gather_shown(in_attitude(lopsided_dog(), attitude(k))).value();
    return make_studied(shown, find_attitude(shown, settings).study_from_asset);
  };
  const StudiedSurface first = studied(0);
  for (int k = 1; k < 48; k += 4) {
    const StudiedSurface other = studied(k);
    EXPECT_EQ(other.points, first.points) << k;
    EXPECT_EQ(other.triangles, first.triangles) << k;
  }
}

TEST(Attitude, OfASymmetricBodyDoesNotHangOnRounding) {
  AutoRigSettings settings;
  settings.reader = sees({0.1, 0.9, -0.2}, {0.2, 0.1, 0.8}, 1);
  const auto studied = [&](const TestSurface& surface) {
    const rig::ShownGeometry shown = rig::gather_shown(asset_of(surface)).value();
    return make_studied(shown, find_attitude(shown, settings).study_from_asset).points;
  };
  // A dog is its own mirror image, but for the order of its points: what rounding leaves of its skew says nothing.
  const std::vector<Vec3> first = studied(dog());
  for (const double tilt : {1e-8, -1e-8, 3e-8}) {
    const Mat3d nearly = Mat3d::from_columns({1, tilt, -tilt}, {-tilt, 1, tilt}, {tilt, -tilt, 1});
    const std::vector<Vec3> other = studied(turned(dog(), nearly));
    double farthest = 0;
    for (std::size_t i = 0; i < first.size(); ++i)
      farthest = std::max(farthest, static_cast<double>(norm(other[i] - first[i])));
    EXPECT_LT(farthest, 1e-5) << tilt;
  }
}

TEST(Attitude, OfASheetIsThatOfItsFile) {
  TestSurface sheet;
  sheet.points = {{-0.5f, 0, 0}, {0.5f, 0, 0}, {0.4f, 2, 0}, {-0.5f, 2, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  AutoRigSettings settings;
  settings.reader = sees({1, 0, 0}, {0, -1, 0}, 1);
  const Attitude found = find_attitude(rig::gather_shown(asset_of(sheet)).value(), settings);
  EXPECT_EQ(found.study_from_asset, Mat3d::identity());
  EXPECT_FALSE(found.mirrored);
  EXPECT_TRUE(found.by_file_alone()) << "so that it is said to be a guess";
}

TEST(Attitude, StandsAsAskedAndAsTheFileHasItWhereNobodyLooks) {
  const rig::ShownGeometry shown = rig::gather_shown(asset_of(lopsided_dog())).value();
  AutoRigSettings settings;
  const Attitude alone = find_attitude(shown, settings);
  EXPECT_FALSE(alone.looked);
  EXPECT_EQ(alone.study_from_asset.row(1), (Vec3d{0, 1, 0}));
  EXPECT_EQ(alone.study_from_asset.row(2), (Vec3d{0, 0, 1}));
  settings.up = Vec3{0, 0, 1}, settings.forward = Vec3{1, 0, 0};
  settings.reader = sees({0, 1, 0}, {0, 0, 1}, 1);
  const Attitude asked = find_attitude(shown, settings);
  EXPECT_EQ(asked.study_from_asset.row(1), (Vec3d{0, 0, 1}));
  EXPECT_EQ(asked.study_from_asset.row(2), (Vec3d{1, 0, 0}));
}

TEST(Attitude, IsThatOfTheFileWhereALookIsNotBelievedButStudiesTheSameBody) {
  AutoRigSettings settings;
  const auto find = [&](int k) {
    const rig::ShownGeometry shown = rig::gather_shown(in_attitude(lopsided_dog(), attitude(k))).value();
    const Attitude unsure = find_attitude(shown, settings);
    EXPECT_TRUE(unsure.by_file_alone());
    EXPECT_EQ(transposed(unsure.study_from_asset) * unsure.up, (Vec3d{0, 1, 0}));
    EXPECT_EQ(transposed(unsure.study_from_asset) * unsure.forward, (Vec3d{0, 0, 1}));
    return make_studied(shown, unsure.study_from_asset).points;
  };
  for (const double trust : {0.4, 0.0}) {
    settings.reader = sees({1, 0, 0}, {0, -1, 0}, trust);
    const std::vector<Vec3> first = find(0);
    for (const int k : {7, 31}) EXPECT_EQ(find(k), first) << k << " at a trust of " << trust;
  }
}

/// Of the body's sides the one that is the `rank`-th shortest, toward where its points reach far.
Vec3d side(const body::BodyShape& body, std::size_t rank) {
  std::array<std::pair<double, int>, 3> extents;
  Vec3d low, high;
  for (const Vec3d& p : body.surface.points) low = min(low, p), high = max(high, p);
  for (int k = 0; k < 3; ++k) extents[static_cast<std::size_t>(k)] = {high[k] - low[k], k};
  std::sort(extents.begin(), extents.end());
  const int axis = extents[rank].second;
  double skew = 0;
  for (const Vec3d& p : body.surface.points) skew += std::pow(p[axis] - 0.5 * (low[axis] + high[axis]), 3);
  Vec3d result;
  result[axis] = skew < 0 ? -1 : 1;
  return result;
}

TEST(Attitude, LooksAgainWhereTheFirstLookIsUnsureAndBelievesThoseThatAgree) {
  const rig::ShownGeometry shown = rig::gather_shown(asset_of(lopsided_dog())).value();
  AutoRigSettings settings;
  int looks = 0;
  settings.reader = [&](const body::BodyShape& body) {
    return sees(side(body, 1), side(body, 2), ++looks == 1 ? 0.3 : 0.8)(body);
  };
  const Attitude agreed = find_attitude(shown, settings);
  EXPECT_EQ(looks, 6);
  EXPECT_DOUBLE_EQ(agreed.trust, 0.8);
  // Whoever takes every body to stand as it is shown contradicts himself.
  settings.reader = sees({0, 1, 0}, {0, 0, 1}, 0.49);
  EXPECT_EQ(find_attitude(shown, settings).trust, 0);
}

TEST(Attitude, ExchangesNamesOfSides) {
  EXPECT_EQ(other_side("hip.L"), "hip.R");
  EXPECT_EQ(other_side("limb.1.2.R"), "limb.1.2.L");
  EXPECT_EQ(other_side("spine.1"), "spine.1");
  EXPECT_EQ(other_side(".L"), ".L");
}

TEST(Attitude, ExchangesSidesAndKeepsTheOrderOfJoints) {
  skeleton::SkeletonPlan plan;
  plan.joints = {{"hips", -1, {0, 1, 0}, std::nullopt},
                 {"hip.L", 0, {1, 1, 0}, std::nullopt},
                 {"knee.L", 1, {1, 0.5, 0}, std::nullopt},
                 {"hip.R", 0, {-1, 1, 0}, std::nullopt},
                 {"knee.R", 3, {-1, 0.5, 0.1}, std::nullopt}};
  exchange_sides(plan);
  const char* names[] = {"hips", "hip.L", "knee.L", "hip.R", "knee.R"};
  const int parents[] = {-1, 0, 1, 0, 3};
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(plan.joints[j].name, names[j]);
    EXPECT_EQ(plan.joints[j].parent, parents[j]);
  }
  EXPECT_EQ(plan.joints[2].at, (Vec3d{-1, 0.5, 0.1})) << "what was right is left";
  // With a limb on one side alone, parents would come after their children: names change, places do not.
  plan.joints = {{"hips", -1, {0, 1, 0}, std::nullopt},
                 {"hip.L", 0, {1, 1, 0}, std::nullopt},
                 {"limb.1.1.L", 1, {1, 0, 0}, std::nullopt},
                 {"hip.R", 0, {-1, 1, 0}, std::nullopt}};
  exchange_sides(plan);
  const char* renamed[] = {"hips", "hip.R", "limb.1.1.R", "hip.L"};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(plan.joints[j].name, renamed[j]);
  EXPECT_EQ(plan.joints[2].parent, 1);
}

TEST(AutoRig, GivesTheSameRigInEveryAttitudeAndTheMirroredOneToAMirrorImage) {
  const auto reader = anatomy::BodyReader::open(testing::source_dir() / "models" / "body_reader").value();
  AutoRigSettings settings;
  // A dog of capsules is none that was taught: what is sure here is that it is read the same way each time.
  settings.reader = [&](const body::BodyShape& body) {
    anatomy::BodyReading reading = reader.read(body);
    reading.kind_right = reading.front_right = 1;
    return reading;
  };
  const auto rigged = [&](int k) { return auto_rig(in_attitude(lopsided_dog(), attitude(k)), settings).value(); };
  const AutoRig first = rigged(2);  // as the dog is
  const Affined first_asset = rig::asset_from_subject(first.subject);
  for (const int k : {9, 39}) {
    const AutoRig other = rigged(k);
    const Affined asset = rig::asset_from_subject(other.subject);
    ASSERT_EQ(other.plan.joints.size(), first.plan.joints.size()) << k;
    const Mat3d turn = attitude(k) * transposed(attitude(2));
    for (const skeleton::PlannedJoint& joint : first.plan.joints) {
      const int there = other.plan.find(k < 24 ? joint.name : other_side(joint.name));
      ASSERT_GE(there, 0) << joint.name;
      const Vec3d place = asset * other.plan.joints[static_cast<std::size_t>(there)].at;
      EXPECT_LT(norm(place - turn * (first_asset * joint.at)), 1e-6) << joint.name;
    }
    EXPECT_LT(norm(other.subject.facing.forward.cast<double>() - turn * first.subject.facing.forward.cast<double>()),
              1e-6);
    EXPECT_EQ(other.subject.weights.weights, first.subject.weights.weights);
    EXPECT_EQ(other.subject.facing.confidence, first.subject.facing.confidence);
  }
}

}  // namespace
}  // namespace limber::autorig
