// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/physics/habitat.h"
#include "limber/physics/puppet.h"

/// What a motion asks of the ground: the target that tracking follows.
namespace limber::physics {

/// When a foot stands, told by whoever made the motion.
struct ToldContact {
  int joint = 0;             ///< of the rig: the foot's, with all that hangs on it
  std::vector<bool> stands;  ///< per frame of the motion
};

struct ReferenceSettings {
  HabitatHint hint;                ///< what the motion's name or prompt tells
  std::optional<Habitat> habitat;  ///< unset: as the hint, limbs and motion tell
  bool remove_slide = true;        ///< let the root travel so that planted feet stand still, on average
  /// Of the slide that is removed so: legs reach for the rest. Less than all where neither the way nor the legs are to
  /// be believed alone.
  double slide_share = 1;
  /// The body was seen above a ground, so its course and height are known about: feet that stand move little, however
  /// low others are, and legs that reach below the ground were not seen to fold. Otherwise a motion may well be in
  /// place or at any height, and only its lowest feet tell.
  bool ground_seen = false;
  /// Where a ground was seen, bodies that would fall are turned until they rest on something. Not for motions some of
  /// whose poses are given.
  bool settles = true;
  /// Heights: a slow foot whose lowest point is this low stands on the ground, and is put there. More for motions seen
  /// in pictures, which tell heights less well than artists do.
  double touch = 0.012;
  double lead_seconds = 1;  ///< of a loop: so much of it is repeated before its start
  /// Feet of which it is known when they stand: they are put on the ground then where they are near it, and never else.
  /// Of others heights and speeds tell.
  std::vector<ToldContact> told;
};

/// A motion put on the ground: the kinematic part of the clean-up, before any physics.
struct Reference {
  double fps = 24;
  int frames = 0;                 ///< of `positions`
  int first = 0, count = 0;       ///< which of them are the motion's own; a loop has its end before and its start after
  std::vector<double> positions;  ///< frames x position_count
  std::vector<std::vector<bool>> planted;  ///< per contact point, per frame
  std::vector<bool> flight;                ///< per frame: nothing touches the ground, and gravity would allow it
  std::vector<bool> slack;  ///< per joint: gives way to the ground, as tails do, instead of bearing weight
  Habitat habitat = Habitat::kGround;
  std::string habitat_reason;  ///< for a person
  bool hangs = false;          ///< as `HabitatChoice` tells
  double lift = 0;             ///< how far it was moved up as a whole, metres; negative: down
  double slide = 0;            ///< how far planted feet slid in all, metres, before the root was made to travel
  int floating = 0;            ///< frames that hung in the air longer than gravity allows, moved down

  /// Whether it is a loop that goes on after the motion's own frames.
  bool repeats() const { return frames > first + count; }
};

/// `positions` are those of the repaired motion, frames x position_count.
Reference make_reference(const Puppet& puppet, const rig::Subject& subject, const kinematics::Motion& motion,
                         std::span<const double> positions, const ReferenceSettings& settings = {});

}  // namespace limber::physics
