// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_like.h"

#include <gtest/gtest.h>

#include "limber/zoo/action.h"

namespace limber::zoo {
namespace {

Creature make(const BodySpec& body, std::uint64_t seed = 3) {
  CreatureSettings settings;
  settings.body = body, settings.seed = seed, settings.resolution = 24;
  return make_creature(settings).value();
}

TEST(BodyLike, HasTheLimbsOfEveryPlan) {
  for (int i = 0; i < kPlanCount; ++i) {
    const auto plan = static_cast<Plan>(i);
    const BodySpec meant = recipe(plan);
    CreatureSettings settings;
    settings.plan = plan, settings.seed = 11, settings.resolution = 24;
    const BodySpec found = body_like(make_creature(settings).value().subject.rig);
    EXPECT_EQ(found.leg_pairs, meant.leg_pairs) << name(plan);
    EXPECT_EQ(found.arm_pairs, meant.arm_pairs) << name(plan);
    EXPECT_EQ(found.wing_pairs, meant.wing_pairs) << name(plan);
    EXPECT_EQ(found.carriage, meant.carriage) << name(plan);
    EXPECT_EQ(found.leg_style, meant.leg_style) << name(plan);
    EXPECT_EQ(found.suppleness, meant.suppleness) << name(plan);
    EXPECT_EQ(found.flipper_pairs > 0, meant.flipper_pairs > 0) << name(plan);
  }
}

TEST(BodyLike, CanDoWhatTheOriginalDoes) {
  for (const char* words : {"legs:2,wings:1,neck:long,tail:1", "body:6/upright,legs:2/hoof/unguligrade,arms:1",
                            "body:2/flat,legs:4,arms:1/pincer,neck:none", "legs:2,heads:3,neck:long,tail:2",
                            "legs:1,wings:1/folded,mouth:beak,tail:1/bushy", "body:20/serpentine,neck:none"}) {
    const Creature creature = make(parse_body(words).value());
    const Creature like = make(body_like(creature.subject.rig), 8);
    const std::vector<Action> theirs = actions(creature), ours = actions(like);
    for (const Action action : theirs) {
      EXPECT_NE(std::find(ours.begin(), ours.end(), action), ours.end()) << words << ": " << name(action);
    }
  }
}

TEST(BodyLike, IsAlwaysABodyThatCanBeMade) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const BodySpec body = random_body(seed);
    const BodySpec like = body_like(make(body, seed).subject.rig);
    CreatureSettings settings;
    settings.body = like, settings.seed = seed, settings.resolution = 24;
    EXPECT_TRUE(make_creature(settings).ok()) << to_text(body) << " -> " << to_text(like);
    // Up to what the grammar's own legs may be.
    EXPECT_EQ(like.leg_pairs, body.leg_pairs) << to_text(body);
    EXPECT_EQ(like.wing_pairs, body.wing_pairs) << to_text(body);
  }
}

TEST(BodyLike, IsUprightWhateverControlsHangOnTheTrunk) {
  CreatureSettings settings;
  settings.plan = Plan::kBiped, settings.seed = 11, settings.resolution = 24;
  const rig::Rig person = make_creature(settings).value().subject.rig;
  rig::RigDraft draft;
  draft.joints.assign(person.joints().begin(), person.joints().end());
  draft.limbs.assign(person.limbs().begin(), person.limbs().end());
  rig::Joint control;  // in front of the body, on its root
  control.name = "control", control.parent = 0, control.rest.translation = {0, -0.2f, 0.9f}, control.role = {0, 1};
  draft.joints.push_back(control);
  EXPECT_EQ(body_like(rig::build_rig(draft).value()).carriage, Carriage::kUpright);
}

TEST(BodyLike, OfARigWithoutLimbsIsABareTrunk) {
  rig::RigDraft draft;
  draft.joints.push_back({"root", -1, {}, {}, {}, {}, -1, {}});
  EXPECT_EQ(body_like(rig::build_rig(draft).value()), BodySpec{});
}

}  // namespace
}  // namespace limber::zoo
