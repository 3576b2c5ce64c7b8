// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/action.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/actions/catalogue.h"

namespace limber::zoo {
namespace {

Creature make(Plan plan, std::uint64_t seed = 3) { return make_creature({plan, seed, 32}).value(); }

Performance play(const Creature& creature, Action action, ActionSettings settings = {}) {
  settings.action = action;
  return perform(creature, settings).value();
}

TEST(Action, IsNamedAsInTheCatalogueInItsOrder) {
  const std::vector<actions::Action>& known = actions::built_in().all();
  for (std::size_t k = 0; k < kActionCount; ++k) EXPECT_EQ(name(static_cast<Action>(k)), known.at(k).name);
}

TEST(Action, HasNamesAndAliases) {
  for (int k = 0; k < kActionCount; ++k) {
    EXPECT_EQ(action_from_name(name(static_cast<Action>(k))), static_cast<Action>(k));
  }
  EXPECT_EQ(action_from_name("flap"), Action::kFly);
  EXPECT_EQ(action_from_name("lie_down"), Action::kLieDown);
  EXPECT_EQ(action_from_name("lie-down"), Action::kLieDown);
  EXPECT_EQ(action_from_name("moonwalk"), std::nullopt);
}

TEST(Action, RefusesWhatThePlanCannotDoAndSaysWhatItCan) {
  const Creature fish = make(Plan::kFish);
  ActionSettings settings;
  settings.action = Action::kTrot;
  const auto failed = perform(fish, settings);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message().find("swim"), std::string::npos);
  EXPECT_NE(failed.error().message().find("trot"), std::string::npos);
}

TEST(Action, RefusesSettingsOutsideTheirRange) {
  const Creature creature = make(Plan::kSnake);
  ActionSettings good;
  good.action = Action::kSlither;
  EXPECT_TRUE(perform(creature, good).ok());
  const auto fails = [&](auto change) {
    ActionSettings settings = good;
    change(settings);
    return !perform(creature, settings).ok();
  };
  EXPECT_TRUE(fails([](ActionSettings& s) { s.fps = 0; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.fps = std::nan(""); }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.frames = -1; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.speed = 0.1; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.speed = std::nan(""); }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.amplitude = 3; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.style = -0.5; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.noise = 2; }));
}

TEST(Action, EveryPlanHasItsActions) {
  for (int k = 0; k < kPlanCount; ++k) EXPECT_GE(actions(static_cast<Plan>(k)).size(), 5u);
  EXPECT_EQ(actions(Plan::kSnake).front(), Action::kIdle);
}

TEST(Action, StepsByTheFootfallTable) {
  const Creature creature = make(Plan::kQuadruped, 7);
  // Left fore, right fore, left hind, right hind.
  const auto touch_downs = [&](Action action) {
    ActionSettings settings;
    settings.frames = 200;
    settings.fps = 200;
    settings.speed = 1;
    const Performance p = play(creature, action, settings);
    std::vector<double> phases;
    const double per_cycle = 200.0 / p.cycles;
    for (const FootTrack& foot : p.feet) {
      for (std::size_t f = 0; f < 200; ++f) {
        if (foot.planted[f] && !foot.planted[(f + 199) % 200]) {
          phases.push_back(static_cast<double>(f) / per_cycle);
          break;
        }
      }
    }
    return phases;
  };
  const auto expect_phases = [&](Action action, std::vector<double> table) {
    const std::vector<double> found = touch_downs(action);
    ASSERT_EQ(found.size(), 4u);
    for (std::size_t l = 0; l < 4; ++l) {
      const double difference = found[l] - found[0] - (table[l] - table[0]);
      EXPECT_NEAR(difference - std::round(difference), 0, 0.02) << name(action) << " leg " << l;
    }
  };
  expect_phases(Action::kWalk, {0, 0.5, 0.75, 0.25});
  expect_phases(Action::kTrot, {0, 0.5, 0.5, 0});
  expect_phases(Action::kPace, {0, 0.5, 0, 0.5});
  expect_phases(Action::kBound, {0, 0.08, 0.5, 0.58});
  expect_phases(Action::kHop, {0, 0, 0.12, 0.12});
}

TEST(Action, FitsCyclesToTheFramesAskedFor) {
  const Creature creature = make(Plan::kBiped);
  ActionSettings settings;
  settings.frames = 97;
  const Performance walk = play(creature, Action::kWalk, settings);
  EXPECT_EQ(walk.motion.frame_count(), 97);
  EXPECT_GE(walk.cycles, 2);
  EXPECT_TRUE(walk.motion.loops);
  const Performance sit = play(creature, Action::kSit, settings);
  EXPECT_EQ(sit.motion.frame_count(), 97);
  EXPECT_FALSE(sit.motion.loops);
}

