// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "limber/base/rng.h"
#include "limber/skin/coarse_surface.h"
#include "limber/skin/from_labels.h"
#include "limber/skin/voxel.h"
#include "limber/testing/surfaces.h"

namespace limber::skin {
namespace {

using testing::ball;
using testing::capsule;
using testing::TestSurface;

/// Joints whose +Y axis runs along `along`.
SkinJoint joint(Vec3d position, int parent, Vec3d along = {0, 1, 0}) {
  SkinJoint result;
  result.position = position;
  result.parent = parent;
  result.axes = to_matrix(rotation_between(Vec3d{0, 1, 0}, along));
  return result;
}

/// An arm of three bones along x.
TestSurface arm() { return capsule({0, 0, 0}, {6, 0, 0}, 0.5, 0.5, 12); }
std::vector<SkinJoint> arm_joints() {
  const Vec3d x{1, 0, 0};
  return {joint({0, 0, 0}, -1, x), joint({2, 0, 0}, 0, x), joint({4, 0, 0}, 1, x)};
}

double weight_of(const rig::SkinWeights& weights, std::size_t point, int bone) {
  double sum = 0;
  const auto stride = static_cast<std::size_t>(weights.stride);
  for (std::size_t k = point * stride; k < (point + 1) * stride; ++k) {
    if (weights.bones[k] == bone) sum += weights.weights[k];
  }
  return sum;
}

void expect_sums_to_one(const rig::SkinWeights& weights) {
  const auto stride = static_cast<std::size_t>(weights.stride);
  for (std::size_t v = 0; v < weights.points(); ++v) {
    EXPECT_NEAR(std::accumulate(&weights.weights[v * stride], &weights.weights[v * stride] + stride, 0.0), 1, 1e-5);
  }
}

TEST(SkinSolve, EveryMethodFollowsTheNearestBoneAndSumsToOne) {
  const TestSurface surface = arm();
  for (const char* name : {"auto", "heat", "voxel", "parts"}) {
    SkinSettings settings;
    settings.method = skin_method(name).value();
    const SkinResult result = solve_skin(surface.points, surface.triangles, arm_joints(), settings);
    ASSERT_EQ(result.weights.points(), surface.points.size());
    expect_sums_to_one(result.weights);
    for (std::size_t v = 0; v < surface.points.size(); ++v) {
      const double x = surface.points[v].x;
      if (std::abs(x - 1) < 0.3) {
        EXPECT_GT(weight_of(result.weights, v, 0), 0.6) << name;
      }
      if (std::abs(x - 3) < 0.3) {
        EXPECT_GT(weight_of(result.weights, v, 1), 0.6) << name;
      }
      if (x > 5) {
        EXPECT_GT(weight_of(result.weights, v, 2), 0.6) << name;
      }
    }
    EXPECT_FALSE(result.report.pieces[0].reason.empty());
  }
  EXPECT_FALSE(skin_method("bones").ok());
}

TEST(SkinSolve, DoesNotDependOnScaleOrOrder) {
  const TestSurface surface = arm();
  const SkinResult plain = solve_skin(surface.points, surface.triangles, arm_joints());
  for (const float scale : {1e-3f, 1e3f}) {
    TestSurface scaled;
    const std::size_t n = surface.points.size();
    for (std::size_t v = n; v-- > 0;) scaled.points.push_back(scale * surface.points[v]);
    for (auto t = surface.triangles.rbegin(); t != surface.triangles.rend(); ++t) {
      const auto turn = [n](std::uint32_t corner) { return static_cast<std::uint32_t>(n) - 1 - corner; };
      scaled.triangles.push_back({turn((*t)[0]), turn((*t)[1]), turn((*t)[2])});
    }
    std::vector<SkinJoint> joints = arm_joints();
    for (SkinJoint& j : joints) j.position = double(scale) * j.position;
    const SkinResult other = solve_skin(scaled.points, scaled.triangles, joints);
    for (std::size_t v = 0; v < n; ++v) {
      for (int b = 0; b < 3; ++b) {
        EXPECT_NEAR(weight_of(plain.weights, v, b), weight_of(other.weights, n - 1 - v, b), 0.02);
      }
    }
  }
}

TEST(SkinSolve, KeepsAtMostFourOrEightInfluences) {
  // Twelve short bones along an arm, with blends that reach over all of them.
  const TestSurface surface = arm();
  std::vector<SkinJoint> joints;
  for (int k = 0; k < 12; ++k) joints.push_back(joint({0.5 * k, 0, 0}, k - 1, {1, 0, 0}));
  SkinSettings settings;
  settings.stiffness = 0.01;
  for (const int influences : {4, 8}) {
    settings.influences = influences;
    const SkinResult result = solve_skin(surface.points, surface.triangles, joints, settings);
    EXPECT_EQ(result.weights.stride, influences);
    EXPECT_EQ(result.report.trimmed > 0, influences == 4);
    expect_sums_to_one(result.weights);
    int most = 0;
    for (std::size_t v = 0; v < result.weights.points(); ++v) {
      int used = 0;
      for (int k = 0; k < influences; ++k)
        used +=
            result.weights.weights[v * static_cast<std::size_t>(influences) + static_cast<std::size_t>(k)] > 0 ? 1 : 0;
      most = std::max(most, used);
    }
    EXPECT_EQ(most, influences);
  }
  settings.influences = 5;
  EXPECT_THROW(solve_skin(surface.points, surface.triangles, joints, settings), ContractError);
}

TEST(SkinSolve, ASmallPieceMovesAsAWholeWithWhatItTouches) {
  TestSurface surface = arm();
  const std::size_t body = surface.points.size();
  surface.add(ball({5, 0.55, 0}, 0.1, 8));  // a button at the end of the arm
  const SkinResult result = solve_skin(surface.points, surface.triangles, arm_joints());
  ASSERT_EQ(result.report.pieces.size(), 2u);
  EXPECT_TRUE(result.report.pieces[1].loose);
  for (std::size_t v = body; v < surface.points.size(); ++v) {
    for (int b = 0; b < 3; ++b) {
      EXPECT_NEAR(weight_of(result.weights, v, b), weight_of(result.weights, body, b), 1e-6);
    }
    EXPECT_GT(weight_of(result.weights, v, 2), 0.8);
  }
}

/// A closed fin in the plane z = 0, thinner than any bone is deep.
TestSurface fin(Vec3d low, Vec3d high, int steps) {
  TestSurface surface;
  for (const float z : {-0.01f, 0.01f}) {
    for (int i = 0; i <= steps; ++i) {
      for (int k = 0; k <= steps; ++k) {
        const double x = low.x + (high.x - low.x) * i / steps, y = low.y + (high.y - low.y) * k / steps;
        const bool rim = i == 0 || k == 0 || i == steps || k == steps;
        surface.points.push_back({static_cast<float>(x), static_cast<float>(y), rim ? 0 : z});
      }
    }
  }
  const auto n = static_cast<std::uint32_t>(steps + 1), sheet = n * n;
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    for (std::uint32_t k = 0; k + 1 < n; ++k) {
      const std::uint32_t a = i * n + k, b = a + n;
      surface.triangles.push_back({a, a + 1, b});
      surface.triangles.push_back({b, a + 1, b + 1});
      surface.triangles.push_back({sheet + a, sheet + b, sheet + a + 1});
      surface.triangles.push_back({sheet + b, sheet + b + 1, sheet + a + 1});
    }
  }
  return surface;
}

TEST(SkinSolve, AFinWithABoneInItIsNotLoose) {
  // A fish's tail fin is a piece of its own, with the last bone of the tail in its plane; the fin on its back has none.
  TestSurface surface = arm();
  const std::size_t tail = surface.points.size();
  surface.add(fin({6.4, -0.6, 0}, {7.8, 0.6, 0}, 8));
  const std::size_t back = surface.points.size();
  surface.add(fin({2.5, 0.48, 0}, {3.5, 1.2, 0}, 8));
  std::vector<SkinJoint> joints = arm_joints();
  joints.push_back(joint({6.5, 0, 0}, 2, {1, 0, 0}));
  const SkinResult result = solve_skin(surface.points, surface.triangles, joints);
  ASSERT_EQ(result.report.pieces.size(), 3u);
  EXPECT_FALSE(result.report.pieces[1].loose);
  EXPECT_TRUE(result.report.pieces[2].loose);
  for (std::size_t v = tail; v < back; ++v) {
    if (surface.points[v].x > 7.2f) {
      EXPECT_GT(weight_of(result.weights, v, 3), 0.9);
    }
  }
}

TEST(SkinSolve, PartsOfAMachineDoNotBend) {
  // A row of links, longer or shorter than the bones, so that several of them lie across a joint.
  TestSurface surface;
  std::vector<std::size_t> first;
  for (int k = 0; k < 18; ++k) {
    first.push_back(surface.points.size());
    surface.add(capsule({k + 0.3, 0, 0}, {k + 0.7, 0, 0}, 0.25, 0.25, 8));
  }
  first.push_back(surface.points.size());
  std::vector<SkinJoint> joints;
  for (int j = 0; j < 7; ++j) joints.push_back(joint({2.6 * j, 0, 0}, j - 1, {1, 0, 0}));
  const SkinResult machine = solve_skin(surface.points, surface.triangles, joints);
  for (std::size_t k = 0; k + 1 < first.size(); ++k) {
    const int bone = machine.weights.bones[4 * first[k]];
    for (std::size_t v = first[k]; v < first[k + 1]; ++v) EXPECT_EQ(weight_of(machine.weights, v, bone), 1) << k;
  }
  EXPECT_NE(machine.report.pieces[0].reason.find("machine"), std::string::npos);
  // Two bones in one link: the second would hold nothing, so the link bends.
  std::vector<SkinJoint> two_in_one = joints;
  two_in_one.push_back(joint({17.5, 0, 0}, 6, {1, 0, 0}));
  const SkinResult bent = solve_skin(surface.points, surface.triangles, two_in_one);
  std::array<double, 2> held{};
  for (std::size_t v = first[17]; v < first[18]; ++v) {
    held[0] += weight_of(bent.weights, v, 6), held[1] += weight_of(bent.weights, v, 7);
  }
  EXPECT_GT(held[0], 5);
  EXPECT_GT(held[1], 5);
  // Who asks for heat gets it, and more bones than pieces are no machine's.
  const auto bends = [&](const SkinResult& result) {
    return std::any_of(result.weights.weights.begin(), result.weights.weights.end(),
                       [](float w) { return w > 0.2f && w < 0.8f; });
  };
  SkinSettings heat;
  heat.method = SkinMethod::kHeat;
  EXPECT_TRUE(bends(solve_skin(surface.points, surface.triangles, joints, heat)));
  // Nor are patches of a torn skin.
  TestSurface torn = surface;
  std::erase_if(torn.triangles, [&](const body::Triangle& t) { return torn.points[t[0]].y > 0.05f; });
  EXPECT_TRUE(bends(solve_skin(torn.points, torn.triangles, joints)));
  joints.clear();
  for (int j = 0; j < 20; ++j) joints.push_back(joint({0.9 * j, 0, 0}, j - 1, {1, 0, 0}));
  EXPECT_TRUE(bends(solve_skin(surface.points, surface.triangles, joints)));
}

TEST(SkinSolve, WeightsDoNotCrossTheGapBetweenFingers) {
  TestSurface surface = capsule({0, 0, 0}, {4, 0, 0}, 0.3, 0.3, 12);
  surface.add(capsule({0, 0.75, 0}, {4, 0.75, 0}, 0.3, 0.3, 12));
  const Vec3d x{1, 0, 0};
  const std::vector<SkinJoint> joints{joint({0, 0, 0}, -1, x), joint({2, 0, 0}, 0, x), joint({0, 0.75, 0}, -1, x),
                                      joint({2, 0.75, 0}, 2, x)};
  for (const char* name : {"heat", "voxel", "parts"}) {
    SkinSettings settings;
    settings.method = skin_method(name).value();
    const SkinResult result = solve_skin(surface.points, surface.triangles, joints, settings);
    for (std::size_t v = 0; v < surface.points.size(); ++v) {
      const bool upper = surface.points[v].y > 0.375f;
      const double own = weight_of(result.weights, v, upper ? 2 : 0) + weight_of(result.weights, v, upper ? 3 : 1);
      EXPECT_GT(own, 0.999) << name;
    }
  }
}

TEST(SkinSolve, JointsThatDoNotDeformGetNothing) {
  const TestSurface surface = arm();
  std::vector<SkinJoint> joints = arm_joints();
  joints[1].deforms = false;
  const SkinResult result = solve_skin(surface.points, surface.triangles, joints);
  for (std::size_t v = 0; v < surface.points.size(); ++v) EXPECT_EQ(weight_of(result.weights, v, 1), 0);
  for (SkinJoint& j : joints) j.deforms = false;
  EXPECT_THROW(solve_skin(surface.points, surface.triangles, joints), ContractError);
}

TEST(SkinSolve, LeavesNoGroupEmpty) {
  // A root on the ground, far from everything, and three joints in one place: none of them is nearest to any point.
  const TestSurface surface = arm();
  std::vector<SkinJoint> joints{joint({3, -8, 0}, -1)};
  for (SkinJoint j : arm_joints()) ++j.parent, joints.push_back(j);
  for (int k = 0; k < 3; ++k) joints.push_back(joint({6.2, 0, 0}, 3, {1, 0, 0}));
  for (const char* name : {"auto", "voxel", "parts"}) {
    SkinSettings settings;
    settings.method = skin_method(name).value();
    const SkinResult result = solve_skin(surface.points, surface.triangles, joints, settings);
    expect_sums_to_one(result.weights);
    for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
      double held = 0;
      for (std::size_t v = 0; v < surface.points.size(); ++v) held += weight_of(result.weights, v, j);
      EXPECT_GT(held, 0.01) << name << " joint " << j;
    }
  }
}

