// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/ground.h"
#include "limber/physics/trajectory.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

Grounded on_ground(const rig::Subject& subject, const kinematics::Motion& motion, bool seen) {
  GroundSettings settings;
  settings.ground = Ground::kLock;
  settings.reference.hint = {Habitat::kGround, "walks", true};
  settings.reference.touch = 0.05;
  settings.reference.ground_seen = seen;
  return ground_motion(subject, motion, settings).value();
}

float travel(const kinematics::Motion& motion) {
  return motion.root_translations.back().z - motion.root_translations.front().z;
}

/// How low the skin of what hangs on a joint comes in a frame.
float lowest(const rig::Subject& subject, const Puppet& puppet, const kinematics::Motion& motion, int frame, int from) {
  const std::vector<Affine> world = kinematics::joint_matrices(subject.rig, motion);
  float low = 1e9f;
  for (std::size_t p = 0; p < puppet.joint_points.size(); ++p) {
    int above = puppet.point_joints[p];
    while (above > from) above = subject.rig.joints()[at(above)].parent;
    if (above != from) continue;
    const int row = frame * subject.rig.joint_count() + puppet.point_joints[p];
    low = std::min(low, (world[at(row)] * puppet.joint_points[p]).y);
  }
  return low;
}

/// Turns of the root, radians, about the world's axis: the angles that come nearest to it, rigs having axes of their
/// own.
Vec3 root_turn(const rig::Subject& subject, Vec3 axis, float angle) {
  Vec3 best;
  float least = 1e9f;
  for (int k = 0; k < 3; ++k) {
    for (const float sign : {-1.0f, 1.0f}) {
      kinematics::Pose pose = kinematics::rest_pose(subject.rig);
      pose.angles[0][k] += sign * angle;
      const Mat3 turned =
          kinematics::joint_matrices(subject.rig, pose)[0].linear * inverse(subject.rig.world_from_rest()[0]).linear;
      const Mat3 wanted = to_matrix(axis_angle(axis, angle));
      float far = 0;
      for (int c = 0; c < 3; ++c) far += norm(turned.column(c) - wanted.column(c));
      if (far < least) least = far, best = {}, best[k] = sign * angle;
    }
  }
  return best;
}

TEST(PhysicsReference, KeepsTheCourseThatWasSeen) {
  // A walk that sways: at some time the foot that is carried forward is the lower one, as in pictures that tell heights
  // badly. It is not the one to stand.
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  zoo::ActionSettings walk;
  walk.frames = 48;
  const zoo::Performance performance = zoo::perform(creature, walk).value();
  kinematics::Motion steady = performance.motion;
  steady.loops = false;
  const float way = travel(steady);
  ASSERT_GT(std::abs(way), 0.3f);
  const Vec3 sway = root_turn(creature.subject, {0, 0, 1}, 0.15f);
  float least_seen = 1, least_unseen = 1;
  for (int phase = 0; phase < 8; ++phase) {
    kinematics::Motion motion = steady;
    for (int f = 0; f < motion.frame_count(); ++f) {
      const double turn = 2 * kPi * (double(performance.cycles) * f / motion.frame_count() + phase / 8.0);
      motion.frame_angles(f)[0] += static_cast<float>(std::sin(turn)) * sway;
    }
    least_seen = std::min(least_seen, travel(on_ground(creature.subject, motion, true).motion) / way);
    least_unseen = std::min(least_unseen, travel(on_ground(creature.subject, motion, false).motion) / way);
  }
  EXPECT_GT(least_seen, 0.6f);
  EXPECT_LT(least_unseen, least_seen - 0.1f) << "what the lowest feet alone say";
}

TEST(PhysicsReference, DrawsUpLegsThatWereNotSeenToFold) {
  // Haunches go down, forelegs stay: the hind legs, still straight, reach far below the ground.
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 5, 36}).value();
  const rig::Subject& subject = creature.subject;
  std::array<int, 2> ends{creature.legs.front().joints.front(), creature.legs.front().joints.front()};
  const auto place = [&](int joint) { return subject.rig.world_from_rest()[at(joint)].translation.z; };
  for (const auto& leg : creature.legs) {
    const int hip = leg.joints.front();
    if (place(hip) < place(ends[0])) ends[0] = hip;
    if (place(hip) > place(ends[1])) ends[1] = hip;
  }
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 30, 24);
  const Puppet puppet = make_puppet(subject, motion).value();
  const Vec3 pitch = root_turn(subject, {1, 0, 0}, -0.3f);
  for (int f = 0; f < motion.frame_count(); ++f) {
    const float share = std::clamp(static_cast<float>(f - 6) / 8.0f, 0.0f, 1.0f);
    motion.frame_angles(f)[0] += share * pitch;
  }
  // The forefeet stand on the ground that was seen.
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.root_translations[at(f)].y -= lowest(subject, puppet, motion, f, ends[1]);
  }
  const int last = motion.frame_count() - 1;
  ASSERT_LT(lowest(subject, puppet, motion, last, ends[0]), -0.1f);
  const Grounded seen = on_ground(subject, motion, true), unseen = on_ground(subject, motion, false);
  EXPECT_GT(lowest(subject, seen.puppet, seen.motion, last, ends[0]), -0.01f);
  EXPECT_LT(lowest(subject, seen.puppet, seen.motion, last, ends[1]), 0.06f);
  EXPECT_GT(lowest(subject, unseen.puppet, unseen.motion, last, ends[1]), 0.1f) << "raised as a whole";
  EXPECT_LT(lowest(subject, seen.puppet, seen.motion, 0, ends[0]), 0.02f) << "before, it stands, and does not fly";
  EXPECT_LT(lowest(subject, seen.puppet, seen.motion, 0, ends[1]), 0.02f);
}

