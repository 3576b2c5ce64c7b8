// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/foothold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/physics/foot_lock.h"
#include "limber/physics/physics_testing.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr int kFrames = 30;
constexpr double kHeight = 1.0, kFps = 30;
constexpr std::size_t kX = 0, kY = 1, kFirstHinge = 7;
constexpr std::size_t kFeetPoints = 4;

using Planted = std::vector<std::vector<bool>>;

/// Two legs that stand still, each knee bent by twice `bend`, the feet on the ground.
std::vector<double> standing(const Model& model, double bend) {
  std::vector<double> q = zero_position(model);
  for (const std::size_t leg : {kFirstHinge, kFirstHinge + 3}) q[leg] = bend, q[leg + 1] = -2 * bend, q[leg + 2] = bend;
  double lowest = 1e9;
  const std::vector<Vec3d> points = contact_points(model, q);
  for (std::size_t p = 0; p < kFeetPoints; ++p) lowest = std::min(lowest, points[p].y);
  q[kY] -= lowest;
  std::vector<double> positions;
  for (int f = 0; f < kFrames; ++f) positions.insert(positions.end(), q.begin(), q.end());
  return positions;
}

/// As a simulation may leave it: the body sways away and rises, with its legs as they are.
std::vector<double> swaying(const Model& model, std::vector<double> positions, double way, double rise) {
  for (int f = 0; f < kFrames; ++f) {
    double* q = &positions[at(f) * model.position_count()];
    const double sway = std::sin(2 * kPi * f / kFrames);
    q[kX] += way * sway, q[kY] += rise * sway * sway;
  }
  return positions;
}

/// The farthest that a planted point is from where the other motion has it.
double farthest(const Model& model, const Planted& planted, const std::vector<double>& a,
                const std::vector<double>& b) {
  const std::vector<Vec3d> from = contact_points(model, a), to = contact_points(model, b);
  double far = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (planted[i % model.points.size()][i / model.points.size()]) far = std::max(far, norm(to[i] - from[i]));
  }
  return far;
}

TEST(Footholds, TheBodyComesAlongWhereLegsAloneDoNotReach) {
  const Model model = testing::two_legs();
  const std::vector<double> like = standing(model, 0.02), astray = swaying(model, like, 0.05, 0.03);
  const Planted planted(model.points.size(), std::vector<bool>(kFrames, true));
  ASSERT_GT(farthest(model, planted, astray, like), 0.05);
  // Stretched legs are no longer than they are.
  std::vector<double> locked = astray;
  for (int k = 0; k < 4; ++k) lock_feet(model, kHeight, planted, locked);
  ASSERT_GT(farthest(model, planted, locked, like), 0.02);
  std::vector<double> positions = astray;
  reach_footholds(model, {planted, like, kHeight, kFps, false}, positions);
  EXPECT_LT(farthest(model, planted, positions, like), 0.002);
}

TEST(Footholds, WhatTheSimulationDidAboveTheFeetIsKept) {
  const Model model = testing::two_legs();
  // Knees that are bent let the body sway over feet that stand.
  const std::vector<double> like = standing(model, 0.5), astray = swaying(model, like, 0.04, 0);
  const Planted planted(model.points.size(), std::vector<bool>(kFrames, true));
  std::vector<double> positions = astray;
  reach_footholds(model, {planted, like, kHeight, kFps, true}, positions);
  EXPECT_LT(farthest(model, planted, positions, like), 0.002);
  double swayed = 0;
  for (int f = 0; f < kFrames; ++f) {
    const std::size_t x = at(f) * model.position_count() + kX;
    swayed = std::max(swayed, std::abs(positions[x] - like[x]));
  }
  EXPECT_GT(swayed, 0.01);
}

