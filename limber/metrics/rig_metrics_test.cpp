// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rig_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/base/rng.h"

namespace limber::metrics {
namespace {

SkeletonGraph chain(const std::vector<Vec3d>& joints) {
  SkeletonGraph skeleton{{}, joints, {}};
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) skeleton.parents.push_back(j - 1);
  return skeleton;
}

struct Surface {
  std::vector<Vec3d> points;
  std::vector<body::Triangle> triangles;
};

/// A tube of radius one along y, open at both ends.
Surface tube() {
  Surface surface;
  auto& [points, triangles] = surface;
  constexpr std::uint32_t kSides = 64;
  for (std::uint32_t k = 0; k < kSides; ++k) {
    const double angle = 2 * kPi * k / kSides;
    points.push_back({std::cos(angle), -5, std::sin(angle)});
    points.push_back({std::cos(angle), 5, std::sin(angle)});
    const std::uint32_t a = 2 * k, b = 2 * ((k + 1) % kSides);
    triangles.push_back({a, a + 1, b});
    triangles.push_back({b, a + 1, b + 1});
  }
  return surface;
}

TEST(RigMetrics, MatchesHandComputedChamfer) {
  // Two joints each, shifted by 0.1 across the bone: everything is 0.1 away from everything.
  const SkeletonGraph truth = chain({{0, 0, 0}, {0, 1, 0}});
  const SkeletonDistance shifted = skeleton_distance(chain({{0.1, 0, 0}, {0.1, 1, 0}}), truth).value();
  EXPECT_NEAR(shifted.joint_to_joint, 0.1, 1e-12);
  EXPECT_NEAR(shifted.joint_to_bone, 0.1, 1e-12);
  EXPECT_NEAR(shifted.bone_to_bone, 0.1, 1e-12);

  // A joint more, in the middle of the bone: (0 + 0 + 0.5) / 3 one way, 0 the other; bones agree.
  const SkeletonDistance split = skeleton_distance(chain({{0, 0, 0}, {0, 0.5, 0}, {0, 1, 0}}), truth).value();
  EXPECT_NEAR(split.joint_to_joint, 0.5 * (0.5 / 3), 1e-12);
  EXPECT_NEAR(split.joint_to_bone, 0, 1e-12);
  EXPECT_NEAR(split.bone_to_bone, 0, 1e-12);

  // Half of a bone of length 1, in samples 0.005 apart: the other half's are 0.005 ... 0.5 away, 100 of 201.
  const SkeletonDistance half = skeleton_distance(chain({{0, 0, 0}, {0, 0.5, 0}}), truth).value();
  EXPECT_NEAR(half.joint_to_joint, 0.5 * (0.25 + 0.25), 1e-12);
  EXPECT_NEAR(half.joint_to_bone, 0.5 * (0 + 0.25), 1e-12);
  EXPECT_NEAR(half.bone_to_bone, 0.5 * (0 + 0.005 * 100 * 101 / 2 / 201), 1e-9);
}

TEST(RigMetrics, MergesJointsThatCoincide) {
  SkeletonGraph doubled = chain({{0, 0, 0}, {0, 0.001, 0}, {0, 1, 0}});
  EXPECT_EQ(merge_joints(doubled, 0.0025).joints.size(), 2u);
  EXPECT_EQ(merge_joints(doubled, 0.0025).parents, (std::vector<int>{-1, 0}));
  EXPECT_EQ(merge_joints(doubled, 0.0005).joints.size(), 3u);
  // A chain that comes back to where it started stays a tree.
  const SkeletonGraph round = merge_joints(chain({{0, 0, 0}, {1, 0, 0}, {0, 0.001, 0}, {0, 1, 0}}), 0.01);
  EXPECT_EQ(round.parents, (std::vector<int>{-1, 0, 0}));
}

TEST(RigMetrics, CountsFailures) {
  const SkeletonGraph truth = chain({{0, 0, 0}, {0, 1, 0}});
  DistanceSummary summary;
  summary.add(skeleton_distance(chain({{0.1, 0, 0}, {0.1, 1, 0}}), truth), 1.5);
  summary.add(skeleton_distance({}, truth), 1.5);
  summary.add(skeleton_distance(chain({{0, std::nan(""), 0}}), truth), 1.5);
  EXPECT_EQ(summary.total, 3);
  EXPECT_EQ(summary.valid, 1);
  EXPECT_NEAR(summary.mean.joint_to_joint, 0.1, 1e-12);
  EXPECT_NEAR(summary.mean_with_failures.joint_to_joint, (0.1 + 1.5 + 1.5) / 3, 1e-12);
}

TEST(RigMetrics, TakesTheLongestSideToOne) {
  const std::vector<Vec3d> box{{1, 1, 1}, {3, 5, 2}};
  const UnitCube cube = unit_cube(box);
  EXPECT_EQ(cube(box[0]), (Vec3d{-0.25, -0.5, -0.125}));
  EXPECT_EQ(cube(box[1]), (Vec3d{0.25, 0.5, 0.125}));
}

TEST(RigMetrics, AssignsAtLeastCost) {
  // By hand: 0-1, 1-0, 2-2 costs 2 + 2 + 2; taking the cheapest first would cost 1 + 4 + 9.
  EXPECT_EQ(assign(std::vector<double>{1, 2, 9, 2, 4, 9, 9, 9, 2}, 3, 3),
            (std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {2, 2}}));
  // Against all permutations, of rectangles too.
  Rng rng(4);
  for (int round = 0; round < 50; ++round) {
    const int rows = 4, columns = 5;
    std::vector<double> costs;
    for (int k = 0; k < rows * columns; ++k) costs.push_back(rng.uniform());
    std::vector<int> order(columns);
    std::iota(order.begin(), order.end(), 0);
    double best = 1e9;
    do {
      double sum = 0;
      for (int i = 0; i < rows; ++i)
        sum += costs[static_cast<std::size_t>(i * columns + order[static_cast<std::size_t>(i)])];
      best = std::min(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    std::vector<double> turned(costs.size());
    for (std::size_t k = 0; k < costs.size(); ++k) turned[k % 5 * 4 + k / 5] = costs[k];
    double sum = 0, turned_sum = 0;
    for (const auto& [i, j] : assign(costs, rows, columns)) sum += costs[static_cast<std::size_t>(i * columns + j)];
    for (const auto& [j, i] : assign(turned, columns, rows))
      turned_sum += costs[static_cast<std::size_t>(i * columns + j)];
    EXPECT_NEAR(sum, best, 1e-12);
    EXPECT_NEAR(turned_sum, best, 1e-12);
  }
}

TEST(RigMetrics, ToleranceIsTheRadiusOfATube) {
  const auto [points, triangles] = tube();
  const std::vector<double> tolerances = joint_tolerances(chain({{0, -1, 0}, {0, 1, 0}}), points, triangles);
  for (const double tolerance : tolerances) EXPECT_NEAR(tolerance, 1, 2e-3);
  // A joint off the axis: the mean over 14 rays of the distance to the wall.
  const double off = joint_tolerances(chain({{0.5, -1, 0}, {0.5, 1, 0}}), points, triangles)[0];
  EXPECT_GT(off, 0.9);
  EXPECT_LT(off, 1.0);
  // Without bones there is no plane: the mean distance to the corners of the nearest triangle, 5 or 10 along.
  const double lone = joint_tolerances(SkeletonGraph{{}, {{0, 0, 0}}, {-1}}, points, triangles)[0];
  EXPECT_NEAR(lone, std::sqrt(26), 1e-2);
}

TEST(RigMetrics, ScoresJointsAsRigNetDoes) {
  const SkeletonGraph truth = chain({{0, 0, 0}, {0, 1, 0}, {0, 2, 0}});
  const std::vector<double> tolerances{0.2, 0.2, 0.5};
  // The first joint is right, the second too far, the third within its wider tolerance; the fourth is near the first.
  const SkeletonGraph predicted = chain({{0.1, 0, 0}, {0, 1.3, 0}, {0, 2.4, 0}, {0, 0.15, 0}});
  const JointScores scores = joint_scores(predicted, truth, tolerances);
  EXPECT_NEAR(scores.iou, 2.0 * 2 / 7, 1e-12);
  EXPECT_NEAR(scores.precision, 2.0 / 4, 1e-12);
  EXPECT_NEAR(scores.recall, 2.0 / 3, 1e-12);
  const JointScores constant = joint_scores(predicted, truth, 0.35);
  EXPECT_NEAR(constant.iou, 2.0 * 2 / 7, 1e-12);
  EXPECT_NEAR(constant.precision, 2.0 / 4, 1e-12);
  EXPECT_NEAR(constant.recall, 2.0 / 3, 1e-12);
  EXPECT_EQ(joint_scores({}, truth, 0.35).iou, 0);
}

TEST(RigMetrics, CountsEditsOfTrees) {
  const auto tree = [](const std::vector<int>& parents) {
    return SkeletonGraph{{}, std::vector<Vec3d>(parents.size()), parents};
  };
  const SkeletonGraph hand = tree({-1, 0, 0, 0, 1, 2, 3});
  EXPECT_EQ(tree_edit_distance(hand, hand), 0);
  EXPECT_EQ(tree_edit_distance(hand, tree({-1, 0, 0, 0, 1, 2, 3, 6})), 1);
  EXPECT_EQ(tree_edit_distance(hand, tree({-1})), 6);
  EXPECT_EQ(tree_edit_distance(hand, {}), 7);
  // The order in which children are listed does not matter.
  EXPECT_EQ(tree_edit_distance(tree({-1, 0, 0, 1, 3}), tree({-1, 0, 0, 2, 3})), 0);
  // A chain of four against a star of four: three are common at best along one branch, and the rest is moved.
  EXPECT_EQ(tree_edit_distance(tree({-1, 0, 1, 2}), tree({-1, 0, 0, 0})), 4);
  // A joint inserted between a joint and its children.
  EXPECT_EQ(tree_edit_distance(tree({-1, 0, 0, 0}), tree({-1, 0, 1, 1, 1})), 1);
  // Two roots count as children of one more joint.
  EXPECT_EQ(tree_edit_distance(tree({-1, -1}), tree({-1, 0, 0})), 0);
}

TEST(RigMetrics, SeesASkeletonThatFacesBackwards) {
  SkeletonGraph truth{{"pelvis", "spine", "head", "tail", "leg.L", "leg.R"},
                      {{0, 1, -1}, {0, 1, 0}, {0, 1, 1}, {0, 1, -2}, {1, 0, 0}, {-1, 0, 0}},
                      {-1, 0, 1, 0, 0, 0}};
  const FacingCheck same = check_facing(truth, truth);
  EXPECT_EQ(same.head, true);
  EXPECT_EQ(same.sides, true);
  SkeletonGraph backwards = truth;
  for (Vec3d& joint : backwards.joints) joint = {-joint.x, joint.y, -joint.z};
  const FacingCheck turned = check_facing(backwards, truth);
  EXPECT_EQ(turned.head, false);
  EXPECT_EQ(turned.sides, false);
  SkeletonGraph mirrored = truth;
  std::swap(mirrored.names[4], mirrored.names[5]);
  EXPECT_EQ(check_facing(mirrored, truth).head, true);
  EXPECT_EQ(check_facing(mirrored, truth).sides, false);
  SkeletonGraph nameless = truth;
  nameless.names.assign(6, "bone");
  EXPECT_FALSE(check_facing(nameless, truth).head.has_value());
  EXPECT_FALSE(check_facing(nameless, truth).sides.has_value());
}

TEST(RigMetrics, KnowsTheFrontByTheSidesOfTheNames) {
  SkeletonGraph man{{"hips", "thigh.L", "thigh.R", "LeftArm", "RightArm"},
                    {{0, 1, 0}, {0.1, 1, 0}, {-0.1, 1, 0}, {0.3, 1.5, 0.1}, {-0.3, 1.5, 0.1}},
                    {-1, 0, 0, 0, 0}};
  const auto forward = named_forward(man, {0, 1, 0});
  ASSERT_TRUE(forward.has_value());
  EXPECT_LT(norm(*forward - Vec3d{0, 0, 1}), 1e-9);
  // Turned by a quarter: left is where ahead was.
  for (Vec3d& p : man.joints) p = {p.z, p.y, -p.x};
  EXPECT_LT(norm(*named_forward(man, {0, 1, 0}) - Vec3d{1, 0, 0}), 1e-9);
  // Sides that contradict each other tell nothing, nor do names without sides.
  std::swap(man.joints[1], man.joints[2]);
  EXPECT_FALSE(named_forward(man, {0, 1, 0}).has_value());
  man.names = {"a", "b", "c", "d", "e"};
  EXPECT_FALSE(named_forward(man, {0, 1, 0}).has_value());
}

}  // namespace
}  // namespace limber::metrics
