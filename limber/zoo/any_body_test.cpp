// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/zoo/action.h"
#include "limber/zoo/body_spec.h"
#include "limber/zoo/gait.h"
#include "limber/zoo/poser.h"

/// What motions promise of any body, whatever limbs it has.
namespace limber::zoo {
namespace {

Creature make(Plan plan, std::uint64_t seed = 3) {
  CreatureSettings settings;
  settings.plan = plan, settings.seed = seed, settings.resolution = 32;
  return make_creature(settings).value();
}

Creature make(const BodySpec& body, std::uint64_t seed) {
  CreatureSettings settings;
  settings.body = body, settings.seed = seed, settings.resolution = 28;
  return make_creature(settings).value();
}
Creature make(const char* words, std::uint64_t seed = 3) { return make(parse_body(words).value(), seed); }

Performance play(const Creature& creature, Action action, ActionSettings settings = {}) {
  settings.action = action;
  return perform(creature, settings).value();
}

/// One frame as the skeleton has it.
SolvedPose pose_at(const Creature& creature, const kinematics::Motion& motion, int frame) {
  SolvedPose pose;
  pose.root_translation = motion.root_translations[static_cast<std::size_t>(frame)].cast<double>();
  for (const Vec3& angles : motion.frame_angles(frame)) pose.angles.push_back(angles.cast<double>());
  pose.world_from_joint.resize(pose.angles.size());
  kinematics::joints_forward<double>(creature.subject.rig, {pose.root_translation, pose.angles, {}, {}},
                                     pose.world_from_joint);
  return pose;
}

Vec3d sole_in(const SolvedPose& pose, const Leg& leg) {
  return pose.world_from_joint[static_cast<std::size_t>(leg.joints.back())] * leg.tip.cast<double>();
}

struct Findings {
  double slip = 0;    ///< of a planted foot from frame to frame
  double off = 0;     ///< planted foot from where it should be, along the ground
  double depth = 0;   ///< of the skin below the ground
  double excess = 0;  ///< beyond the limits of joints
  double speed = 0;   ///< of angles, radians a second
  bool finite = true;
};

Findings examine(const Creature& creature, const Performance& performance) {
  const Poser poser(creature);
  const kinematics::Motion& motion = performance.motion;
  const std::span<const rig::Joint> joints = creature.subject.rig.joints();
  Findings found;
  SolvedPose before;
  for (int frame = 0; frame < motion.frame_count(); ++frame) {
    const SolvedPose pose = pose_at(creature, motion, frame);
    const auto f = static_cast<std::size_t>(frame);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const Vec3 angles = motion.frame_angles(frame)[j];
      found.finite &= is_finite(angles) && is_finite(motion.root_translations[f]);
      for (int k = 0; k < 3; ++k) {
        found.excess = std::max<double>(
            {found.excess, angles[k] - joints[j].limits.upper[k], joints[j].limits.lower[k] - angles[k]});
        if (frame > 0) {
          found.speed = std::max(found.speed, std::abs(pose.angles[j][k] - before.angles[j][k]) * motion.fps);
        }
      }
    }
    for (std::size_t l = 0; l < performance.feet.size(); ++l) {
      const FootTrack& foot = performance.feet[l];
      if (!foot.planted[f]) continue;
      const Vec3d sole = sole_in(pose, creature.legs[l]), off = sole - foot.target[f].cast<double>();
      found.off = std::max(found.off, std::hypot(off.x, off.z));
      if (frame == 0 || !foot.planted[f - 1]) continue;
      const Vec3d slip = sole - sole_in(before, creature.legs[l]);
      found.slip = std::max(found.slip, std::hypot(slip.x, slip.z));
    }
    found.depth = std::max(found.depth, -poser.lowest_point(pose));
    before = pose;
  }
  return found;
}

void expect_sound(const Creature& creature, Action action, const ActionSettings& settings = {}) {
  const Performance performance = play(creature, action, settings);
  const Findings found = examine(creature, performance);
  const std::string what = creature.name + " " + creature.body + " " + std::string(name(action));
  EXPECT_TRUE(found.finite) << what;
  EXPECT_LT(found.off, 5e-4) << what;
  if (!settings.in_place) {
    EXPECT_LT(found.slip, 5e-4) << what;
  }
  EXPECT_LT(found.depth, 0.005 * std::max(1.0, Poser(creature).height())) << what;  // the longest side is one
  EXPECT_LT(found.excess, 1e-5) << what;
  EXPECT_LT(found.speed, 70) << what;
}

TEST(AnyBody, DoesAllThatItsPlanDoes) {
  for (int p = 0; p < kPlanCount; ++p) {
    const std::vector<Action> can = actions(make(static_cast<Plan>(p)));
    EXPECT_TRUE(std::is_sorted(can.begin(), can.end()));
    for (const Action action : actions(static_cast<Plan>(p))) {
      EXPECT_TRUE(std::find(can.begin(), can.end(), action) != can.end())
          << name(static_cast<Plan>(p)) << " " << name(action);
    }
  }
}

TEST(AnyBody, CanDoNothingThatItHasNoLimbsFor) {
  const auto can = [](Plan plan, Action action) {
    const std::vector<Action> list = actions(make(plan));
    return std::find(list.begin(), list.end(), action) != list.end();
  };
  EXPECT_FALSE(can(Plan::kFish, Action::kWalk));
  EXPECT_FALSE(can(Plan::kSnake, Action::kFly));
  EXPECT_FALSE(can(Plan::kBiped, Action::kRear));
  EXPECT_FALSE(can(Plan::kQuadruped, Action::kSwim));
  EXPECT_TRUE(can(Plan::kQuadruped, Action::kRear));
  EXPECT_TRUE(can(Plan::kHexapod, Action::kGallop));
  EXPECT_FALSE(can(Plan::kOctopod, Action::kGallop));
}

TEST(AnyBody, KeepsItsPromisesInTheActionsThatPlansDidNotHave) {
  for (int p = 0; p < kPlanCount; ++p) {
    const Creature creature = make(static_cast<Plan>(p));
    const std::vector<Action> old = actions(static_cast<Plan>(p));
    for (const Action action : actions(creature)) {
      if (std::find(old.begin(), old.end(), action) == old.end()) expect_sound(creature, action);
    }
  }
}

TEST(AnyBody, WalksOnAnyNumberOfLegs) {
  for (const char* words : {"legs:1/plantigrade", "legs:2/sprawling,tail:1", "legs:3/chain", "legs:4/insect",
                            "legs:5/sprawling", "legs:3/unguligrade", "legs:12/insect"}) {
    const Creature creature = make(words);
    expect_sound(creature, Action::kWalk);
    const Performance walk = play(creature, Action::kWalk);
    EXPECT_GT(walk.stride, 0.02) << words;
    ASSERT_EQ(walk.feet.size(), creature.legs.size());
    int steps = 0;
    for (const FootTrack& foot : walk.feet) {
      // Every foot is on the ground for some of the time, and off it for the rest.
      const auto planted = std::count(foot.planted.begin(), foot.planted.end(), true);
      EXPECT_GT(planted, 0) << words;
      steps += planted < static_cast<std::ptrdiff_t>(foot.planted.size()) ? 1 : 0;
    }
    EXPECT_EQ(steps, static_cast<int>(creature.legs.size())) << words;
  }
}

TEST(AnyBody, MovesByWhatItHas) {
  const auto can = [](const Creature& creature, Action action) {
    const std::vector<Action> list = actions(creature);
    return std::find(list.begin(), list.end(), action) != list.end();
  };
  const Creature dragon = make("legs:2,wings:1/membrane,neck:long,tail:1"), ray = make("disc,tail:1"),
                 sack = make("body:4/upright");
  EXPECT_TRUE(can(dragon, Action::kFly) && can(dragon, Action::kGallop) && can(dragon, Action::kRear));
  EXPECT_TRUE(can(ray, Action::kSwim) && !can(ray, Action::kWalk));
  EXPECT_TRUE(can(sack, Action::kHop) && can(sack, Action::kDance) && !can(sack, Action::kSwim));
  expect_sound(dragon, Action::kFly);
  expect_sound(ray, Action::kSwim);
  expect_sound(sack, Action::kHop);
  // A sack told to dance does not stand still.
  const Performance dance = play(sack, Action::kDance);
  double most = 0;
  for (const Vec3& angles : dance.motion.angles) most = std::max<double>(most, norm(angles));
  EXPECT_GT(most, 0.05);
}

TEST(AnyBody, KeepsItsPromisesWhateverItIsMadeOf) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Creature creature = make(random_body(seed), seed);
    const std::vector<Action> can = actions(creature);
    ASSERT_GE(can.size(), 2u) << creature.body;
    for (const std::size_t pick : {seed, 7 * seed + 3}) {
      ActionSettings settings;
      settings.fps = 12, settings.seed = seed;
      apply(manner_words()[seed % manner_words().size()], settings);
      expect_sound(creature, can[pick % can.size()], settings);
    }
  }
}

