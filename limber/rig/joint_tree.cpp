// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/joint_tree.h"

#include <algorithm>
#include <map>
#include <utility>

#include "limber/base/at.h"
#include "limber/rig/joint_forest.h"
#include "limber/rig/loose_joints.h"

namespace limber::rig {
namespace {

Forest make_forest(const asset::Asset& asset, const AssetSkeleton& skeleton) {
  Forest forest;
  for (const SkeletonJoint& joint : skeleton.joints) {
    forest.parent.push_back(joint.parent);
    forest.position.push_back(joint.world.translation);
  }
  number_trees(forest);
  forest.steady = steady_joints(asset, skeleton);
  return forest;
}

/// Weight and centre of every tree.
void measure_trees(const JointSkin& skin, Forest& forest) {
  forest.weight.assign(forest.roots.size(), 0);
  forest.centre.assign(forest.roots.size(), {});
  for (std::size_t j = 0; j < forest.tree.size(); ++j) {
    forest.weight[at(forest.tree[j])] += skin.weight[j];
    forest.centre[at(forest.tree[j])] += skin.moment[j];
  }
  for (std::size_t t = 0; t < forest.roots.size(); ++t) {
    const Vec3d root = forest.position[at(forest.roots[t])];
    forest.centre[t] = forest.weight[t] > 0 ? forest.centre[t] / forest.weight[t] : root;
  }
}

/// Cuts loose joints off what they hang on. The trunk stays on its root: where nothing with skin is left there, the
/// heaviest piece of the tree is not loose after all.
void cut_loose(std::vector<LooseJoint>& loose, const AssetSkeleton& skeleton, const JointSkin& skin, int root,
               Forest& forest) {
  const std::vector<int> tree_before = forest.tree;
  const auto cut = [&] {
    for (std::size_t j = 0; j < forest.parent.size(); ++j) forest.parent[j] = skeleton.joints[j].parent;
    for (const LooseJoint& l : loose) forest.parent[at(l.joint)] = -1;
    number_trees(forest);
    measure_trees(skin, forest);
  };
  cut();
  if (!loose.empty() && !(forest.weight[at(forest.tree[at(root)])] > 0)) {
    int trunk = -1;
    for (const LooseJoint& l : loose) {
      if (tree_before[at(l.joint)] != tree_before[at(root)]) continue;
      const double weight = forest.weight[at(forest.tree[at(l.joint)])];
      if (trunk < 0 || weight > forest.weight[at(forest.tree[at(trunk)])]) trunk = l.joint;
    }
    for (int a = trunk; a >= 0; a = skeleton.joints[at(a)].parent) {
      std::erase_if(loose, [a](const LooseJoint& l) { return l.joint == a; });
    }
    cut();
  }
  for (const LooseJoint& l : loose) {
    forest.home[at(forest.tree[at(l.joint)])] = skeleton.joints[at(l.joint)].parent;
  }
}

/// Contacts of roots are those of all their skin; a loose joint's are with whom may carry it.
void enter_contacts(const JointSkin& skin, const std::vector<LooseJoint>& loose, Forest& forest) {
  std::map<std::pair<int, int>, double> strength;  // tree, joint
  const auto touch = [&](int a, int b, double sum) {
    const int tree = forest.tree[at(b)];
    if (forest.tree[at(a)] != tree && forest.home[at(tree)] < 0) strength[{tree, a}] += sum;
  };
  for (const SkinContact& contact : skin.contacts) {
    touch(contact.a, contact.b, contact.strength);
    touch(contact.b, contact.a, contact.strength);
  }
  for (const LooseJoint& l : loose) {
    for (const Carrier& carrier : l.carriers) strength[{forest.tree[at(l.joint)], carrier.joint}] = carrier.strength;
  }
  for (const auto& [pair, sum] : strength) {
    if (sum > 0) forest.contacts.push_back({pair.first, pair.second, sum});
  }
}

}  // namespace

JointTree join_joints(const asset::Asset& asset, const AssetSkeleton& skeleton, const JointSkin& skin, double height) {
  Forest forest = make_forest(asset, skeleton);
  measure_trees(skin, forest);
  JointTree tree;
  tree.parent = forest.parent;
  tree.root = forest.roots[at(main_tree(forest))];
  const bool one_tree = forest.roots.size() == 1;
  if (!one_tree && !forest.steady[at(tree.root)]) {
    tree.root = static_cast<int>(skeleton.joints.size());
    std::replace(tree.parent.begin(), tree.parent.end(), -1, tree.root);
    return tree;
  }
  std::vector<LooseJoint> loose = find_loose_joints(asset, skeleton, skin, height);
  if (one_tree && loose.empty()) return tree;

  cut_loose(loose, skeleton, skin, tree.root, forest);
  enter_contacts(skin, loose, forest);
  const std::vector<int> hung_on = attach_trees(forest, forest.tree[at(tree.root)]);
  for (std::size_t t = 0; t < hung_on.size(); ++t) {
    const int joint = forest.roots[t], before = skeleton.joints[at(joint)].parent;
    tree.parent[at(joint)] = hung_on[t];
    if (hung_on[t] != before) (before < 0 ? tree.attached : tree.rehung).push_back(joint);
  }
  return tree;
}

}  // namespace limber::rig
