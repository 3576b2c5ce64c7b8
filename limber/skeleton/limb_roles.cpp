// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/limb_roles.h"

#include "limber/anatomy/find_roles.h"

namespace limber::skeleton {

SkeletonTemplate with_roles(SkeletonTemplate skeleton) {
  if (!skeleton.limbs.empty()) return skeleton;
  rig::RigDraft draft;
  for (const TemplateJoint& joint : skeleton.joints) {
    const Vec3d above = joint.parent < 0 ? Vec3d{} : skeleton.joints[static_cast<std::size_t>(joint.parent)].at;
    rig::Joint entry;
    entry.name = joint.name, entry.parent = joint.parent;
    entry.rest.translation = (joint.at - above).cast<float>();
    draft.joints.push_back(std::move(entry));
  }
  const Result<rig::Rig> rig = rig::build_rig(std::move(draft));
  if (!rig.ok()) return skeleton;  // places that are too far apart: a template without roles then
  const anatomy::Roles found = anatomy::find_roles(*rig);
  skeleton.limbs = found.limbs;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    TemplateJoint& joint = skeleton.joints[j];
    const bool end = joint.tip && joint.parent >= 0;
    joint.role = end ? skeleton.joints[static_cast<std::size_t>(joint.parent)].role : found.roles[j];
  }
  return skeleton;
}

}  // namespace limber::skeleton
