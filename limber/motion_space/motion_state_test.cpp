// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/rng.h"
#include "limber/kinematics/forward.h"
#include "limber/motion_space/motion_denoiser.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::motion_space {
namespace {

zoo::Creature creature_of(zoo::Plan plan, std::uint64_t seed = 3) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed, settings.resolution = 24;
  return zoo::make_creature(settings).value();
}

kinematics::Motion perform(const zoo::Creature& creature, zoo::Action what) {
  zoo::ActionSettings action;
  action.action = what, action.fps = kFps, action.frames = kFrames;
  return zoo::perform(creature, action).value().motion;
}

/// Largest distance between joints of two motions, in heights.
double apart(const rig::Rig& rig, const kinematics::Motion& a, const kinematics::Motion& b) {
  double most = 0;
  for (int f = 0; f < kFrames; ++f) {
    const auto pose = [&](const kinematics::Motion& m) {
      const std::span<const Vec3> angles = m.frame_angles(f);
      return kinematics::Pose{m.root_translations[static_cast<std::size_t>(f)], {angles.begin(), angles.end()}};
    };
    const std::vector<Affine> p = kinematics::joint_matrices(rig, pose(a)),
                              q = kinematics::joint_matrices(rig, pose(b));
    for (std::size_t j = 0; j < p.size(); ++j) most = std::max<double>(most, norm(p[j].translation - q[j].translation));
  }
  return most;
}

TEST(MotionState, ComesBackAsTheMotionItWas) {
  for (const auto& [plan, what] :
       {std::pair(zoo::Plan::kQuadruped, zoo::Action::kTrot), std::pair(zoo::Plan::kBird, zoo::Action::kFly),
        std::pair(zoo::Plan::kSnake, zoo::Action::kSlither)}) {
    const zoo::Creature creature = creature_of(plan);
    const MotionBody body = make_motion_body(creature.subject);
    const kinematics::Motion motion = perform(creature, what);
    Start start;
    const MotionState state = encode_motion(body.skeleton, motion, 0, &start);
    const kinematics::Motion back = decode_motion(body.skeleton, state, start);
    EXPECT_LT(apart(creature.subject.rig, motion, back), 1e-4);
  }
}

TEST(MotionState, SmoothsWhatShakesAndLeavesWhatMoves) {
  // How much is left of a sway of so many rounds a second, away from the ends.
  const auto left = [](double hertz) {
    MotionState state(1);
    for (int f = 0; f < kFrames; ++f) {
      state.frame(f)[0] = std::sin(2 * kPi * hertz * f / kFps);
      state.frame(f)[pose_space::kStateSize] = f % 2 == 0 ? 1 : -1;
    }
    const MotionState before = state;
    smooth_state(state);
    double was = 0, is = 0;
    for (int f = 10; f < kFrames - 10; ++f) {
      was += before.frame(f)[0] * before.frame(f)[0], is += state.frame(f)[0] * state.frame(f)[0];
      EXPECT_EQ(state.frame(f)[pose_space::kStateSize], before.frame(f)[pose_space::kStateSize]) << "contacts stay";
    }
    return std::sqrt(is / was);
  };
  EXPECT_GT(left(2), 0.99);
  EXPECT_GT(left(4), 0.85);
  EXPECT_LT(left(8.3), 0.35);
  EXPECT_LT(left(13.7), 0.06);
}

TEST(MotionState, SmoothsNoCurveOfTheSecondDegree) {
  MotionState state(2);
  const auto curve = [](int f, int k) { return 0.3 * k + 0.02 * f - 0.001 * k * f * f; };
  for (int f = 0; f < kFrames; ++f) {
    for (int k = 0; k < kBodyNumbers; ++k) state.body[static_cast<std::size_t>(f * kBodyNumbers + k)] = curve(f, k);
    state.frame(f)[kJointNumbers + 2] = curve(f, 1);
  }
  smooth_state(state);
  for (int f = 0; f < kFrames; ++f) {
    for (int k = 0; k < kBodyNumbers; ++k) {
      EXPECT_NEAR(state.body[static_cast<std::size_t>(f * kBodyNumbers + k)], curve(f, k), 1e-9);
    }
    EXPECT_NEAR(state.frame(f)[kJointNumbers + 2], curve(f, 1), 1e-9);
  }
}

