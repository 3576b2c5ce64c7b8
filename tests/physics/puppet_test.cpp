// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/puppet.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/dynamics.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

/// Largest distance between the joints of two motions, in heights.
double joint_distance(const rig::Subject& subject, const kinematics::Motion& a, const kinematics::Motion& b) {
  const std::vector<Affine> x = kinematics::joint_matrices(subject.rig, a),
                            y = kinematics::joint_matrices(subject.rig, b);
  double worst = 0;
  for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, double(norm(x[k].translation - y[k].translation)));
  return worst;
}

/// Largest distance between where the model has its bodies and where the rig has their joints.
double body_distance(const Puppet& puppet, const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::vector<double> positions = positions_from_motion(puppet, subject, motion);
  const std::vector<Affine> joints = kinematics::joint_matrices(subject.rig, motion);
  const std::size_t stride = puppet.model.position_count();
  Workspace work(puppet.model);
  std::vector<Affined> poses(puppet.model.bodies.size());
  double worst = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    body_poses<double>(puppet.model, work, std::span(positions).subspan(static_cast<std::size_t>(f) * stride, stride),
                       poses);
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const std::size_t joint = static_cast<std::size_t>(f * motion.joint_count + puppet.body_joints[b]);
      worst = std::max(worst, norm(poses[b].translation / puppet.metres - joints[joint].translation.cast<double>()));
    }
  }
  return worst;
}

TEST(PhysicsPuppet, FollowsEveryCreatureOfTheZoo) {
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    const auto plan = static_cast<zoo::Plan>(p);
    const zoo::Creature creature = *zoo::make_creature({.plan = plan, .seed = 3, .resolution = 32});
    zoo::ActionSettings action;
    action.action = zoo::actions(plan)[1];
    const kinematics::Motion motion = zoo::perform(creature, action)->motion;
    const Result<Puppet> puppet = make_puppet(creature.subject, motion);
    ASSERT_TRUE(puppet.ok()) << zoo::name(plan);
    EXPECT_LT(body_distance(*puppet, creature.subject, motion), 1e-5) << zoo::name(plan);
    const std::vector<double> positions = positions_from_motion(*puppet, creature.subject, motion);
    const kinematics::Motion back = motion_from_positions(*puppet, creature.subject, motion, positions);
    EXPECT_LT(joint_distance(creature.subject, motion, back), 1e-5) << zoo::name(plan);
    EXPECT_GT(puppet->model.body_count(), 5) << zoo::name(plan);
  }
}

TEST(PhysicsPuppet, FollowsRigsInTheWild) {
  const std::vector<std::filesystem::path> files = testing::shared_files("assets", {".glb", ".gltf"});
  if (files.empty()) GTEST_SKIP() << "no shared data";
  int seen = 0;
  for (const std::filesystem::path& file : files) {
    if (std::filesystem::file_size(file) > 8'000'000 || seen >= 25) continue;
    const Result<asset::Asset> asset = asset::read_asset(file);
    if (!asset.ok() || asset->clips.empty()) continue;
    const Result<rig::Subject> subject = rig::subject_from_asset(*asset);
    if (!subject.ok() || subject->points.empty()) continue;
    const Result<kinematics::Motion> motion = kinematics::motion_from_clip(*asset, asset->clips[0], *subject, 12);
    if (!motion.ok() || motion->frame_count() < 3 || motion->frame_count() > 100) continue;
    const Result<Puppet> puppet = make_puppet(*subject, *motion);
    ASSERT_TRUE(puppet.ok()) << file << puppet.error().message();
    const std::vector<double> positions = positions_from_motion(*puppet, *subject, *motion);
    kinematics::Motion back = motion_from_positions(*puppet, *subject, *motion, positions);
    back.overrides = motion->overrides;  // those that vary are made constant on purpose
    EXPECT_LT(joint_distance(*subject, *motion, back), 1e-3) << file;
    if (motion->overrides.empty()) {
      EXPECT_LT(body_distance(*puppet, *subject, *motion), 0.01) << file;
    }
    ++seen;
  }
  EXPECT_GT(seen, 3);
}

TEST(PhysicsPuppet, KeepsAwayFromTheGimbal) {
  const zoo::Creature creature = *zoo::make_creature({.plan = zoo::Plan::kBiped, .seed = 1, .resolution = 32});
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, 40, 24);
  const int joint = creature.legs[0].joints[0];
  for (int f = 0; f < 40; ++f) {
    // Through the right angle of the middle axis.
    motion.frame_angles(f)[static_cast<std::size_t>(joint)] = {0.3f, 1.2f + 0.02f * static_cast<float>(f), -0.2f};
  }
  const Puppet puppet = *make_puppet(creature.subject, motion);
  EXPECT_FALSE(puppet.joints[static_cast<std::size_t>(joint)].same_angles);
  EXPECT_LT(body_distance(puppet, creature.subject, motion), 1e-5);
  const std::vector<double> positions = positions_from_motion(puppet, creature.subject, motion);
  const int hinge = puppet.joints[static_cast<std::size_t>(joint)].hinge;
  for (int f = 0; f < 40; ++f) {
    const double middle =
        positions[static_cast<std::size_t>(f) * puppet.model.position_count() + 8 + static_cast<std::size_t>(hinge)];
    EXPECT_LT(std::abs(middle), 0.5);
  }
  const kinematics::Motion back = motion_from_positions(puppet, creature.subject, motion, positions);
  EXPECT_LT(joint_distance(creature.subject, motion, back), 1e-4);
}

TEST(PhysicsPuppet, NeedsSkin) {
  zoo::Creature creature = *zoo::make_creature({.plan = zoo::Plan::kBiped, .seed = 1, .resolution = 32});
  creature.subject.points.clear(), creature.subject.weights.bones.clear(), creature.subject.weights.weights.clear();
  EXPECT_FALSE(make_puppet(creature.subject, kinematics::rest_motion(creature.subject.rig, 3, 24)).ok());
}

TEST(PhysicsPuppet, WeldsWhatIsTooMuch) {
  const zoo::Creature creature = *zoo::make_creature({.plan = zoo::Plan::kHexapod, .seed = 1, .resolution = 32});
  PuppetSettings settings;
  settings.max_bodies = 9;
  const Puppet puppet = *make_puppet(creature.subject, kinematics::rest_motion(creature.subject.rig, 3, 24), settings);
  EXPECT_LE(puppet.model.body_count(), 9);
  EXPECT_FALSE(puppet.notes.empty());
}

}  // namespace
}  // namespace limber::physics
