// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/give_way.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/ground.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

rig::Subject quadruped() {
  zoo::CreatureSettings settings{zoo::Plan::kQuadruped, 5, 36};
  settings.body = zoo::parse_body("legs:2/digitigrade,tail:1/thick/long").value();
  return zoo::make_creature(settings).value().subject;
}

int joint_of(const rig::Subject& subject, rig::LimbKind kind, int section) {
  const rig::Rig rig = anatomy::with_roles(subject.rig);
  for (int j = 0; j < rig.joint_count(); ++j) {
    const rig::Role& role = rig.joints()[at(j)].role;
    if (role.limb >= 0 && rig.limbs()[at(role.limb)].kind == kind && role.section == section) return j;
  }
  return -1;
}

/// How low the skin of each kind comes in a frame: the slack and the rest of the body.
struct Heights {
  float slack = 1, bearing = 1;
};

Heights heights(const Grounded& grounded, const rig::Subject& subject, int frame) {
  const std::vector<Affine> world = kinematics::joint_matrices(subject.rig, grounded.motion);
  Heights result;
  for (std::size_t p = 0; p < grounded.puppet.joint_points.size(); ++p) {
    const int joint = grounded.puppet.point_joints[p];
    const float y = (world[at(frame * subject.rig.joint_count() + joint)] * grounded.puppet.joint_points[p]).y;
    float& low = grounded.reference.slack[at(joint)] ? result.slack : result.bearing;
    low = std::min(low, y);
  }
  return result;
}

/// How low the joints come that hang on `from`.
float lowest_below(const rig::Subject& subject, const kinematics::Pose& pose, int from) {
  float low = 1e9f;
  const std::vector<Affine> world = kinematics::joint_matrices(subject.rig, pose);
  for (int j = from; j < subject.rig.joint_count(); ++j) {
    int above = j;
    while (above > from) above = subject.rig.joints()[at(above)].parent;
    if (above == from) low = std::min(low, world[at(j)].translation.y);
  }
  return low;
}

/// Turns a joint by 1.3 radians the way in which what hangs on it comes highest, or lowest.
void swing(const rig::Subject& subject, int joint, float sign, kinematics::Pose& pose) {
  const kinematics::Pose before = pose;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float angle : {-1.3f, 1.3f}) {
      kinematics::Pose turned = before;
      turned.angles[at(joint)][axis] += angle;
      if (sign * lowest_below(subject, turned, joint) > sign * lowest_below(subject, pose, joint)) pose = turned;
    }
  }
}

/// A body that draws in its legs and lets its tail hang: what would reach the ground first is the tail.
kinematics::Motion sitting(const rig::Subject& subject, int tail) {
  const rig::Rig rig = anatomy::with_roles(subject.rig);
  const kinematics::Pose rest = kinematics::rest_pose(subject.rig);
  kinematics::Pose seat = rest;
  swing(subject, tail, -1, seat);
  for (int j = 0; j < rig.joint_count(); ++j) {
    const rig::Role& role = rig.joints()[at(j)].role;
    if (role.limb >= 0 && role.section == 0 && rig.limbs()[at(role.limb)].kind == rig::LimbKind::kLeg) {
      swing(subject, j, 1, seat);
    }
  }
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 48, 24);
  for (int f = 0; f < motion.frame_count(); ++f) {
    const float share = std::min(static_cast<float>(f) / 24.0f, 1.0f);
    for (int j = 0; j < rig.joint_count(); ++j) {
      motion.frame_angles(f)[at(j)] = lerp(rest.angles[at(j)], seat.angles[at(j)], share);
    }
  }
  return motion;
}

TEST(GiveWay, TailsAndHeadsDoLegsDoNot) {
  const rig::Subject subject = quadruped();
  const Puppet puppet = make_puppet(subject, kinematics::rest_motion(subject.rig, 4, 24)).value();
  const std::vector<bool> slack = find_slack(puppet, subject);
  EXPECT_TRUE(slack[at(joint_of(subject, rig::LimbKind::kTail, 0))]);
  EXPECT_TRUE(slack[at(joint_of(subject, rig::LimbKind::kTail, 1))]);
  EXPECT_FALSE(slack[at(joint_of(subject, rig::LimbKind::kLeg, 0))]);
  EXPECT_FALSE(slack[at(joint_of(subject, rig::LimbKind::kLeg, 1))]);
  EXPECT_FALSE(slack[0]);
}

TEST(GiveWay, NothingDoesWithoutLegs) {
  const rig::Subject snake = zoo::make_creature({zoo::Plan::kSnake, 5, 36}).value().subject;
  const Puppet puppet = make_puppet(snake, kinematics::rest_motion(snake.rig, 4, 24)).value();
  const std::vector<bool> slack = find_slack(puppet, snake);
  EXPECT_EQ(std::count(slack.begin(), slack.end(), true), 0);
}

TEST(GiveWay, ATailDoesNotCarryTheBody) {
  const rig::Subject subject = quadruped();
  const int tail = joint_of(subject, rig::LimbKind::kTail, 0);
  ASSERT_GE(tail, 0);
  const kinematics::Motion motion = sitting(subject, tail);
  for (const Ground ground : {Ground::kLock, Ground::kNone}) {
    GroundSettings settings;
    settings.ground = ground;
    settings.reference.hint = {Habitat::kGround, "sits", false};
    const Grounded grounded = ground_motion(subject, motion, settings).value();
    const Heights last = heights(grounded, subject, motion.frame_count() - 1);
    if (ground == Ground::kNone) {
      EXPECT_LT(last.slack, last.bearing - 0.05f) << "the tail is what reaches lowest";
    } else {
      EXPECT_NEAR(last.bearing, 0, 0.03f) << "the body is on the ground";
      EXPECT_GT(last.slack, -0.005f) << "and the tail lies on the ground";
    }
  }
}

TEST(GiveWay, LeavesAloneWhatIsAboveTheGround) {
  const rig::Subject subject = quadruped();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 12, 24);
  const kinematics::Motion before = motion;
  const Puppet puppet = make_puppet(subject, motion).value();
  EXPECT_FALSE(give_way(puppet, subject, find_slack(puppet, subject), motion));
  EXPECT_EQ(motion.angles, before.angles);
}

}  // namespace
}  // namespace limber::physics
