// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/kinematics/upright.h"
#include "limber/mend/score.h"
#include "limber/metrics/clip_body.h"
#include "limber/metrics/drift.h"
#include "limber/metrics/ground_meeting.h"
#include "limber/metrics/loop_gap.h"

/// The checks of one clip, for `score` and `mend`. Private to `mend`.
namespace limber::mend {

/// The asset as the checks know it.
struct Stage {
  rig::Subject subject;         ///< the asset's own
  kinematics::Upright upright;  ///< standing along +Y
  metrics::ClipBody body;       ///< the same, with what all clips share
  rig::Facing facing;           ///< in the asset's world
  std::optional<bool> loops;    ///< as `ScoreSettings` has it
  bool believes_notes = true;   ///< likewise
  float zero = 0;               ///< height of the asset's own zero, over what is lowest at rest; of the upright body
};
Result<Stage> make_stage(const asset::Asset& asset, const ScoreSettings& settings);

/// A clip of the asset, frame by frame, of the upright body. Fails where it cannot be played.
Result<kinematics::Motion> play_clip(const asset::Asset& asset, const Stage& stage, int clip);

/// What a clip is meant to be, by its name, the body and what it does.
struct Meant {
  bool loops = false;    ///< is repeated
  bool grounded = true;  ///< there is a floor; otherwise it swims or flies
  bool stands = false;   ///< on legs that bear weight
  bool straight = true;  ///< goes straight where it goes
  std::string why_not;   ///< grounded: for a person
};

struct Measured {
  metrics::LoopGap loop;
  metrics::Drift drift;
  metrics::GroundMeeting ground;
  Meant meant;
};
Measured measure(const metrics::ClipBody& body, const kinematics::Motion& motion, const std::string& name,
                 std::optional<bool> loops = {});

Checked check_loop(const Measured& measured);
Checked check_contact(const metrics::ClipBody& body, const Measured& measured);
Checked check_floor(const metrics::ClipBody& body, const Measured& measured);
Checked check_drift(const metrics::ClipBody& body, const Measured& measured);
Checked check_flips(const metrics::ClipBody& body, const kinematics::Motion& motion, const asset::Asset& asset,
                    const asset::Clip& clip);
Checked check_weights(const asset::Asset& asset);
Checked check_leak(const metrics::ClipBody& body);

/// Whether a clip is to be repeated, where limber made it and wrote that down (`clip_extras` of `animate`): a walk that
/// nobody asked to close is no fault. Unset for others' clips.
std::optional<bool> told_to_repeat(const asset::Clip& clip);
/// Of a clip that says that it is not, and now is.
void tell_to_repeat(asset::Clip& clip);

/// How many stances touch the floor.
std::size_t touching_stances(const metrics::GroundMeeting& ground);

}  // namespace limber::mend
