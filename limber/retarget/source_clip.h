// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/kinematics/upright.h"
#include "limber/rig/facing.h"
#include "limber/rig/subject.h"

/// A clip of a file as its own body does it, ready to be carried over (`retarget_motion`).
namespace limber::retarget {

/// A body of a file, and the same on its feet.
struct Standing {
  rig::Subject subject;         ///< as the file has it
  kinematics::Upright upright;  ///< +Y is up, it faces +Z
  rig::Facing facing;           ///< as asked, or as believed; in the file's world
};

/// An error that says `without` where the asset has no skeleton.
Result<Standing> stand(const asset::Asset& asset, std::optional<Vec3> up, std::optional<Vec3> forward,
                       const char* without);

struct SourceSettings {
  std::optional<double> fps;        ///< of the motion; unset: that of the clip's keys
  std::optional<Vec3> up, forward;  ///< of the body, in its file's world; unset: found
};

struct SourceClip {
  std::string name;  ///< "#2" where it has none
  Standing body;
  kinematics::Motion motion;  ///< of the upright subject; a cycle loops, whether it travels or not
};

/// Clip `clip` of an asset. Units, axes and rest pose may be any; a source may be a skeleton alone: then
/// it is a recording, which starts over the origin facing +Z, and whose first frame may be the rest pose.
Result<SourceClip> read_source_clip(asset::Asset asset, int clip, const SourceSettings& settings = {});

}  // namespace limber::retarget
