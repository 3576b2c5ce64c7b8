// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/limb_roles.h"

#include "limber/anatomy/find_roles.h"

namespace limber::skeleton {

Result<rig::Rig> rig_of(const SkeletonTemplate& skeleton) {
  rig::RigDraft draft;
  draft.limbs = skeleton.limbs;
  for (const TemplateJoint& joint : skeleton.joints) {
    const Vec3d above = joint.parent < 0 ? Vec3d{} : skeleton.joints[static_cast<std::size_t>(joint.parent)].at;
    rig::Joint entry;
    entry.name = joint.name, entry.parent = joint.parent;
    entry.rest.translation = (joint.at - above).cast<float>(), entry.role = joint.role;
    draft.joints.push_back(std::move(entry));
  }
  return rig::build_rig(std::move(draft));
}

SkeletonTemplate with_roles(SkeletonTemplate skeleton) {
  if (!skeleton.limbs.empty()) return skeleton;
  const Result<rig::Rig> rig = rig_of(skeleton);
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