TEST(AnyBody, LoopsCloseExactly) {
  ActionSettings settings;
  settings.frames = 48, settings.fps = 24, settings.style = 1, settings.seed = 5;
  for (const Plan plan : {Plan::kQuadruped, Plan::kHexapod, Plan::kSnake, Plan::kFish, Plan::kBiped}) {
    const Creature creature = make(plan);
    settings.action = Action::kDance;
    const Performance p = perform(creature, settings).value();
    if (48 % p.cycles != 0 || p.cycles < 2) continue;
    const int cycle = 48 / p.cycles;
    for (int f = 0; f + cycle < 48; ++f) {
      for (std::size_t j = 0; j < creature.subject.rig.joints().size(); ++j) {
        EXPECT_LT(norm(p.motion.frame_angles(f)[j] - p.motion.frame_angles(f + cycle)[j]), 1e-4f);
      }
    }
  }
}

TEST(Footfalls, FollowTheFroudeNumber) {
  const Cadence slow = cadence(0.05, 0.4), fast = cadence(0.5, 0.4), large = cadence(0.05, 1.6);
  EXPECT_GT(slow.duty, fast.duty);
  EXPECT_LT(slow.stride, fast.stride);
  EXPECT_GT(slow.period, fast.period);
  // Twice the period for four times the size: the same motion, seen from farther away.
  EXPECT_NEAR(large.period, 2 * slow.period, 1e-12);
  EXPECT_EQ(large.duty, slow.duty);
  const double speed = slow.stride * 0.4 / slow.period;
  EXPECT_NEAR(speed * speed / (9.81 * 0.4), 0.05, 1e-12);
}

