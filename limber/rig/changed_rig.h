// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/rig.h"
#include "limber/rig/subject.h"

namespace limber::rig {

/// Everything of a rig, to be edited and built again.
RigDraft draft_of(const Rig& rig);

/// The rig in a world that `change` maps: turned, mirrored, stretched as it is posed, not bone by bone, so that what
/// stands on the ground in one stands on it in the other. Root translations are mapped by its linear part.
Result<Rig> changed_rig(const Rig& rig, const Affine& change);
inline Result<Rig> changed_rig(const Rig& rig, const Mat3& change) { return changed_rig(rig, Affine{change, {}}); }

/// there = scale * (turn * here) + shift.
struct WorldChange {
  Mat3 turn = Mat3::identity();  ///< a rotation
  float scale = 1;
  Vec3 shift;
};

/// The subject in another world, joints and points alike; joints' own frames are scaled along, so that angles and
/// scales of joints stay, and translations become `scale` times what they were. Exact where the turn takes axes to axes
/// and nothing else changes. What it tells of the asset (`asset_scale`, `asset_offset`) stays, and is to be seen to by
/// whoever needs it. Fails where lengths overflow.
Result<Subject> moved_subject(const Subject& subject, const WorldChange& change);

/// Whether angles mean the same to both: they turn about the same axes from the same rest.
bool turns_alike(const Joint& a, const Joint& b);

}  // namespace limber::rig
