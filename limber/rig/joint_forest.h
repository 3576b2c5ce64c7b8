// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"

/// Joins a forest of joints into one tree. Private to `rig`.
namespace limber::rig {

/// How much the skin of a joint touches that of another tree.
struct Contact {
  int tree = -1, joint = -1;
  double strength = 0;  ///< > 0
};

struct Forest {
  std::vector<int> parent;        ///< per joint, -1 for the root of a tree; parents come first
  std::vector<int> tree;          ///< per joint, numbered from 0 in the order of the roots
  std::vector<int> roots;         ///< per tree
  std::vector<int> home;          ///< per tree: the joint that its root was cut off, -1 for roots of the asset
  std::vector<bool> steady;       ///< per joint: fit to carry another tree (invertible, not sheared by a clip)
  std::vector<Vec3d> position;    ///< per joint, at rest
  std::vector<Vec3d> centre;      ///< per tree: where to measure its distance from
  std::vector<double> weight;     ///< per tree: skin weight
  std::vector<Contact> contacts;  ///< between different trees, each pair at most once
};

/// Numbers the trees of `parent` (parents first); each is a root of the asset.
void number_trees(Forest& forest);

/// The tree that carries the others: the one with most skin weight; of equal ones that with more joints, then the
/// first. Trees with a steady root come before all others.
int main_tree(const Forest& forest);

/// Per tree, the joint that its root should hang on; -1 for `main`.
///
/// Trees are taken breadth first from the main one along contacts that matter to them (at least `kSignificantContact`
/// of their strongest), the strongest first, so that the metacarpals of a hand without hierarchy hang on the wrist and
/// not on each other. What is left hangs on faint contacts; trees that were cut off go home, the heaviest first, and
/// trees that touch nothing hang on the nearest steady joint.
std::vector<int> attach_trees(const Forest& forest, int main);

inline constexpr double kSignificantContact = 0.05;

}  // namespace limber::rig