/// Speed over the ground, along the heading.
double speed_of(const Performance& p) {
  return static_cast<double>(p.stride) * p.cycles * p.motion.fps / p.motion.frame_count();
}

double share_planted(const FootTrack& foot) {
  return static_cast<double>(std::count(foot.planted.begin(), foot.planted.end(), true)) /
         static_cast<double>(foot.planted.size());
}

TEST(Manners, HaveWordsThatSetThem) {
  for (const std::string_view word : manner_words()) {
    ActionSettings settings;
    EXPECT_TRUE(apply(word, settings)) << word;
    const ActionSettings plain;
    EXPECT_TRUE(settings.haste != plain.haste || settings.fatigue != plain.fatigue || settings.turning != 0 ||
                settings.limping_leg >= 0 || settings.backward || settings.uphill != 0)
        << word;
  }
  ActionSettings settings;
  EXPECT_FALSE(apply("sideways", settings));
}

TEST(Manners, AreRefusedOutsideTheirRange) {
  const Creature creature = make(Plan::kQuadruped);
  const auto fails = [&](auto change) {
    ActionSettings settings;
    change(settings);
    return !perform(creature, settings).ok();
  };
  EXPECT_FALSE(fails([](ActionSettings&) {}));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.haste = 1.5; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.fatigue = -0.1; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.turning = std::nan(""); }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.limping_leg = 4; }));
  EXPECT_TRUE(fails([](ActionSettings& s) { s.uphill = 1; }));
}

TEST(Manners, SlowIsSlowerAndFastIsFaster) {
  for (const Plan plan : {Plan::kBiped, Plan::kQuadruped, Plan::kHexapod, Plan::kFish, Plan::kSnake, Plan::kBird}) {
    const Creature creature = make(plan);
    const Action action = plan == Plan::kFish ? Action::kSwim : plan == Plan::kSnake ? Action::kSlither : Action::kWalk;
    ActionSettings slow, plain, fast;
    apply("slow", slow), apply("fast", fast);
    for (ActionSettings* s : {&slow, &plain, &fast}) s->fps = 60;
    EXPECT_LT(speed_of(play(creature, action, slow)), 0.75 * speed_of(play(creature, action, plain))) << name(plan);
    EXPECT_GT(speed_of(play(creature, action, fast)), 1.2 * speed_of(play(creature, action, plain))) << name(plan);
    expect_sound(creature, action, slow);
    expect_sound(creature, action, fast);
  }
}

