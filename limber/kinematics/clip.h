// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

namespace limber::kinematics {

/// Samples a clip of the asset at `fps` frames a second, from time 0 to the clip's end, as a motion of its subject.
/// Rotations become angles; translations and scales that differ from rest become overrides, so the posed geometry is
/// the asset's own (exactly, unless non-uniform scales shear a re-attached joint). Morph weights are not part of a
/// Motion.
Motion motion_from_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject, double fps);

}  // namespace limber::kinematics