TEST(MotionState, IsTheSameWhereverTheBodyBegins) {
  const zoo::Creature creature = creature_of(zoo::Plan::kQuadruped);
  const MotionBody body = make_motion_body(creature.subject);
  const kinematics::Motion motion = perform(creature, zoo::Action::kWalk);
  Start start;
  const MotionState state = encode_motion(body.skeleton, motion, 0, &start);
  Start elsewhere{{3, 0, -2}, 1.1};
  const kinematics::Motion moved = decode_motion(body.skeleton, state, elsewhere);
  const MotionState again = encode_motion(body.skeleton, moved);
  for (std::size_t i = 0; i < state.body.size(); ++i) ASSERT_NEAR(again.body[i], state.body[i], 1e-4) << i;
  for (std::size_t i = 0; i < state.poses.size(); ++i) ASSERT_NEAR(again.poses[i], state.poses[i], 1e-4) << i;
}

TEST(MotionState, IsJoinedAsItWasSplit) {
  MotionState state(5);
  Rng rng(1);
  for (double& v : state.poses) v = rng.uniform(-2, 2);
  for (double& v : state.body) v = rng.uniform(-2, 2);
  // The way begins where it is counted from.
  for (int k = 0; k < 3; ++k) state.body[static_cast<std::size_t>(k)] = 0;
  const MotionState back = join_tokens(split_state(state), 5);
  for (std::size_t i = 0; i < state.poses.size(); ++i) ASSERT_NEAR(back.poses[i], state.poses[i], 1e-5) << i;
  for (std::size_t i = 0; i < state.body.size(); ++i) ASSERT_NEAR(back.body[i], state.body[i], 1e-5) << i;
}

TEST(MotionState, HoldsTheLastFrameOfAShortMotion) {
  const zoo::Creature creature = creature_of(zoo::Plan::kQuadruped);
  const MotionBody body = make_motion_body(creature.subject);
  const MotionState state = encode_motion(body.skeleton, perform(creature, zoo::Action::kWalk), kFrames - 1);
  for (int f = 1; f < kFrames; ++f) {
    for (std::size_t k = 0; k < state.frame(f).size(); ++k) ASSERT_EQ(state.frame(f)[k], state.frame(0)[k]);
  }
}

TEST(MotionConditions, KnowFeetAndWhoIsAboveWhom) {
  const zoo::Creature creature = creature_of(zoo::Plan::kQuadruped);
  const MotionBody body = make_motion_body(creature.subject);
  const MotionConditions& c = body.conditions;
  EXPECT_EQ(std::count(c.feet.begin(), c.feet.end(), true), 4);
  const int slots = 1 + c.joints;
  const auto relation = [&](int j, int k) { return c.relations[static_cast<std::size_t>(j * slots + k)]; };
  EXPECT_EQ(relation(0, 0), kItself);
  EXPECT_EQ(relation(0, 1), kOfBody);
  EXPECT_EQ(relation(1, 0), kToBody);
  for (int j = 1; j < c.joints; ++j) {
    const int parent = c.parents[static_cast<std::size_t>(j)];
    EXPECT_EQ(relation(1 + j, 1 + parent), kAbove + 1);
    EXPECT_EQ(relation(1 + parent, 1 + j), kBelow + 1);
  }
  for (const std::uint8_t r : c.relations) EXPECT_LT(r, kRelations);
  EXPECT_EQ(c.all_features().size(), static_cast<std::size_t>(c.joints * kFeatures));
}

TEST(MotionModel, ReadsWhatItWrites) {
  MotionModel model;
  model.width = 64, model.layers = 2, model.heads = 4, model.actions = {"walk", "fly"};
  const Result<MotionModel> back = motion_model_from_json(motion_model_to_json(model), "m.json");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->find_action("fly"), 1);
  EXPECT_EQ(back->find_action("swim"), -1);
  EXPECT_FALSE(motion_model_from_json("{}", "m.json").ok());
  model.heads = 3;
  EXPECT_FALSE(motion_model_from_json(motion_model_to_json(model), "m.json").ok());
  model.heads = 4, model.actions.clear();
  EXPECT_FALSE(motion_model_from_json(motion_model_to_json(model), "m.json").ok());
}

}  // namespace
}  // namespace limber::motion_space
