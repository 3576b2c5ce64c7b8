// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/joint_forest.h"

#include <gtest/gtest.h>

#include "limber/base/at.h"

namespace limber::rig {
namespace {

/// Trees of one joint each, in a row along x.
Forest row(int count) {
  Forest forest;
  for (int j = 0; j < count; ++j) {
    forest.parent.push_back(-1);
    forest.position.push_back({static_cast<double>(j), 0, 0});
  }
  number_trees(forest);
  forest.centre = forest.position;
  forest.steady.assign(at(count), true);
  forest.weight.assign(at(count), 1);
  return forest;
}

void touch(Forest& forest, int a, int b, double strength) {
  forest.contacts.push_back({forest.tree[at(a)], b, strength});
  forest.contacts.push_back({forest.tree[at(b)], a, strength});
}

TEST(JointForest, NumbersTreesByTheirRoots) {
  Forest forest;
  forest.parent = {-1, 0, -1, 1, 2};
  number_trees(forest);
  EXPECT_EQ(forest.tree, (std::vector<int>{0, 0, 1, 0, 1}));
  EXPECT_EQ(forest.roots, (std::vector<int>{0, 2}));
}

TEST(JointForest, TakesTheHeaviestSteadyTreeAsMain) {
  Forest forest = row(3);
  EXPECT_EQ(main_tree(forest), 0);
  forest.weight = {1, 5, 2};
  EXPECT_EQ(main_tree(forest), 1);
  forest.steady[1] = false;
  EXPECT_EQ(main_tree(forest), 2);
}

TEST(JointForest, PrefersFewHopsToStrongContact) {
  // A palm: both metacarpals touch the wrist a little and each other a lot.
  Forest forest = row(4);
  touch(forest, 0, 1, 10);
  touch(forest, 0, 2, 1);
  touch(forest, 1, 2, 15);
  // A finger: its faint contact with the wrist does not count.
  touch(forest, 3, 2, 10);
  touch(forest, 3, 1, 4);
  touch(forest, 3, 0, 0.1);
  EXPECT_EQ(attach_trees(forest, 0), (std::vector<int>{-1, 0, 0, 2}));
}

TEST(JointForest, UsesFaintContactsBeforeDistance) {
  Forest forest = row(4);
  touch(forest, 0, 3, 0.01);
  touch(forest, 3, 2, 5);
  // Tree 3 only hangs together with tree 2, and faintly with the main one; tree 1 touches nothing.
  EXPECT_EQ(attach_trees(forest, 0), (std::vector<int>{-1, 0, 3, 0}));
}

TEST(JointForest, ClimbsToASteadyJoint) {
  Forest forest;
  forest.parent = {-1, 0, 1, -1, -1};
  forest.position = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {2, 0.1, 0}};
  number_trees(forest);
  forest.centre = {{0, 0, 0}, {3, 0, 0}, {2, 0.1, 0}};
  forest.steady = {true, true, false, true, true};
  forest.weight = {1, 1, 1};
  forest.contacts = {{1, 2, 1.0}};
  // By contact it would be joint 2, whose parent is the first steady one; by distance joint 2 is passed over.
  EXPECT_EQ(attach_trees(forest, 0), (std::vector<int>{-1, 1, 1}));
}

TEST(JointForest, SendsTheHeaviestOfAClusterHome) {
  // Trees 1 and 2 were cut off joint 0 and touch only each other.
  Forest forest = row(3);
  forest.home = {-1, 0, 0};
  touch(forest, 1, 2, 1);
  EXPECT_EQ(attach_trees(forest, 0), (std::vector<int>{-1, 0, 1}));
  forest.weight = {1, 1, 2};
  EXPECT_EQ(attach_trees(forest, 0), (std::vector<int>{-1, 2, 0}));
}

TEST(JointForest, AttachesThousandsOfLooseTrees) {
  Forest forest = row(5000);
  const std::vector<int> result = attach_trees(forest, 0);
  for (int t = 1; t < 5000; ++t) EXPECT_EQ(result[at(t)], t - 1);
}

}  // namespace
}  // namespace limber::rig
