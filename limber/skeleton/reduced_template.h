// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/skeleton/template.h"

namespace limber::skeleton {

/// A place of the search: a joint with one or more than two neighbours, or such a joint and its partner.
struct ReducedNode {
  int joint = 0;           ///< of the template
  int other = -1;          ///< its partner, where the two are placed together
  int parent = -1;         ///< node, -1 for the root
  std::vector<int> chain;  ///< joints after the parent's, up to and with `joint`
  std::vector<int> other_chain;
  std::vector<int> children;
  bool leaf = false;
  bool optional = false;
};

/// The template without the joints that only subdivide a chain. Sides are simplified: of what branches on one side the
/// longest chain counts; the rest, and short twigs of large skeletons, are `details` that follow their parents.
struct ReducedTemplate {
  std::vector<ReducedNode> nodes;  ///< parents first, leaves last
  std::vector<int> details;        ///< joints of the template, parents first
};
ReducedTemplate reduce_template(const SkeletonTemplate& skeleton);

}  // namespace limber::skeleton