TEST(Action, RepeatsExactlyAfterACycle) {
  for (const auto& [plan, action] : {std::pair{Plan::kQuadruped, Action::kGallop},
                                     {Plan::kBird, Action::kFly},
                                     {Plan::kSnake, Action::kSlither},
                                     {Plan::kOctopod, Action::kCrawl}}) {
    const Creature creature = make(plan);
    ActionSettings settings;
    settings.frames = 60, settings.fps = 30, settings.noise = 1, settings.style = 1, settings.seed = 4;
    Performance p = play(creature, action, settings);
    // As many frames again as one loop: the second half must be the first, moved on.
    settings.frames = 60 / p.cycles * p.cycles;
    if (60 % p.cycles != 0) continue;
    const int cycle = 60 / p.cycles;
    for (int f = 0; f + cycle < 60; ++f) {
      for (int j = 0; j < p.motion.joint_count; ++j) {
        EXPECT_LT(norm(p.motion.frame_angles(f)[static_cast<std::size_t>(j)] -
                       p.motion.frame_angles(f + cycle)[static_cast<std::size_t>(j)]),
                  1e-4f);
      }
      const Vec3 moved = p.motion.root_translations[static_cast<std::size_t>(f + cycle)] -
                         p.motion.root_translations[static_cast<std::size_t>(f)];
      EXPECT_LT(norm(moved - Vec3{0, 0, p.stride}), 1e-4f) << name(action);
    }
  }
}

TEST(Action, ParametersHaveTheirEffect) {
  const Creature creature = make(Plan::kQuadruped, 2);
  const Performance plain = play(creature, Action::kWalk);
  ActionSettings settings;
  settings.speed = 2;
  EXPECT_LT(play(creature, Action::kWalk, settings).motion.frame_count(), plain.motion.frame_count());
  settings = {};
  settings.amplitude = 0.5;
  EXPECT_LT(play(creature, Action::kWalk, settings).stride, plain.stride);
  settings = {};
  settings.style = 1, settings.seed = 1;
  const Performance one = play(creature, Action::kWalk, settings);
  settings.seed = 2;
  EXPECT_NE(one.motion.angles, plain.motion.angles);
  EXPECT_NE(one.motion.angles, play(creature, Action::kWalk, settings).motion.angles);
  settings = {};
  settings.noise = 1;
  EXPECT_NE(play(creature, Action::kWalk, settings).motion.angles, plain.motion.angles);
  EXPECT_EQ(play(creature, Action::kWalk).motion.angles, plain.motion.angles);
}

TEST(Action, InPlaceStaysOverTheOrigin) {
  const Creature creature = make(Plan::kTheropod);
  ActionSettings settings;
  settings.in_place = true, settings.frames = 72;
  const Performance p = play(creature, Action::kRun, settings);
  EXPECT_GT(p.stride, 0);
  for (const Vec3& t : p.motion.root_translations) EXPECT_LT(std::abs(t.z), 0.2f);
  // Planted feet move back with the ground, evenly.
  const float per_frame = p.stride * static_cast<float>(p.cycles) / 72;
  for (const FootTrack& foot : p.feet) {
    for (std::size_t f = 1; f < 72; ++f) {
      if (!foot.planted[f] || !foot.planted[f - 1]) continue;
      EXPECT_NEAR(foot.target[f].z - foot.target[f - 1].z, -per_frame, 1e-4f);
    }
  }
}

TEST(Action, JumpsLeaveTheGroundAndReturn) {
  for (const Plan plan : {Plan::kBiped, Plan::kQuadruped, Plan::kBird, Plan::kHexapod}) {
    const Creature creature = make(plan);
    const Performance p = play(creature, Action::kJump);
    int airborne = 0;
    for (std::size_t f = 0; f < p.feet[0].planted.size(); ++f) {
      bool any = false;
      for (const FootTrack& foot : p.feet) any |= foot.planted[f];
      airborne += any ? 0 : 1;
    }
    EXPECT_GT(airborne, 3) << name(plan);
    for (const FootTrack& foot : p.feet) EXPECT_TRUE(foot.planted.front() && foot.planted.back());
    EXPECT_NEAR(p.motion.root_translations.back().y, 0, 0.01);
    EXPECT_NEAR(p.motion.root_translations.back().z, p.stride, 0.01);
  }
}

TEST(Action, TurnsByAQuarterToTheSideOfTheSeed) {
  const Creature creature = make(Plan::kQuadruped);
  ActionSettings settings;
  EXPECT_NEAR(play(creature, Action::kTurn, settings).motion.frame_angles(0)[0].x, 0, 1e-6);
  const Performance left = play(creature, Action::kTurn, settings);
  EXPECT_NEAR(left.motion.frame_angles(left.motion.frame_count() - 1)[0].x, kPi / 2, 1e-5);
  settings.seed = 1;
  const Performance right = play(creature, Action::kTurn, settings);
  EXPECT_NEAR(right.motion.frame_angles(right.motion.frame_count() - 1)[0].x, -kPi / 2, 1e-5);
}

TEST(Action, SettlesLower) {
  for (const Plan plan : {Plan::kBiped, Plan::kQuadruped, Plan::kTheropod}) {
    const Creature creature = make(plan);
    for (const Action action : {Action::kSit, Action::kLieDown}) {
      const Performance p = play(creature, action);
      EXPECT_LT(p.motion.root_translations.back().y, -0.025f) << name(plan) << " " << name(action);
    }
  }
}

}  // namespace
}  // namespace limber::zoo
