// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a template of a skeleton holds, reading it ends in a tree whose poses and mirror image are trees as well, or
// in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "limber/skeleton/template.h"

namespace {

using namespace limber;

void require_tree(const skeleton::SkeletonTemplate& tree) {
  const int count = static_cast<int>(tree.joints.size());
  for (int j = 0; j < count; ++j) {
    const skeleton::TemplateJoint& joint = tree.joints[static_cast<std::size_t>(j)];
    if ((j == 0) != (joint.parent < 0) || joint.parent >= j || joint.partner >= count) std::abort();
    if (!is_finite(joint.at) || joint.role.limb >= static_cast<int>(tree.limbs.size())) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tree = skeleton::parse_template({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!tree.ok()) {
    if (tree.error().what.empty()) std::abort();
    return 0;
  }
  require_tree(*tree);
  for (const skeleton::TemplatePose& pose : tree->poses) require_tree(skeleton::posed(*tree, pose));
  require_tree(skeleton::mirrored(*tree));
  (void)skeleton::builtin_of(*tree);
  (void)tree->children();
  return 0;
}
