// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/settle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/physics/ground.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// How many of the points that may touch the ground do so, and how far apart they are along a direction.
double spread_on_ground(const Grounded& grounded, const rig::Subject& subject, int frame) {
  const std::vector<Affine> world = kinematics::joint_matrices(subject.rig, grounded.motion);
  float first = 1e9f, last = -1e9f;
  for (std::size_t p = 0; p < grounded.puppet.joint_points.size(); ++p) {
    const std::size_t joint = at(frame * subject.rig.joint_count() + grounded.puppet.point_joints[p]);
    const Vec3 place = world[joint] * grounded.puppet.joint_points[p];
    if (place.y > 0.05f) continue;
    first = std::min(first, place.z), last = std::max(last, place.z);
  }
  return std::max(0.0, double(last - first));
}

/// A biped that sits in the air: all of it is turned back about its heels.
kinematics::Motion leaning(const zoo::Creature& creature, float turn, int frames) {
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, frames, 24);
  const Affine rest = creature.subject.rig.world_from_rest()[0];
  // Whichever of the root's angles tips it over the x axis.
  int axis = 0;
  float most = 0;
  for (int k = 0; k < 3; ++k) {
    kinematics::Pose pose = kinematics::rest_pose(creature.subject.rig);
    pose.angles[0][k] += 0.1f;
    const Mat3 turned = kinematics::joint_matrices(creature.subject.rig, pose)[0].linear * inverse(rest).linear;
    if (std::abs(turned(1, 2)) > std::abs(most)) most = turned(1, 2), axis = k;
  }
  for (int f = 0; f < frames; ++f) {
    const float share = std::min(1.0f, 2 * static_cast<float>(f) / static_cast<float>(frames));
    motion.frame_angles(f)[0][axis] += (most > 0 ? turn : -turn) * share;
  }
  return motion;
}

Grounded on_ground(const rig::Subject& subject, const kinematics::Motion& motion, bool seen, const char* clip) {
  GroundSettings settings;
  settings.ground = Ground::kLock;
  settings.reference.clip = clip, settings.reference.touch = 0.05, settings.reference.ground_seen = seen;
  return ground_motion(subject, motion, settings).value();
}

TEST(Settle, LaysDownABodyThatWouldFall) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  const kinematics::Motion motion = leaning(creature, 0.7f, 60);
  const double seen = spread_on_ground(on_ground(creature.subject, motion, true, "lies down"), creature.subject, 58);
  const double unseen = spread_on_ground(on_ground(creature.subject, motion, false, "lies down"), creature.subject, 58);
  EXPECT_GT(seen, unseen + 0.2) << "more of it is on the ground than its feet";
}

TEST(Settle, LeavesAloneWhatStandsAndWhatGoes) {
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kTheropod, zoo::Plan::kBird}) {
    const zoo::Creature creature = zoo::make_creature({plan, 3, 36}).value();
    for (const zoo::Action action : {zoo::Action::kIdle, zoo::Action::kWalk, zoo::Action::kSneak, zoo::Action::kEat}) {
      zoo::ActionSettings settings;
      settings.action = action, settings.frames = 48;
      const kinematics::Motion motion = zoo::perform(creature, settings).value().motion;
      const Puppet puppet = make_puppet(creature.subject, motion).value();
      std::vector<double> positions = positions_from_motion(puppet, creature.subject, motion);
      const std::vector<double> rest =
          positions_from_motion(puppet, creature.subject, kinematics::rest_motion(creature.subject.rig, 1, 24));
      const std::vector<bool> bears(puppet.model.points.size(), true), flight(at(motion.frame_count()));
      EXPECT_FALSE(settle({puppet.model, puppet.metres, motion.fps, bears, flight, rest, false}, positions))
          << zoo::name(plan) << " " << zoo::name(action);
    }
  }
}

}  // namespace
}  // namespace limber::physics