TEST(Footholds, ATrunkThatLiesOnTheGroundIsBroughtBackToo) {
  Model model = testing::two_legs();
  // No hinge moves the trunk: only all of the body does.
  model.bodies[0].first_point = static_cast<int>(model.points.size()), model.bodies[0].point_count = 2;
  model.points.push_back({-0.1, -0.1, 0}), model.points.push_back({0.1, -0.1, 0.05});
  const std::vector<double> like = standing(model, 0.5), astray = swaying(model, like, 0.05, 0.02);
  Planted planted(model.points.size(), std::vector<bool>(kFrames, false));
  planted[kFeetPoints].assign(kFrames, true), planted[kFeetPoints + 1].assign(kFrames, true);
  std::vector<double> positions = astray;
  reach_footholds(model, {planted, like, kHeight, kFps, false}, positions);
  EXPECT_LT(farthest(model, planted, positions, like), 0.002);
}

TEST(Footholds, TheChangePassesEvenlyFromOneFootholdToTheNext) {
  const Model model = testing::two_legs();
  const std::vector<double> like = standing(model, 0.5), astray = swaying(model, like, 0.05, 0.01);
  Planted planted(model.points.size(), std::vector<bool>(kFrames, true));
  for (std::size_t p = 0; p < 2; ++p) std::fill(planted[p].begin() + 12, planted[p].begin() + 20, false);
  std::vector<double> positions = astray;
  reach_footholds(model, {planted, like, kHeight, kFps, false}, positions);
  EXPECT_LT(farthest(model, planted, positions, like), 0.003);
  for (int f = 1; f < kFrames; ++f) {
    for (std::size_t h = kFirstHinge; h < model.position_count(); ++h) {
      const std::size_t now = at(f) * model.position_count() + h, last = now - model.position_count();
      EXPECT_LT(std::abs(positions[now] - positions[last]), 0.06) << f << " " << h;
    }
  }
}

TEST(Footholds, WhatStandsNowhereIsPulledOutOfTheGround) {
  Model model = testing::two_legs();
  // A sword on a hinge of its own.
  BodyT<double> sword;
  sword.parent = 0, sword.first_hinge = model.hinge_count(), sword.hinge_count = 1;
  sword.inertia = testing::box_inertia(1, {0.3, 0.02, 0.02});
  sword.first_point = static_cast<int>(model.points.size()), sword.point_count = 1;
  model.hinges.push_back({{0, 0, 1}, {0.2, 0, 0}}), model.bodies.push_back(sword);
  model.points.push_back({1.2, 0, 0});
  const std::vector<double> like = standing(model, 0.3);
  std::vector<double> positions = like;
  for (int f = 0; f < kFrames; ++f) {
    positions[at(f + 1) * model.position_count() - 1] = -1.2 * std::sin(kPi * f / kFrames);
  }
  const auto lowest = [&] {
    double low = 0;
    for (const Vec3d& p : contact_points(model, positions)) low = std::min(low, p.y);
    return low;
  };
  ASSERT_LT(lowest(), -0.1);
  Planted planted(model.points.size(), std::vector<bool>(kFrames, true));
  planted.back().assign(kFrames, false);
  reach_footholds(model, {planted, like, kHeight, kFps, false}, positions);
  EXPECT_GT(lowest(), -0.01);
  EXPECT_LT(farthest(model, planted, positions, like), 0.003);
}

TEST(Footholds, AMotionThatStandsStays) {
  const Model model = testing::two_legs();
  const std::vector<double> like = standing(model, 0.3);
  std::vector<double> positions = like;
  const Planted all(model.points.size(), std::vector<bool>(kFrames, true));
  reach_footholds(model, {all, like, kHeight, kFps, false}, positions);
  for (std::size_t k = 0; k < like.size(); ++k) EXPECT_NEAR(positions[k], like[k], 1e-9) << k;
  // Nothing is planted, and nothing below the ground.
  const Planted none(model.points.size(), std::vector<bool>(kFrames, false));
  positions = swaying(model, like, 0.05, 0.03);
  const std::vector<double> before = positions;
  reach_footholds(model, {none, like, kHeight, kFps, false}, positions);
  EXPECT_EQ(positions, before);
}

}  // namespace
}  // namespace limber::physics
