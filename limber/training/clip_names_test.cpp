// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/clip_names.h"

#include <gtest/gtest.h>

namespace limber::training {
namespace {

std::string first_action(std::string_view name, zoo::Plan plan = zoo::Plan::kBiped) {
  const ClipMeaning meaning = clip_meaning(name, plan);
  return meaning.actions.empty() ? "" : meaning.actions.front();
}

TEST(ClipNames, AreSplitIntoWords) {
  EXPECT_EQ(name_words("Run_swordAttack"), (std::vector<std::string>{"run", "sword", "attack"}));
  EXPECT_EQ(name_words("  T-Pose.001 "), (std::vector<std::string>{"t", "pose"}));
  EXPECT_TRUE(name_words("").empty());
}

TEST(ClipNames, MeanTaughtActions) {
  EXPECT_EQ(first_action("AnimalArmature|Walk"), "walk");
  EXPECT_EQ(first_action("HumanArmature|Walking"), "walk");
  EXPECT_EQ(first_action("Idle_HitReact_Left"), "get-hit");
  EXPECT_EQ(first_action("Idle_2_HeadLow"), "idle");
  EXPECT_EQ(first_action("Armature|TRex_Run"), "run");
  EXPECT_EQ(first_action("Swimming_Fast"), "swim");
  EXPECT_EQ(first_action("Yes"), "nod");
  EXPECT_EQ(first_action("No"), "shake-head");
  EXPECT_EQ(first_action("Crouch_Fwd_Loop"), "sneak");
  EXPECT_EQ(first_action("Crouch_Idle_Loop"), "crouch");
  EXPECT_EQ(first_action("Jump_toIdle"), "jump");
  EXPECT_EQ(first_action("Snake_Walk", zoo::Plan::kSnake), "slither");
  const ClipMeaning butt = clip_meaning("Attack_Headbutt", zoo::Plan::kQuadruped);
  EXPECT_EQ(butt.actions, (std::vector<std::string>{"headbutt", "attack"}));
  for (const char* name : {"Walk",
                           "Gallop",
                           "Death",
                           "Punch_Left",
                           "SwordSlash",
                           "Gun_Shoot",
                           "Dance",
                           "Pickup",
                           "Wave",
                           "Eating",
                           "Roll",
                           "Kick",
                           "Sit",
                           "Bark",
                           "Howl",
                           "Interact",
                           "Push_Loop",
                           "Spell_Simple_Shoot",
                           "Fixing_Kneeling",
                           "Idle_Talking_Loop"}) {
    EXPECT_TRUE(is_taught(first_action(name))) << name;
  }
}

TEST(ClipNames, OfMixturesAndPartsAndPosesMeanNothing) {
  for (const char* name :
       {"Run_Shoot", "Run_swordAttack", "swordAttackJump", "T-Pose", "Rest Pose", "Jump_Land", "Pistol_Aim_Up",
        "Spell_Simple_Enter", "Sitting_Talking_Loop", "Driving_Loop", "", "mixamo.com"}) {
    EXPECT_EQ(first_action(name), "") << name;
  }
}

TEST(ClipNames, TellWhichWayItGoes) {
  EXPECT_EQ(clip_meaning("Run_Back", zoo::Plan::kBiped).heading, Heading::kBackward);
  EXPECT_EQ(clip_meaning("Run_Left", zoo::Plan::kBiped).heading, Heading::kLeft);
  EXPECT_EQ(clip_meaning("Run_swordRight", zoo::Plan::kBiped).heading, Heading::kForward);
  EXPECT_EQ(clip_meaning("Punch_Left", zoo::Plan::kBiped).heading, Heading::kForward);
  EXPECT_TRUE(clip_meaning("Sprint", zoo::Plan::kBiped).fast);
}

TEST(ClipNames, FilesTellPlanAndNoun) {
  EXPECT_EQ(body_meaning("corpus/animals/horse_white.glb").plan, zoo::Plan::kQuadruped);
  EXPECT_EQ(body_meaning("corpus/animals/horse_white.glb").noun, "horse");
  EXPECT_EQ(body_meaning("corpus/cute_fish/koi.glb").plan, zoo::Plan::kFish);
  EXPECT_EQ(body_meaning("assets/humanoid/knight_x.glb").plan, zoo::Plan::kBiped);
  EXPECT_EQ(body_meaning("snake.glb").plan, zoo::Plan::kSnake);
  EXPECT_EQ(body_meaning("corpus2/bird/cube_chicken.glb").noun, "chicken");
  EXPECT_EQ(body_meaning("corpus2/flyer/fly_dragon_evolved.glb").noun, "dragon");
  EXPECT_EQ(body_meaning("corpus2/quadruped/cat_tuxedo_dreamnoms/scene.gltf").noun, "cat");
  EXPECT_EQ(body_meaning("corpus2/multileg/cute_crab.glb").plan, zoo::Plan::kOctopod);
  EXPECT_EQ(body_meaning("corpus2/sea/blue_whale_lvov/scene.gltf").plan, zoo::Plan::kFish);
}

TEST(ClipNames, WordsOfAnIndexMeanTaughtActions) {
  EXPECT_EQ(recording_meaning("walk").actions.front(), "walk");
  EXPECT_EQ(recording_meaning("walk_backward").actions.front(), "walk");
  EXPECT_EQ(recording_meaning("walk_backward").heading, Heading::kBackward);
  EXPECT_TRUE(recording_meaning("walk_slow").slow);
  EXPECT_EQ(recording_meaning("pick_up").actions.front(), "pick-up");
  EXPECT_TRUE(recording_meaning("pick_up").once);
  EXPECT_EQ(recording_meaning("lie_down").actions.front(), "lie-down");
  EXPECT_EQ(recording_meaning("stand_up").actions.front(), "stand-up");
  EXPECT_EQ(recording_meaning("flip").actions.front(), "somersault");
  EXPECT_EQ(recording_meaning("march").actions.front(), "march");
  // People who stand do not swim.
  EXPECT_TRUE(recording_meaning("swim").actions.empty());
  EXPECT_TRUE(recording_meaning("frobnicate").actions.empty());
}

}  // namespace
}  // namespace limber::training
