// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/ground_contact.h"
#include "limber/kinematics/motion.h"
#include "limber/retarget/body_map.h"
#include "limber/rig/subject.h"

/// A motion of any body on any other.
namespace limber::retarget {

struct MotionSettings {
  std::string name;                     ///< of the clip, for errors
  std::vector<Correction> corrections;  ///< what should lead what, where limbs are not mapped as one likes
};

struct RetargetedMotion {
  kinematics::Motion motion;
  BodyMap map;
  std::vector<kinematics::GroundContact> planted;  ///< soles that stand, and when
  double direction_error = 0;  ///< radians: how far limbs point from where the source's do, mean over limbs and frames
};

/// Both bodies stand along +Y on y = 0 and face +Z (`kinematics::stand_upright`); a source may have no skin.
///   - With the same skeleton all is copied, joint by joint. People (`limb_retarget.h`) go by what their joints are.
///   - Else limbs follow limbs of their kind, side and place along the body (`BodyMap` says which). Arms and wings
///     point where they point in the source, whatever the rest poses are; trunks, necks and tails turn as far from
///     rest, spread over as many joints as there are; legs bring feet where they are, in leg lengths.
///   - The body travels in proportion to its legs, or to its size where it has none; heading and pace are the source's.
///   - Feet that stand in the source stand here; nothing goes below the ground.
///   - What nothing leads stays with the body, and tails, ears and the like swing along.
/// Translations and scales of joints are carried over to the same skeleton alone. An error in words where the target
/// has no limbs for what the source moves, and where a correction names nothing.
Result<RetargetedMotion> retarget_motion(const rig::Subject& source, const kinematics::Motion& motion,
                                         const rig::Subject& target, const MotionSettings& settings = {});

}  // namespace limber::retarget
