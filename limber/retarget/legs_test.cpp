// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/legs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/retarget/swing.h"
#include "limber/zoo/action.h"

namespace limber::retarget {
namespace {

/// A body at rest for some frames.
struct Still {
  Body body;
  Played played;
};

Still still(const zoo::Creature& who, int frames) {
  return {make_body(who.subject), play(who.subject.rig, kinematics::rest_motion(who.subject.rig, frames, 24))};
}

class AnyLegs : public ::testing::TestWithParam<zoo::Plan> {};

TEST_P(AnyLegs, BendUntilTheSoleIsWhereItShouldBe) {
  const zoo::Creature who = zoo::make_creature({GetParam(), 3, 30, {}}).value();
  Still it = still(who, 1);
  kinematics::Motion motion = kinematics::rest_motion(who.subject.rig, 1, 24);
  for (const Chain& leg : it.body.chains) {
    if (leg.limb.kind != rig::LimbKind::kLeg) continue;
    const double length = norm(leg.sole - it.body.place(leg.joints[0]));
    const Vec3d goal = leg.sole + 0.2 * length * Vec3d{0.2, 0.8, 0.5};
    bend_leg(it.body, Foot{&leg, nullptr, {goal}, {false}, {}}, 0, it.played);
    pose(who.subject.rig, 0, it.played, motion);
    EXPECT_LT(norm(sole_place(it.body, leg, it.played, 0) - goal), 1e-3 * length) << leg.name;
  }
}

TEST_P(AnyLegs, ReachOutStraightForWhatIsTooFarAway) {
  const zoo::Creature who = zoo::make_creature({GetParam(), 3, 30, {}}).value();
  Still it = still(who, 1);
  kinematics::Motion motion = kinematics::rest_motion(who.subject.rig, 1, 24);
  for (const Chain& leg : it.body.chains) {
    if (leg.limb.kind != rig::LimbKind::kLeg) continue;
    bend_leg(it.body, Foot{&leg, nullptr, {leg.sole + Vec3d{0, 0, 5}}, {false}, {}}, 0, it.played);
    pose(who.subject.rig, 0, it.played, motion);
    EXPECT_TRUE(is_finite(sole_place(it.body, leg, it.played, 0))) << leg.name;
    EXPECT_GT(sole_place(it.body, leg, it.played, 0).z, leg.sole.z) << leg.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, AnyLegs,
                         ::testing::Values(zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kHexapod,
                                           zoo::Plan::kTheropod));

TEST(Swing, IsBoundedHoweverTheBodyIsShakenAndStillWhereItIsNot) {
  const zoo::Creature who = zoo::make_creature({zoo::Plan::kQuadruped, 3, 30, {}}).value();
  for (const double shake : {0.0, 0.02, 5.0}) {
    Still it = still(who, 48);
    for (int f = 0; f < 48; ++f) {
      for (int j = 0; j < who.subject.rig.joint_count(); ++j) it.played.place(f, j).x += shake * std::sin(0.9 * f);
    }
    const Chain& tail = it.body.chains[static_cast<std::size_t>(it.body.find("tail"))];
    swing(it.body, tail, 24, false, it.played);
    double most = 0;
    for (int f = 0; f < 48; ++f) most = std::max(most, angle_between(Quatd{}, it.played.turn(f, tail.joints.back())));
    EXPECT_LT(most, 0.62) << shake;
    EXPECT_EQ(most > 0.01, shake > 0) << shake;
  }
}

}  // namespace
}  // namespace limber::retarget
