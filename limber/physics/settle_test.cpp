// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/settle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/give_way.h"
#include "limber/physics/ground.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

/// How far apart the points are, along z, that may touch the ground and do so.
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

Grounded on_ground(const rig::Subject& subject, const kinematics::Motion& motion, bool seen, bool settles = true) {
  GroundSettings settings;
  settings.reference.settles = settles;
  settings.ground = Ground::kLock;
  settings.reference.touch = 0.05, settings.reference.ground_seen = seen;
  return ground_motion(subject, motion, settings).value();
}

/// By how much the root is turned from how it was asked for, in radians.
double root_turn(const rig::Subject& subject, const Grounded& grounded, const kinematics::Motion& asked, int frame) {
  const std::size_t root = at(frame * subject.rig.joint_count());
  const Mat3 turn = kinematics::joint_matrices(subject.rig, grounded.motion)[root].linear *
                    transposed(kinematics::joint_matrices(subject.rig, asked)[root].linear);
  return std::acos(std::clamp((double(turn(0, 0) + turn(1, 1) + turn(2, 2)) - 1) / 2, -1.0, 1.0));
}

TEST(Settle, LaysDownABodyThatWouldFall) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  const kinematics::Motion motion = leaning(creature, 0.7f, 60);
  const double seen = spread_on_ground(on_ground(creature.subject, motion, true), creature.subject, 58);
  const double unseen = spread_on_ground(on_ground(creature.subject, motion, false), creature.subject, 58);
  EXPECT_GT(seen, unseen + 0.2) << "more of it is on the ground than its feet";
}

/// A motion as `settle` is asked for it in the product, with nothing off the ground.
struct Asked {
  Puppet puppet;
  std::vector<double> positions, rest;
  std::vector<bool> bears, flight;
  double fps;

  Asked(const rig::Subject& subject, const kinematics::Motion& motion)
      : puppet(make_puppet(subject, motion).value()),
        positions(positions_from_motion(puppet, subject, motion)),
        rest(positions_from_motion(puppet, subject, kinematics::rest_motion(subject.rig, 1, 24))),
        bears(bearing_points(puppet, find_slack(puppet, subject))),
        flight(at(motion.frame_count())),
        fps(motion.fps) {}
  bool settle(bool loops) {
    return physics::settle({puppet.model, puppet.metres, fps, bears, flight, rest, false, loops}, positions);
  }
};

bool comes_down(zoo::Action action) {
  return action == zoo::Action::kSit || action == zoo::Action::kLieDown || action == zoo::Action::kDie;
}

TEST(Settle, LeavesAloneWhatStandsWhatGoesAndWhatRearsUp) {
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kTheropod, zoo::Plan::kBird}) {
    for (const std::uint64_t seed : {3, 4, 5}) {
      const zoo::Creature creature = zoo::make_creature({plan, seed, 36}).value();
      for (const zoo::Action action : zoo::actions(creature)) {
        if (comes_down(action) || action == zoo::Action::kFly || action == zoo::Action::kGlide) continue;
        zoo::ActionSettings settings;
        settings.action = action, settings.frames = 48;
        const kinematics::Motion motion = zoo::perform(creature, settings).value().motion;
        EXPECT_FALSE(Asked(creature.subject, motion).settle(motion.loops))
            << zoo::name(plan) << " " << seed << " " << zoo::name(action);
      }
    }
  }
}

TEST(Settle, LeavesAsTheyAreMotionsWhosePosesWereGiven) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  const kinematics::Motion motion = leaning(creature, 0.7f, 60);
  const Grounded settled = on_ground(creature.subject, motion, true);
  const Grounded given = on_ground(creature.subject, motion, true, false);
  EXPECT_GT(root_turn(creature.subject, settled, motion, 58), 0.2);
  for (const int frame : {0, 30, 58}) EXPECT_LT(root_turn(creature.subject, given, motion, frame), 0.01) << frame;
}

TEST(Settle, LetsRearUpWhoWasToldTo) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 3, 36}).value();
  zoo::ActionSettings settings;
  settings.action = zoo::Action::kRear, settings.frames = 48;
  const kinematics::Motion motion = zoo::perform(creature, settings).value().motion;
  const Grounded grounded = on_ground(creature.subject, motion, true);
  for (int f = 0; f < motion.frame_count(); ++f) {
    EXPECT_LT(root_turn(creature.subject, grounded, motion, f), 0.1) << f;
  }
}

TEST(Settle, OfALoopGoesOnAroundTheCorner) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  constexpr int kFrames = 60, kLast = kFrames - 1;
  // It leans back and comes up again; the loop begins on its way, and it travels.
  const kinematics::Motion full = leaning(creature, 1.4f, 2);
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, kFrames, 24);
  motion.loops = true;
  for (int f = 0; f < kFrames; ++f) {
    const auto share = static_cast<float>(0.5 + 0.5 * std::cos(2 * kPi * (f - 6) / kFrames));
    const Vec3 rest = motion.frame_angles(f)[0], most = full.frame_angles(1)[0];
    motion.frame_angles(f)[0] = rest + share * (most - rest);
    motion.root_translations[at(f)].z += 0.01f * static_cast<float>(f);
  }
  Asked asked(creature.subject, motion);
  const std::vector<double> before = asked.positions;
  ASSERT_TRUE(asked.settle(true));
  // How much more the root is moved in a frame than in another.
  const auto jump = [&](int from, int to) {
    const std::size_t stride = asked.puppet.model.position_count();
    double most = 0;
    for (std::size_t k = 0; k < 7; ++k) {
      const auto moved = [&](int f) { return asked.positions[at(f) * stride + k] - before[at(f) * stride + k]; };
      most = std::max(most, std::abs(moved(to) - moved(from)));
    }
    return most;
  };
  double largest = 0;
  for (int f = 1; f < kFrames; ++f) largest = std::max(largest, jump(f - 1, f));
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(jump(kLast, 0), largest + 1e-6);
}

}  // namespace
}  // namespace limber::physics
