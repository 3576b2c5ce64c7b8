// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/gait.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/resample.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::metrics {
namespace {

using zoo::Action;

const zoo::Creature& quadruped() {
  static const zoo::Creature creature = [] {
    zoo::CreatureSettings settings;
    settings.seed = 4, settings.resolution = 32;
    return zoo::make_creature(settings).value();
  }();
  return creature;
}

const std::vector<LimbEnd>& ends() {
  static const std::vector<LimbEnd> result = limb_ends(quadruped().subject);
  return result;
}

zoo::Performance perform(Action action, double noise = 0, std::uint64_t seed = 0, double speed = 1) {
  zoo::ActionSettings settings;
  settings.action = action, settings.frames = 96, settings.fps = 24;
  settings.noise = noise, settings.seed = seed, settings.speed = speed;
  return zoo::perform(quadruped(), settings).value();
}

Gait gait_of(const kinematics::Motion& motion) { return find_gait(quadruped().subject.rig, motion, ends()); }
Gait gait_of(Action action) { return gait_of(perform(action).motion); }

/// Which of the ends is the foot of a leg, -1 if none is.
int foot_of(const zoo::Leg& leg) {
  for (std::size_t i = 0; i < ends().size(); ++i) {
    if (std::find(leg.joints.begin(), leg.joints.end(), ends()[i].joint) != leg.joints.end())
      return static_cast<int>(i);
  }
  return -1;
}

/// When the foot of a leg is where the first leg's is at 0: in cycles, 0 to 1.
double phase_of(const Gait& gait, std::size_t leg) {
  const auto swing = [&](std::size_t l) {
    return gait.limbs[static_cast<std::size_t>(foot_of(quadruped().legs[l]))].swings[0][2];
  };
  const double turns = -std::arg(swing(leg) / swing(0)) / (2 * kPi);
  return turns - std::floor(turns);
}

double apart(double a, double b) { return std::abs(std::remainder(a - b, 1.0)); }

/// A rod along z whose both ends are watched, and which goes, bobs and does not turn.
struct Rod {
  rig::Rig rig;
  std::vector<LimbEnd> watched{{0, {0, 0, 0.5f}}, {0, {0, 0, -0.5f}}};

