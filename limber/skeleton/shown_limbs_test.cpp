// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/shown_limbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/testing/surfaces.h"

namespace limber::skeleton {
namespace {

using rig::LimbKind;
using rig::Side;
using testing::capsule;
using testing::TestSurface;

/// A body of capsules, and what somebody says of its points.
struct ReadBody {
  TestSurface surface;
  anatomy::BodyReading reading;

  ReadBody() {
    reading.up = {0, 1, 0}, reading.forward = {0, 0, 1};
    add(testing::ball({0, 0.5, 0}, 0.2), LimbKind::kTrunk);
    read(LimbKind::kTrunk, {0, 0.4, 0}, {0, 0.6, 0});
  }
  void add(const TestSurface& piece, LimbKind kind) {
    surface.add(piece);
    for (std::size_t i = 0; i < piece.points.size(); i += 3) {
      reading.points.push_back(piece.points[i].cast<double>());
      reading.limb_kinds.push_back(kind);
    }
  }
  void read(LimbKind kind, Vec3d root, Vec3d tip, int parent = -1) {
    anatomy::ReadLimb limb;
    limb.kind = kind, limb.root = root, limb.tip = tip, limb.starts = {root}, limb.parent = parent;
    reading.limbs.push_back(limb);
  }
  void possible(LimbKind kind, std::size_t count) { reading.counts[static_cast<std::size_t>(kind)][count] = 0.3f; }
  body::BodyShape shape() const { return body::study_body(surface.points, surface.triangles, {128, 2000000, 3}); }
  std::ptrdiff_t count(LimbKind kind, Side side) const {
    return std::count_if(reading.limbs.begin(), reading.limbs.end(),
                         [&](const anatomy::ReadLimb& limb) { return limb.kind == kind && limb.side == side; });
  }
};

/// Eight arms, of which every two neighbours were taken for one.
ReadBody octopus() {
  ReadBody body;
  for (int k = 0; k < 8; ++k) {
    const double angle = 2 * kPi * (k + 0.5) / 8;
    const Vec3d out{std::sin(angle), 0, std::cos(angle)};
    body.add(capsule(Vec3d{0, 0.45, 0} + 0.15 * out, Vec3d{0, 0.1, 0} + 0.8 * out, 0.05, 0.03), LimbKind::kTentacle);
    if (k % 2 == 0) body.read(LimbKind::kTentacle, Vec3d{0, 0.45, 0} + 0.15 * out, Vec3d{0, 0.1, 0} + 0.7 * out, 0);
  }
  body.read(LimbKind::kEar, {0, 0.7, 0}, {0, 0.8, 0}, 2);
  return body;
}

TEST(ShownLimbs, AreToldApartWhereAReadingTookThemForOne) {
  ReadBody body = octopus();
  body.possible(LimbKind::kTentacle, 8);
  tell_limbs_apart(body.shape(), body.reading);
  ASSERT_EQ(body.reading.limbs.size(), 10u);
  EXPECT_EQ(body.count(LimbKind::kTentacle, Side::kLeft), 4);
  EXPECT_EQ(body.count(LimbKind::kTentacle, Side::kRight), 4);
  std::size_t points = 0;
  for (std::size_t i = 1; i < 9; ++i) {
    const anatomy::ReadLimb& limb = body.reading.limbs[i];
    EXPECT_EQ(limb.parent, 0);
    EXPECT_GT(limb.confidence, 0.6);
    EXPECT_NEAR(std::hypot(limb.tip.x, limb.tip.z), 0.8, 0.05);
    EXPECT_LT(std::hypot(limb.root.x, limb.root.z), 0.35);
    EXPECT_GT(limb.points.size(), 10u) << "each has the points of its own flesh";
    points += limb.points.size();
  }
  EXPECT_EQ(points, static_cast<std::size_t>(std::count(body.reading.limb_kinds.begin(), body.reading.limb_kinds.end(),
                                                        LimbKind::kTentacle)));
  // What left a tentacle still leaves one, and comes after it.
  EXPECT_EQ(body.reading.limbs[9].kind, LimbKind::kEar);
  EXPECT_GE(body.reading.limbs[9].parent, 1);
  EXPECT_LT(body.reading.limbs[9].parent, 9);
}

TEST(ShownLimbs, StayAsTheyWereReadWhereSoManyAreNotPossible) {
  ReadBody body = octopus();
  body.possible(LimbKind::kTentacle, 4);
  tell_limbs_apart(body.shape(), body.reading);
  EXPECT_EQ(body.reading.limbs.size(), 6u);
  ReadBody untold = octopus();
  untold.possible(LimbKind::kTentacle, 8), untold.reading.limb_kinds.clear();
  tell_limbs_apart(untold.shape(), untold.reading);
  EXPECT_EQ(untold.reading.limbs.size(), 6u) << "nobody says what points are of";
}

TEST(ShownLimbs, AreNotTheBranchesOfOne) {
  ReadBody body;
  body.possible(LimbKind::kArm, 2), body.possible(LimbKind::kArm, 4);
  for (const double side : {-1.0, 1.0}) {
    const Vec3d shoulder{side * 0.15, 0.55, 0}, wrist{side * 0.6, 0.55, 0};
    body.add(capsule(shoulder, wrist, 0.05, 0.04), LimbKind::kArm);
    for (const double up : {-1.0, 1.0}) {
      body.add(capsule(wrist, {side * 0.8, 0.55 + up * 0.12, 0}, 0.04, 0.03), LimbKind::kArm);
    }
  }
  body.read(LimbKind::kArm, {0.15, 0.55, 0}, {0.7, 0.55, 0}, 0);
  tell_limbs_apart(body.shape(), body.reading);
  EXPECT_EQ(body.count(LimbKind::kArm, Side::kLeft), 1);
  EXPECT_EQ(body.count(LimbKind::kArm, Side::kRight), 1) << "the other arm was not read, its claws are no arms";
}

}  // namespace
}  // namespace limber::skeleton
