// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/changed_rig.h"

namespace limber::rig {

RigDraft draft_of(const Rig& rig) {
  return {{rig.joints().begin(), rig.joints().end()},
          {rig.bones().begin(), rig.bones().end()},
          {rig.limbs().begin(), rig.limbs().end()}};
}

Result<Rig> changed_rig(const Rig& rig, const Affine& change) {
  RigDraft draft = draft_of(rig);
  draft.joints[0].parent_from_frame = change * draft.joints[0].parent_from_frame;
  return build_rig(std::move(draft));
}

}  // namespace limber::rig
