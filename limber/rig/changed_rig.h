// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/rig.h"

namespace limber::rig {

/// Everything of a rig, to be edited and built again.
RigDraft draft_of(const Rig& rig);

/// The rig in a world that `change` maps: turned, mirrored, stretched as it is posed, not bone by bone, so that what
/// stands on the ground in one stands on it in the other. Root translations are mapped by its linear part.
Result<Rig> changed_rig(const Rig& rig, const Affine& change);
inline Result<Rig> changed_rig(const Rig& rig, const Mat3& change) { return changed_rig(rig, Affine{change, {}}); }

}  // namespace limber::rig