  Rod() : rig(make()) {}
  static rig::Rig make() {
    rig::RigDraft draft;
    draft.joints.resize(1);
    draft.joints[0].name = "rod";
    return rig::build_rig(std::move(draft)).value();
  }
  kinematics::Motion play(int frames, double fps, double frequency, double height, double speed) const {
    kinematics::Motion motion = kinematics::rest_motion(rig, frames, fps);
    for (int i = 0; i < frames; ++i) {
      const double t = i / fps, wave = std::sin(2 * kPi * frequency * t + 0.7);
      motion.root_translations[static_cast<std::size_t>(i)] = Vec3d{0.1, 1 + height * wave, speed * t}.cast<float>();
    }
    return motion;
  }
};

TEST(Gait, MeasuresFrequencyAmplitudeAndSpeedOfAKnownWave) {
  const Rod rod;
  for (const double frequency : {0.7, 1.1, 2.3}) {
    const Gait gait = find_gait(rod.rig, rod.play(60, 24, frequency, 0.1, 0.8), rod.watched);
    EXPECT_NEAR(gait.frequency, frequency, 0.015 * frequency);
    EXPECT_GT(gait.explained, 0.98);
    EXPECT_NEAR(gait.velocity.z, 0.8, 0.01);
    EXPECT_NEAR(gait.velocity.x, 0, 1e-3);
    EXPECT_NEAR(gait.movement, 0.1 / std::sqrt(2.0), 0.01);
    ASSERT_EQ(gait.limbs.size(), 2u);
    EXPECT_NEAR(gait.limbs[0].amplitude(), 0.1, 0.003);
    EXPECT_NEAR(gait.limbs[0].mean.z, 0.5, 0.01);
    EXPECT_NEAR(gait.limbs[1].mean.z, -0.5, 0.01);
    EXPECT_NEAR(gait.limbs[0].mean.y, 1, 0.01);
  }
}

TEST(Gait, EndsOfAQuadrupedIncludeItsFourFeet) {
  const rig::Rig& rig = quadruped().subject.rig;
  ASSERT_EQ(quadruped().legs.size(), 4u);
  std::vector<int> feet;
  for (const zoo::Leg& leg : quadruped().legs) {
    const int foot = foot_of(leg);
    ASSERT_GE(foot, 0) << leg.name;
    feet.push_back(foot);
    const LimbEnd& end = ends()[static_cast<std::size_t>(foot)];
    const Vec3 point = rig.world_from_rest()[static_cast<std::size_t>(end.joint)] * end.point;
    const Vec3 sole = rig.world_from_rest()[static_cast<std::size_t>(leg.joints.back())] * leg.tip;
    EXPECT_LT(norm(point - sole), 0.12f) << leg.name;
  }
  std::sort(feet.begin(), feet.end());
  EXPECT_EQ(std::adjacent_find(feet.begin(), feet.end()), feet.end()) << "one end for two legs";
  // Head and tail, but not every joint.
  EXPECT_GT(ends().size(), 4u);
  EXPECT_LT(ends().size(), static_cast<std::size_t>(rig.joint_count()) / 2);
}

TEST(Gait, EndsOfASkeletonAloneAreItsLastJoints) {
  rig::Subject bare = quadruped().subject;
  bare.triangles.clear();
  const std::vector<LimbEnd> last = limb_ends(bare);
  ASSERT_GE(last.size(), 5u) << "four feet and a head";
  for (const zoo::Leg& leg : quadruped().legs) {
    const auto is_end = [&](const LimbEnd& end) { return end.joint == leg.joints.back(); };
    EXPECT_TRUE(std::any_of(last.begin(), last.end(), is_end)) << leg.name;
  }
  // The same walk in the same rhythm.
  const kinematics::Motion walk = perform(Action::kWalk).motion;
  EXPECT_NEAR(find_gait(bare.rig, walk, last).frequency, gait_of(walk).frequency, 0.02);
}

TEST(Gait, RecoversTheFootfallsOfTheZoo) {
  struct Expected {
    Action action;
    double fore_left, fore_right, hind_left, hind_right;
  };
  for (const Expected& expected : {Expected{Action::kWalk, 0, 0.5, 0.75, 0.25},
                                   {Action::kTrot, 0, 0.5, 0.5, 0},
                                   {Action::kPace, 0, 0.5, 0, 0.5}}) {
    const zoo::Performance performance = perform(expected.action);
    const Gait gait = gait_of(performance.motion);
    const double seconds = performance.motion.frame_count() / performance.motion.fps;
    EXPECT_NEAR(gait.frequency, performance.cycles / seconds, 0.03 * gait.frequency) << name(expected.action);
    EXPECT_NEAR(gait.velocity.z, double(performance.stride) * performance.cycles / seconds, 0.02)
        << name(expected.action);
    EXPECT_GT(gait.explained, 0.8) << name(expected.action);
    const auto falls_at = [&](const zoo::Leg& leg) {
      return leg.pair == 0 ? (leg.left ? expected.fore_left : expected.fore_right)
                           : (leg.left ? expected.hind_left : expected.hind_right);
    };
    for (std::size_t l = 0; l < 4; ++l) {
      const double phase = falls_at(quadruped().legs[l]) - falls_at(quadruped().legs[0]);
      EXPECT_LT(apart(phase_of(gait, l), phase), 0.06) << name(expected.action) << " " << quadruped().legs[l].name;
    }
  }
}

TEST(Gait, AMotionIsInStepWithItselfLaterAndAtAnotherSpeed) {
  for (const Action action : {Action::kWalk, Action::kTrot, Action::kGallop}) {
    const kinematics::Motion motion = perform(action).motion;
    const Gait gait = gait_of(motion);
    EXPECT_LT(phase_error(gait, gait), 1e-9);
    kinematics::Motion later = motion;
    later.loops = false;
    later.root_translations.erase(later.root_translations.begin(), later.root_translations.begin() + 7);
    later.angles.erase(later.angles.begin(), later.angles.begin() + 7 * later.joint_count);
    EXPECT_LT(phase_error(gait_of(later), gait), 0.02) << name(action);
    kinematics::Motion slower = kinematics::resampled(motion, 31);
    slower.fps = 24;
    EXPECT_LT(phase_error(gait_of(slower), gait), 0.02) << name(action);
    EXPECT_NEAR(gait_of(slower).frequency, gait.frequency * 24 / 31, 0.04 * gait.frequency) << name(action);
  }
}

TEST(Gait, OtherOrdersOfTheFeetAreFarApart) {
  const Gait walk = gait_of(Action::kWalk), trot = gait_of(Action::kTrot), pace = gait_of(Action::kPace);
  EXPECT_GT(phase_error(walk, trot), 0.07);
  EXPECT_GT(phase_error(trot, walk), 0.07);
  EXPECT_GT(phase_error(pace, trot), 0.15);
  EXPECT_GT(phase_error(gait_of(Action::kGallop), trot), 0.1);
  // Hind legs exchanged: half a cycle off against the forelegs.
  Gait mixed = trot;
  std::vector<std::size_t> hind;
  for (const zoo::Leg& leg : quadruped().legs) {
    if (leg.pair > 0) hind.push_back(static_cast<std::size_t>(foot_of(leg)));
  }
  ASSERT_EQ(hind.size(), 2u);
  std::swap(mixed.limbs[hind[0]], mixed.limbs[hind[1]]);
  EXPECT_GT(phase_error(mixed, trot), 0.15);
}

TEST(Gait, OneLimbOutOfStepCountsByItsShareAlone) {
  // Whichever way the others are shifted together: the best common shift is theirs.
  const auto gait_with = [](std::vector<double> phases) {
    Gait gait;
    for (const double phase : phases) {
      LimbSwing limb;
      limb.swings[0][2] = std::polar(0.1, -2 * kPi * phase);
      gait.limbs.push_back(limb);
    }
    return gait;
  };
  const Gait reference = gait_with({0, 0.5, 0.75, 0.25});
  EXPECT_NEAR(phase_error(gait_with({0.1, 0.6, 0.85, 0.35}), reference), 0, 1e-9);
  EXPECT_NEAR(phase_error(gait_with({0.1, 0.6, 0.85, 0.75}), reference), 0.1, 1e-9);
  EXPECT_NEAR(phase_error(gait_with({0.1, 0.6, 0.35, 0.85}), reference), 0.25, 1e-9);
}

TEST(Gait, WhatDoesNotMoveIsAsFarOffAsChance) {
  const Gait trot = gait_of(Action::kTrot);
  const Gait still = gait_of(kinematics::rest_motion(quadruped().subject.rig, 48, 24));
  EXPECT_LT(still.movement, 1e-6);
  EXPECT_DOUBLE_EQ(phase_error(still, trot), 0.25);
  EXPECT_DOUBLE_EQ(phase_error(trot, still), 0.25);
}

TEST(Gait, ClipsTooShortForAWaveCountAsStill) {
  const Gait trot = gait_of(Action::kTrot);
  for (int frames = 0; frames < 4; ++frames) {
    const Gait brief = gait_of(kinematics::rest_motion(quadruped().subject.rig, frames, 24));
    ASSERT_EQ(brief.limbs.size(), trot.limbs.size()) << frames;
    EXPECT_DOUBLE_EQ(phase_error(brief, trot), 0.25) << frames;
  }
}

TEST(Gait, TheNearestOfSeveralReferencesIsTheSameAction) {
  const std::vector<Action> actions{Action::kWalk, Action::kTrot, Action::kPace, Action::kGallop, Action::kBound};
  std::vector<Gait> references;
  for (const Action action : actions) references.push_back(gait_of(action));
  for (std::size_t i = 0; i < actions.size(); ++i) {
    // Another take: noise, a little faster.
    const Gait take = gait_of(perform(actions[i], 0.3, 5, 1.1).motion);
    std::vector<double> distances;
    for (const Gait& reference : references) distances.push_back(gait_distance(take, reference));
    const auto nearest = std::min_element(distances.begin(), distances.end()) - distances.begin();
    EXPECT_EQ(nearest, static_cast<std::ptrdiff_t>(i)) << name(actions[i]);
    EXPECT_LT(gait_distance(references[i], references[i]), 1e-9);
  }
}

}  // namespace
}  // namespace limber::metrics