TEST(PhysicsReference, TellsHowFarSimulatedJointsAreFromIt) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 3, 24}).value();
  zoo::ActionSettings walk;
  walk.frames = 24;
  GroundSettings settings;
  settings.ground = Ground::kSimulate, settings.track.iterations = 8;
  const kinematics::Motion motion = zoo::perform(creature, walk).value().motion;
  const Grounded near = ground_motion(creature.subject, motion, settings).value();
  EXPECT_GT(near.track.place_error, 0);
  EXPECT_LT(near.track.place_error, 0.08) << "heights, as good trackers have it";
  settings.track.assist = 0, settings.track.iterations = 1;
  const Grounded far = ground_motion(creature.subject, motion, settings).value();
  EXPECT_GT(far.track.place_error, near.track.place_error) << "without any help it falls";
}

TEST(PhysicsReference, LaysABodyThatHasFallenOnWhateverIsLowest) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, 24, 24);
  const Vec3 over = root_turn(creature.subject, {0, 0, 1}, static_cast<float>(kPi));
  for (int f = 0; f < motion.frame_count(); ++f) motion.frame_angles(f)[0] += over;
  const Grounded grounded = on_ground(creature.subject, motion, false);
  double low = 1e9;
  for (const Vec3d& p : contact_points(grounded.puppet.model, grounded.reference.positions)) low = std::min(low, p.y);
  EXPECT_GT(low / grounded.puppet.metres, -0.01) << "upside down, its head bears it";
}

/// Frames in which points of a foot are planted.
int planted_frames(const rig::Rig& rig, const std::vector<kinematics::GroundContact>& planted, int foot, int frames) {
  int count = 0;
  for (int f = 0; f < frames; ++f) {
    count += std::any_of(planted.begin(), planted.end(), [&](const kinematics::GroundContact& contact) {
      int joint = contact.joint;
      while (joint > foot) joint = rig.joints()[at(joint)].parent;
      return joint == foot && contact.planted[at(f)];
    });
  }
  return count;
}

TEST(PhysicsReference, BelievesWhoSaysWhenFeetStand) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 3, 36}).value();
  zoo::ActionSettings walk;
  walk.frames = 48;
  const kinematics::Motion motion = zoo::perform(creature, walk).value().motion;
  const rig::Rig& rig = creature.subject.rig;
  GroundSettings settings;
  settings.ground = Ground::kLock, settings.reference.hint = {Habitat::kGround, "walks", true};
  const Grounded found = ground_motion(creature.subject, motion, settings).value();
  const int left = rig.find("ankle.L"), right = rig.find("ankle.R");
  ASSERT_GE(left, 0);
  ASSERT_GE(right, 0);
  ASSERT_GT(planted_frames(rig, found.planted, left, 48), 10);

  // One is told never to stand, the other for a while: neither anywhere else.
  std::vector<bool> while_it_stands(48, false);
  int told = 0;
  for (int f = 0; f < 48; ++f) {
    while_it_stands[at(f)] = told < 6 && std::any_of(found.planted.begin(), found.planted.end(), [&](const auto& c) {
                               int joint = c.joint;
                               while (joint > right) joint = rig.joints()[at(joint)].parent;
                               return joint == right && c.planted[at(f)];
                             });
    told += while_it_stands[at(f)];
  }
  settings.reference.told = {{left, std::vector<bool>(48, false)}, {right, while_it_stands}};
  const Grounded asked = ground_motion(creature.subject, motion, settings).value();
  EXPECT_EQ(planted_frames(rig, asked.planted, left, 48), 0);
  EXPECT_GT(planted_frames(rig, asked.planted, right, 48), 3);
  EXPECT_LE(planted_frames(rig, asked.planted, right, 48), told);

  // What is not of this motion is not looked at.
  settings.reference.told = {{left, std::vector<bool>(7, false)}};
  EXPECT_EQ(ground_motion(creature.subject, motion, settings).value().motion.angles, found.motion.angles);
}

}  // namespace
}  // namespace limber::physics