TEST(SkinSolve, SurvivesWhatIsHardlyASurface) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<std::vector<Vec3>, std::vector<body::Triangle>>> cases{
      {{}, {}},
      {{{0, 0, 0}}, {}},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}},
      {{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}},
      {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}, {0, 0, 0}}},
      {{{nan, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {1, 2, 3}}},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 9}, {0, 1, 2}, {0, 1, 2}, {2, 1, 0}}},
  };
  for (const auto& [points, triangles] : cases) {
    for (const char* name : {"auto", "heat", "voxel", "parts"}) {
      SkinSettings settings;
      settings.method = skin_method(name).value();
      settings.solid.resolution = 48;
      const SkinResult result = solve_skin(points, triangles, arm_joints(), settings);
      ASSERT_EQ(result.weights.points(), points.size());
      expect_sums_to_one(result.weights);
    }
  }
}

TEST(SkinSolve, AnInsideOutBodyIsWeightedAsTheOther) {
  TestSurface surface = arm();
  const SkinResult plain = solve_skin(surface.points, surface.triangles, arm_joints());
  for (body::Triangle& t : surface.triangles) std::swap(t[1], t[2]);
  const SkinResult turned = solve_skin(surface.points, surface.triangles, arm_joints());
  for (std::size_t k = 0; k < plain.weights.weights.size(); ++k) {
    EXPECT_NEAR(plain.weights.weights[k], turned.weights.weights[k], 1e-4);
  }
}

