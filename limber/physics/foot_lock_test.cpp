// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/foot_lock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/physics/physics_testing.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

using testing::two_legs;

constexpr int kFrames = 24;
constexpr double kHeight = 1.0, kKnee = 0.5;
constexpr std::size_t kX = 0, kFirstHinge = 7, kHinges = 3;  // of a leg

/// The trunk drifts over the ground with its knees bent and its legs as they are: the feet slide along.
std::vector<double> drifting(const Model& model, double step) {
  std::vector<double> positions;
  for (int f = 0; f < kFrames; ++f) {
    std::vector<double> q = zero_position(model);
    q[kX] = step * f;
    for (const std::size_t leg : {kFirstHinge, kFirstHinge + kHinges}) {
      q[leg] = kKnee, q[leg + 1] = -2 * kKnee, q[leg + 2] = kKnee;
    }
    positions.insert(positions.end(), q.begin(), q.end());
  }
  // Down to the ground.
  double lowest = 1e9;
  for (const Vec3d& p : contact_points(model, positions)) lowest = std::min(lowest, p.y);
  for (int f = 0; f < kFrames; ++f) positions[static_cast<std::size_t>(f) * model.position_count() + 1] -= lowest;
  return positions;
}

/// How far the middle of a foot's two points goes along the ground between two frames.
double slide(const Model& model, const std::vector<double>& positions, std::size_t foot, int from, int to) {
  const std::vector<Vec3d> points = contact_points(model, positions);
  const auto middle = [&](int frame) {
    const std::size_t at = static_cast<std::size_t>(frame) * model.points.size() + 2 * foot;
    return 0.5 * (points[at] + points[at + 1]);
  };
  const Vec3d way = middle(to) - middle(from);
  return std::hypot(way.x, way.z);
}

using Planted = std::vector<std::vector<bool>>;

TEST(FootLock, LetsPlantedFeetStandStill) {
  const Model model = two_legs();
  std::vector<double> positions = drifting(model, 0.008);
  const Planted planted(model.points.size(), std::vector<bool>(kFrames, true));
  const double before = slide(model, positions, 0, 0, kFrames - 1);
  ASSERT_NEAR(before, 0.184, 1e-9);
  // Steps are damped: every call comes nearer.
  lock_feet(model, kHeight, planted, positions);
  for (const std::size_t foot : {0u, 1u}) EXPECT_LT(slide(model, positions, foot, 0, kFrames - 1), 0.3 * before);
  for (int repeat = 0; repeat < 4; ++repeat) lock_feet(model, kHeight, planted, positions);
  for (const std::size_t foot : {0u, 1u}) {
    for (int f = 1; f < kFrames; ++f) EXPECT_LT(slide(model, positions, foot, f - 1, f), 0.0005) << foot << " " << f;
  }
}

TEST(FootLock, MovesOnlyTheLegsThatArePlanted) {
  const Model model = two_legs();
  const std::vector<double> before = drifting(model, 0.008);
  std::vector<double> positions = before;
  Planted planted(model.points.size(), std::vector<bool>(kFrames, false));
  planted[0] = planted[1] = std::vector<bool>(kFrames, true);
  lock_feet(model, kHeight, planted, positions);
  bool moved = false;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const std::size_t place = k % model.position_count();
    if (place >= kFirstHinge && place < kFirstHinge + kHinges) {
      moved = moved || positions[k] != before[k];
    } else {
      EXPECT_EQ(positions[k], before[k]) << place;
    }
  }
  EXPECT_TRUE(moved);
}

TEST(FootLock, CarriesTheShiftOverEvenlyBetweenFootholds) {
  const Model model = two_legs();
  std::vector<double> positions = drifting(model, 0.008);
  Planted planted(model.points.size(), std::vector<bool>(kFrames, true));
  for (std::vector<bool>& point : planted) std::fill(point.begin() + 9, point.begin() + 15, false);
  const std::vector<double> before = positions;
  lock_feet(model, kHeight, planted, positions);
  // No jump at lift-off or touch-down: what hinges are turned by changes little from frame to frame.
  for (int f = 1; f < kFrames; ++f) {
    for (std::size_t h = kFirstHinge; h < model.position_count(); ++h) {
      const std::size_t now = static_cast<std::size_t>(f) * model.position_count() + h,
                        last = now - model.position_count();
      EXPECT_LT(std::abs(positions[now] - before[now] - positions[last] + before[last]), 0.1) << f << " " << h;
    }
  }
  EXPECT_LT(slide(model, positions, 0, 0, 8), 0.3 * slide(model, before, 0, 0, 8));
  EXPECT_LT(slide(model, positions, 0, 15, kFrames - 1), 0.3 * slide(model, before, 0, 15, kFrames - 1));
}

TEST(FootLock, LeavesAMotionWithoutPlantedFeetAlone) {
  const Model model = two_legs();
  const std::vector<double> before = drifting(model, 0.008);
  std::vector<double> positions = before;
  lock_feet(model, kHeight, Planted(model.points.size(), std::vector<bool>(kFrames, false)), positions);
  EXPECT_EQ(positions, before);
}

/// The ankles' angles against the ground, per frame, of the first leg.
std::vector<double> tilts(const Model& model, const std::vector<double>& positions) {
  std::vector<double> result;
  for (int f = 0; f < kFrames; ++f) {
    const double* leg = &positions[static_cast<std::size_t>(f) * model.position_count() + kFirstHinge];
    result.push_back(leg[0] + leg[1] + leg[2]);
  }
  return result;
}

TEST(HoldFeet, KeepsTheDirectionOfFeetThatLieOnTheGround) {
  const Model model = two_legs();
  std::vector<double> positions = drifting(model, 0);
  for (int f = 0; f < kFrames; ++f) {
    positions[static_cast<std::size_t>(f) * model.position_count() + kFirstHinge + 2] += 0.02 * (f - kFrames / 2);
  }
  std::vector<std::vector<bool>> planted(model.points.size(), std::vector<bool>(kFrames, false));
  for (int f = 8; f < 16; ++f) planted[0][static_cast<std::size_t>(f)] = planted[1][static_cast<std::size_t>(f)] = true;
  const std::vector<double> before = tilts(model, positions);
  hold_feet(model, kHeight, planted, positions);
  const std::vector<double> after = tilts(model, positions);
  for (std::size_t f = 8; f < 16; ++f) EXPECT_NEAR(after[f], after[12], 0.01) << f;
  EXPECT_EQ(after.front(), before.front());
  EXPECT_EQ(after.back(), before.back());

  // One point alone is a tip: it turns as it did.
  positions = drifting(model, 0);
  for (int f = 0; f < kFrames; ++f) {
    positions[static_cast<std::size_t>(f) * model.position_count() + kFirstHinge + 2] += 0.02 * (f - kFrames / 2);
  }
  planted[1].assign(kFrames, false);
  hold_feet(model, kHeight, planted, positions);
  EXPECT_EQ(tilts(model, positions), before);
}

}  // namespace
}  // namespace limber::physics