TEST(Manners, TheLimpingLegStandsShorterThanItsPartner) {
  for (const Plan plan : {Plan::kBiped, Plan::kQuadruped, Plan::kTheropod, Plan::kOctopod}) {
    const Creature creature = make(plan);
    for (std::size_t l = 0; l < creature.legs.size(); ++l) {
      ActionSettings settings;
      settings.limping_leg = static_cast<int>(l), settings.fps = 100;
      const Performance p = play(creature, Action::kWalk, settings);
      EXPECT_LT(share_planted(p.feet[l]), 0.75 * share_planted(p.feet[l ^ 1])) << name(plan) << " leg " << l;
    }
    ActionSettings settings;
    apply("limping", settings);
    expect_sound(creature, Action::kWalk, settings);
  }
}

TEST(Manners, TurningChangesTheHeadingToItsSide) {
  for (const auto& [plan, action] : {std::pair{Plan::kQuadruped, Action::kWalk},
                                     {Plan::kBiped, Action::kRun},
                                     {Plan::kHexapod, Action::kWalk},
                                     {Plan::kBird, Action::kFly},
                                     {Plan::kFish, Action::kSwim},
                                     {Plan::kSnake, Action::kSlither}}) {
    const Creature creature = make(plan);
    for (const double turning : {0.4, -0.4}) {
      for (const bool backward : {false, true}) {
        ActionSettings settings;
        settings.turning = turning, settings.backward = backward && action != Action::kFly;
        settings.frames = 60, settings.fps = 30;
        const Performance p = play(creature, action, settings);
        EXPECT_FALSE(p.motion.loops);
        EXPECT_GT(p.turn * turning, 0) << name(plan);
        const double cycle = 60.0 / p.cycles;
        // After whole cycles the pose is the same, turned by so much.
        if (cycle == std::floor(cycle) && p.cycles > 1) {
          const float gained = p.motion.frame_angles(static_cast<int>(cycle))[0].x - p.motion.frame_angles(0)[0].x;
          EXPECT_NEAR(gained, p.turn, 1e-4) << name(plan);
        }
        expect_sound(creature, action, settings);
        settings.in_place = true;
        const Performance still = play(creature, action, settings);
        EXPECT_TRUE(still.motion.loops);
        for (const Vec3& at : still.motion.root_translations) EXPECT_LT(std::hypot(at.x, at.z), 0.25f);
      }
    }
  }
}

TEST(Manners, LongTurnsStayWithinTheLimitsOfTheRoot) {
  const Creature creature = make(Plan::kQuadruped);
  ActionSettings settings;
  settings.turning = 0.8, settings.frames = 300;
  const Performance p = play(creature, Action::kWalk, settings);
  EXPECT_GT(p.turn, 0);
  EXPECT_LT(p.turn * static_cast<float>(p.cycles), 3.2f);
  expect_sound(creature, Action::kWalk, settings);
}

TEST(Manners, BackwardGoesBack) {
  for (const auto& [plan, action] : {std::pair{Plan::kQuadruped, Action::kWalk},
                                     {Plan::kBiped, Action::kWalk},
                                     {Plan::kSnake, Action::kSlither},
                                     {Plan::kOctopod, Action::kCrawl}}) {
    const Creature creature = make(plan);
    ActionSettings settings;
    settings.backward = true, settings.frames = 48;
    const Performance p = play(creature, action, settings);
    EXPECT_LT(p.stride, 0) << name(plan);
    EXPECT_LT(p.motion.root_translations.back().z, p.motion.root_translations.front().z) << name(plan);
    expect_sound(creature, action, settings);
  }
}

TEST(Manners, TiredHeadsHangAndUphillLeans) {
  const Creature creature = make(Plan::kBiped);
  const Poser poser(creature);
  const auto head = [&](const Performance& p) {
    return pose_at(creature, p.motion, 0).world_from_joint[static_cast<std::size_t>(poser.map().head)].translation;
  };
  ActionSettings tired, uphill;
  apply("tired", tired), apply("uphill", uphill);
  const Performance plain = play(creature, Action::kWalk);
  EXPECT_LT(head(play(creature, Action::kWalk, tired)).y, head(plain).y);
  EXPECT_GT(head(play(creature, Action::kWalk, uphill)).z, head(plain).z);
  EXPECT_LT(std::abs(play(creature, Action::kWalk, uphill).stride), plain.stride);
  expect_sound(creature, Action::kWalk, tired);
  expect_sound(creature, Action::kWalk, uphill);
}

}  // namespace
}  // namespace limber::zoo