TEST(SkinSolve, TransfersToAnyPointThroughTheNearestTriangle) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<body::Triangle> triangles{{0, 1, 2}};
  const std::vector<std::vector<rig::Influence>> rows{{{0, 1.0f}}, {{1, 1.0f}}, {{2, 1.0f}}};
  const rig::SkinWeights weights = rig::make_skin_weights(rows, 4);
  const std::vector<Vec3> queries{{0.25f, 0.25f, 3}, {-5, -5, 0}, {0.5f, 0, 0}};
  const rig::SkinWeights moved = transfer_skin(points, triangles, weights, queries);
  EXPECT_NEAR(weight_of(moved, 0, 0), 0.5, 1e-6);
  EXPECT_NEAR(weight_of(moved, 0, 1), 0.25, 1e-6);
  EXPECT_NEAR(weight_of(moved, 1, 0), 1, 1e-6);
  EXPECT_NEAR(weight_of(moved, 2, 1), 0.5, 1e-6);
  // Without triangles the nearest point counts.
  const rig::SkinWeights nearest = transfer_skin(points, {}, weights, queries);
  EXPECT_NEAR(weight_of(nearest, 1, 0), 1, 1e-6);
}

TEST(SkinBones, TakeTheAxisThatTheJointsAgreeOn) {
  const TestSurface surface = arm();
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  EXPECT_EQ(bone_axis(arm_joints()), 1);
  const std::vector<SkinBone> bones = skin_bones(body, arm_joints());
  ASSERT_EQ(bones.size(), 3u);
  EXPECT_NEAR(bones[0].segments[0].to.x, 2, 1e-9);
  // The last one reaches to near the end of the body, which is at 6.5.
  EXPECT_GT(bones[2].segments[0].to.x, 5.5);
  EXPECT_LT(bones[2].segments[0].to.x, 6.6);
  EXPECT_FALSE(bones[2].guessed_tail);
}

