// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/retarget/retarget_motion.h"
#include "limber/rig/facing.h"

/// Clips of one file on the body of another: the whole of `limber retarget` but for files.
namespace limber::retarget {

struct RetargetSettings {
  std::string name;           ///< of the new clip; empty: that of the source's
  std::optional<double> fps;  ///< of the result; unset: that of the clip's keys
  bool loop = false;          ///< cut a loop out of a clip that is none; one that is stays one
  bool in_place = false;      ///< without its steady travel
  std::vector<Correction> corrections;
  std::optional<Vec3> up, forward;                ///< of the target, in its file's world; unset: found
  std::optional<Vec3> source_up, source_forward;  ///< of the source
  Progress progress;
};

/// One clip.
struct RetargetedClip {
  std::string source, name;  ///< names of the clips
  int clip = 0;              ///< of the result's asset
  bool loops = false;
  double seconds = 0, fps = 0;
  BodyMap map;
  double direction_error = 0;  ///< radians
  /// Of the soles that stand, heights a second over the ground; of all skin, heights below it at most.
  double skate = 0, penetration = 0;
};

struct Retargeted {
  asset::Asset asset;         ///< the target with the new clips at its end
  rig::Subject subject;       ///< of it
  kinematics::Motion motion;  ///< of the subject: the last clip
  std::vector<RetargetedClip> clips;
  rig::Facing source_facing, target_facing;  ///< as asked, or as believed; in each file's world
  std::vector<std::string> notes;            ///< for a person: what was assumed, and clips that do not fit
};

/// Clip `clip` of the source. Both may stand and look any way, in any unit and rest pose; a source may be a skeleton
/// alone. A recording (a skeleton without a mesh) starts over the origin, facing the target's front.
Result<Retargeted> retarget_asset(const asset::Asset& source, int clip, asset::Asset target,
                                  const RetargetSettings& settings = {});

/// Several at once; those that do not fit the target are left out, with a note. An error where none fits.
Result<Retargeted> retarget_clips(const asset::Asset& source, const std::vector<int>& clips, asset::Asset target,
                                  const RetargetSettings& settings = {});

}  // namespace limber::retarget
