// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

namespace limber::kinematics {

/// Samples a clip of the asset at `fps` frames a second, from time 0 to the clip's end, as a motion of its subject:
/// round(duration * fps) + 1 frames, frame i at i / fps seconds.
///
/// Rotations become angles; translations and scales that differ from rest become overrides, so the posed geometry is
/// the asset's own (exactly, unless a clip scales a joint unevenly that carries an attached one). The root's
/// translation goes to `root_translations`. Morph weights are not part of a Motion.
///
/// A clip whose last frame is its first again becomes a motion that `loops`, without that last frame: a Motion's last
/// frame is followed by its first. For this the clip's length must be a whole number of frames.
///
/// Fails on a clip that would take more than ten million joint poses: a file can claim any length.
Result<Motion> motion_from_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject,
                                double fps);

/// The translation, rotation and scale of `matrix`, the scale with the signs of `like`: a mirror can be told in several
/// ways, and this keeps to the one that a joint has at rest.
Transformd decompose_like(const Affined& matrix, Vec3d like);

/// Frames a second at which a clip has most of its keys; at least 24 where they are sparse. Some keys may lie closer:
/// nodes that move along arcs get more.
double clip_rate(const asset::Clip& clip);

/// A clip frame by frame as a player shows it, at about its own rate: frame 0 is its start, the last frame its very
/// end, and it never `loops`, even where that frame is the first again.
Result<Motion> whole_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject);

}  // namespace limber::kinematics