TEST(SkinBones, EndBetweenChildrenThatAreBesideTheAxis) {
  // A hand: two fingers leave it at fifteen degrees. Its own bone leads to neither.
  const TestSurface surface = capsule({0, 0, 0}, {6, 0, 0}, 1, 1, 12);
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  const Vec3d x{1, 0, 0};
  std::vector<SkinJoint> joints = arm_joints();
  const double aside = 1.5 * std::tan(15 * kPi / 180);
  joints.push_back(joint({5.5, aside, 0}, 2, x));
  joints.push_back(joint({5.5, -aside, 0}, 2, x));
  std::vector<SkinBone> bones = skin_bones(body, joints);
  ASSERT_EQ(bones[2].segments.size(), 1u);
  EXPECT_NEAR(bones[2].segments[0].to.y, 0, 1e-9);
  EXPECT_GT(bones[2].segments[0].to.x, 5);
  EXPECT_LT(bones[2].segments[0].to.x, 4 + 1.01 * std::hypot(1.5, aside));
  // One of several on the axis continues the bone alone; a single child beside it does too.
  joints.push_back(joint({5.2, 0, 0}, 2, x));
  bones = skin_bones(body, joints);
  ASSERT_EQ(bones[2].segments.size(), 1u);
  EXPECT_NEAR(bones[2].segments[0].to.x, 5.2, 1e-9);
  joints.resize(4);
  bones = skin_bones(body, joints);
  ASSERT_EQ(bones[2].segments.size(), 1u);
  EXPECT_NEAR(bones[2].segments[0].to.y, aside, 1e-9);
}

