// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/metrics/skin_stretch.h"
#include "limber/physics/ground.h"
#include "limber/rig/facing.h"
#include "limber/rig/subject.h"

/// A clip of an asset, put on the ground: the whole of `limber physics` but for files.
namespace limber::animate {

struct GroundClipRequest {
  int clip = 0;                     ///< of the asset
  std::string name;                 ///< of the new clip; empty: that of the old one and "grounded"
  std::optional<double> fps;        ///< of the result; unset: `clip_rate`
  std::optional<Vec3> up, forward;  ///< in the asset's world; unset: found. Gravity goes against up
  physics::GroundSettings ground;   ///< with the progress, in `track`; the clip's name is entered into `reference`
};

/// A motion measured: how it meets the ground, and what it does to the skin.
struct MeasuredMotion {
  metrics::MotionMetrics motion;
  metrics::SkinStretch skin;
};

struct GroundedClip {
  asset::Asset asset;         ///< what was given, with the new clip at its end
  rig::Subject subject;       ///< of the asset
  rig::Subject upright;       ///< the same as `grounded` knows it: up is +Y, facing +Z
  kinematics::Motion motion;  ///< of `subject`: the result
  physics::Grounded grounded;
  MeasuredMotion before, after;  ///< with the same planted points; numbers that were none count as repaired
  std::string clip;              ///< name of the clip that was given, "#2" where it has none
  double fps = 0;
  rig::Facing facing;  ///< as asked, or as believed
};

Result<GroundedClip> ground_clip(asset::Asset asset, const GroundClipRequest& request);

}  // namespace limber::animate
