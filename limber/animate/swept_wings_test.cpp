// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/swept_wings.h"

#include <gtest/gtest.h>

#include "limber/animate/sample_lift.h"
#include "limber/kinematics/forward.h"
#include "limber/lift/leading_joints.h"
#include "limber/zoo/action.h"

namespace limber::animate {
namespace {

constexpr Vec3 kForward{0, 0, 1};
constexpr int kFrames = 8;

zoo::Creature creature_of(zoo::Plan plan, std::uint64_t seed = 4) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed;
  return zoo::make_creature(settings).value();
}

/// From the shoulder to the last joint of every wing, in the first frame.
std::vector<Vec3> wing_directions(const rig::Rig& rig, const kinematics::Motion& motion) {
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  std::vector<int> first(rig.limbs().size(), -1), last = first;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int limb = rig.joints()[static_cast<std::size_t>(j)].role.limb;
    if (limb < 0 || rig.limbs()[static_cast<std::size_t>(limb)].kind != rig::LimbKind::kWing) continue;
    if (first[static_cast<std::size_t>(limb)] < 0) first[static_cast<std::size_t>(limb)] = j;
    last[static_cast<std::size_t>(limb)] = j;
  }
  std::vector<Vec3> directions;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] < 0) continue;
    directions.push_back(normalized(joints[static_cast<std::size_t>(last[i])].translation -
                                    joints[static_cast<std::size_t>(first[i])].translation));
  }
  return directions;
}

kinematics::Motion held(const rig::Rig& rig, const std::vector<Vec3>& angles) {
  kinematics::Motion motion = kinematics::rest_motion(rig, kFrames, 12);
  for (int i = 0; i < kFrames && !angles.empty(); ++i) {
    std::copy(angles.begin(), angles.end(), motion.frame_angles(i).begin());
  }
  return motion;
}

TEST(SweptWings, PointBackAndLeaveAllElseAtRest) {
  const zoo::Creature bird = creature_of(zoo::Plan::kBird);
  const rig::Rig& rig = bird.subject.rig;
  const std::vector<Vec3> angles = swept_wings(rig, kForward);
  ASSERT_EQ(angles.size(), static_cast<std::size_t>(rig.joint_count()));
  for (const Vec3 at_rest : wing_directions(rig, held(rig, {}))) ASSERT_GT(std::abs(at_rest.x), 0.5f);
  const std::vector<Vec3> swept = wing_directions(rig, held(rig, angles));
  ASSERT_EQ(swept.size(), 2u);
  for (const Vec3 wing : swept) EXPECT_LT(wing.z, -0.75f);
  EXPECT_LT(swept[0].x * swept[1].x, 0) << "each on its own side";
  for (std::size_t j = 0; j < angles.size(); ++j) {
    const int limb = rig.joints()[j].role.limb;
    const bool of_wing = limb >= 0 && rig.limbs()[static_cast<std::size_t>(limb)].kind == rig::LimbKind::kWing;
    EXPECT_EQ(norm(angles[j]) > 0, of_wing) << rig.joints()[j].name;
  }
}

TEST(SweptWings, AreNoneWithoutWings) {
  EXPECT_TRUE(swept_wings(creature_of(zoo::Plan::kQuadruped).subject.rig, kForward).empty());
}

/// How far wings point back, in the mean.
double sweep_of(const rig::Rig& rig, const kinematics::Motion& motion) {
  const std::vector<Vec3> wings = wing_directions(rig, motion);
  double back = 0;
  for (const Vec3 wing : wings) back -= wing.z / static_cast<double>(wings.size());
  return back;
}

/// Lifts what is drawn of a motion.
kinematics::Motion lifted(const rig::Subject& subject, const kinematics::Motion& truth, bool tries_both) {
  scene::SketchViewSettings seeing;
  seeing.views = 2, seeing.size = 64, seeing.framing = Framing::kReach;
  scene::SketchView view(subject.rig, scene::part_gaussians(subject), seeing);
  SampleLiftSettings settings;
  settings.fit.free = lift::leading_joints(subject);
  if (tries_both) settings.other_start = swept_wings(subject.rig, kForward);
  return lift_sample(view, view.draw(truth), settings).value().motion;
}

TEST(SweptWings, AreFoundWhereTheyAreDrawnAndOnlyThere) {
  const zoo::Creature bird = creature_of(zoo::Plan::kBird, 970102);
  const rig::Rig& rig = bird.subject.rig;
  zoo::ActionSettings walking;
  walking.action = zoo::Action::kWalk, walking.fps = 12, walking.frames = 12;
  const kinematics::Motion walk = zoo::perform(bird, walking).value().motion, spread = held(rig, {});
  const double truth = sweep_of(rig, walk);
  ASSERT_GT(truth, 0.8);
  EXPECT_NEAR(sweep_of(rig, lifted(bird.subject, walk, true)), truth, 0.1);
  EXPECT_LT(sweep_of(rig, lifted(bird.subject, walk, false)), truth - 0.2) << "from the rest pose it is not found";
  EXPECT_NEAR(sweep_of(rig, lifted(bird.subject, spread, true)), sweep_of(rig, spread), 0.15);
}

}  // namespace
}  // namespace limber::animate