TEST(SkinBones, GuessATailWhereTheAxesSayNothing) {
  const TestSurface surface = arm();
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  std::vector<SkinJoint> joints = arm_joints();
  for (std::size_t j = 0; j < 3; ++j)
    joints[j].axes = to_matrix(axis_angle(normalized(Vec3d{1, 2, 3}), 1.0 + double(j)));
  EXPECT_EQ(bone_axis(joints), -1);
  const std::vector<SkinBone> bones = skin_bones(body, joints);
  EXPECT_NEAR(bones[0].segments[0].to.x, 2, 1e-9);
  EXPECT_TRUE(bones[2].guessed_tail);
  EXPECT_GT(bones[2].segments[0].to.x, 5);
}

TEST(SkinBones, DropLinesThatLeaveTheBody) {
  // A hub between two feet that are far from each other: no bone runs through the air.
  TestSurface surface = capsule({0, 0, 0}, {0, 4, 0}, 0.4, 0.4, 12);
  surface.add(capsule({6, 0, 0}, {6, 4, 0}, 0.4, 0.4, 12));
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  std::vector<SkinJoint> joints{joint({0, 2, 0}, -1), joint({0, 0.3, 0}, 0), joint({6, 0.3, 0}, 0)};
  for (SkinJoint& j : joints) j.axes = Mat3d::identity();
  joints[1].axes = to_matrix(axis_angle(Vec3d{0, 0, 1}, 0.7));
  ASSERT_EQ(bone_axis(joints), -1);
  const std::vector<SkinBone> bones = skin_bones(body, joints);
  ASSERT_EQ(bones[0].segments.size(), 1u);
  EXPECT_NEAR(bones[0].segments[0].to.y, 0.3, 1e-9);
}

TEST(CoarseSurface, KeepsPiecesApartAndTheShape) {
  testing::TestSurface two = testing::capsule({0, 0, 0}, {0, 1, 0}, 0.2, 0.2, 96);
  two.add(testing::capsule({0.401, 0, 0}, {0.401, 1, 0}, 0.2, 0.2, 96));
  const body::WeldedSurface fine = body::weld(two.points, two.triangles);
  const CoarseSurface coarse = coarsen(fine, 600);
  EXPECT_GT(coarse.points.size(), 300u);
  EXPECT_LT(coarse.points.size(), 1300u);
  const body::WeldedSurface again = body::weld(coarse.points, coarse.triangles);
  EXPECT_EQ(again.component_count, 2);
  EXPECT_NEAR(again.high.y, fine.high.y, 0.05);
  EXPECT_NEAR(again.low.x, fine.low.x, 0.05);
}

}  // namespace
}  // namespace limber::skin
