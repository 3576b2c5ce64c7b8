// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/ground_contact.h"
#include "limber/kinematics/motion.h"
#include "limber/retarget/body.h"
#include "limber/retarget/follow.h"
#include "limber/retarget/turns.h"

/// Legs that bring feet where they belong. Private to `retarget`.
namespace limber::retarget {

/// A leg of the target, and where its sole should be.
struct Foot {
  const Chain* chain = nullptr;
  const LimbFollow* follow = nullptr;  ///< none: it stands with the body
  std::vector<Vec3d> goals;            ///< per frame
  std::vector<bool> planted;           ///< per frame: stands still on the ground
  std::vector<double> weights;         ///< per frame: how far it goes there; empty: all the way
};

/// What feet are placed by.
struct Course {
  std::vector<Vec3d> source, target;  ///< per frame: the point that is led, and where it is
  Vec3d source_rest, target_rest;
  std::vector<Quatd> turns;  ///< per frame: the heading, evened; with the body where it lies down
  double ratio = 1;          ///< a length of the target to one of the source
  double fps = 24;
  bool loops = false;
  bool stays = false;  ///< no leg leads: feet stay where they are at rest
};

/// Where feet should be: as far from where they stand at rest as in the source, in proportion. One that stands in the
/// source stands here, and nothing is below the ground.
Foot place_foot(const Body& source, const Played& played, const Chain& chain, const LimbFollow* follow,
                const Course& course);

/// The sole stays where it is but for this: while it stands it does so on one place.
Foot keep_foot(const Body& source, const Played& played, const Body& target, const Played& result, const Chain& chain,
               const LimbFollow& follow, const Course& course);

/// How far the body has to come down in every frame so that standing feet are in reach, evenly.
std::vector<double> needed_drops(const Body& target, const Played& result, const std::vector<Foot>& feet,
                                 const Course& course);

/// Bends a leg of any number of joints so that its sole comes to its goal, or as near as it reaches: all its bends
/// grow or shrink in proportion, and the whole turns about the hip. The foot keeps its direction.
void bend_leg(const Body& target, const Foot& foot, int frame, Played& result);

/// Where the sole is.
Vec3d sole_place(const Body& body, const Chain& leg, const Played& played, int frame);

}  // namespace limber::retarget
