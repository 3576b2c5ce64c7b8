// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/changed_rig.h"

namespace limber::rig {

Result<Rig> changed_rig(const Rig& rig, const Affine& change) {
  RigDraft draft;
  draft.joints.assign(rig.joints().begin(), rig.joints().end());
  draft.bones.assign(rig.bones().begin(), rig.bones().end());
  draft.limbs.assign(rig.limbs().begin(), rig.limbs().end());
  draft.joints[0].parent_from_frame = change * draft.joints[0].parent_from_frame;
  return build_rig(std::move(draft));
}

}  // namespace limber::rig
