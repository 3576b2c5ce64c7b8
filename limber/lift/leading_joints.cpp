// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/leading_joints.h"

#include "limber/scene/parts.h"

namespace limber::lift {

std::vector<bool> leading_joints(const rig::Subject& subject) {
  std::vector<bool> leads(static_cast<std::size_t>(subject.rig.joint_count()));
  for (const int joint : scene::find_parts(subject).joints) leads[static_cast<std::size_t>(joint)] = true;
  leads[0] = true;
  return leads;
}

}  // namespace limber::lift
