// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "limber/asset/read.h"
#include "limber/testing/toy_assets.h"

namespace limber::mend {
namespace {

const Checked& find(const ClipScore& clip, Check check) {
  return *std::find_if(clip.checks.begin(), clip.checks.end(), [&](const Checked& c) { return c.check == check; });
}

TEST(Score, SaysWhatIsMissing) {
  asset::Asset still = testing::tube_asset(3);
  still.clips.clear();
  const auto no_clip = score_asset(still);
  ASSERT_FALSE(no_clip.ok());
  EXPECT_NE(no_clip.error().what.find("no clip"), std::string::npos);
  asset::Asset bare;
  testing::add_node(bare, -1, "nothing");
  EXPECT_FALSE(score_asset(bare).ok());
}

TEST(Score, AsksOfNamesWhatTheyPromise) {
  asset::Asset tube = testing::tube_asset(4);
  tube.clips[0].name = "walk";
  EXPECT_TRUE(find(score_asset(tube).value().clips[0], Check::kLoop).passed.has_value());
  tube.clips[0].name = "Attack_01";
  EXPECT_FALSE(find(score_asset(tube).value().clips[0], Check::kLoop).passed.has_value());
  // What nobody named and closes is meant to.
  tube.clips[0].name = "Take 001";
  EXPECT_EQ(find(score_asset(tube).value().clips[0], Check::kLoop).passed, true);
}

TEST(Score, BelievesWhatLimberWroteDownOfItsOwnClips) {
  asset::Asset tube = testing::tube_asset(4);
  tube.clips[0].name = "a fox walks";
  const auto asked = [&](const std::string& extras) {
    tube.clips[0].extras = extras;
    return find(score_asset(tube).value().clips[0], Check::kLoop).passed.has_value();
  };
  EXPECT_FALSE(asked(R"({"limber": {"loop": false}})"));
  EXPECT_TRUE(asked(R"({"limber": {"loop": true}})"));
  // Anything else says nothing, however it is written.
  for (const std::string odd :
       {"", "{", "[]", R"({"limber": 3})", R"({"limber": {"loop": "false"}})", R"({"loop": false})"}) {
    EXPECT_TRUE(asked(odd)) << odd;
  }
  EXPECT_TRUE(asked(std::string(100000, '[')));
}

TEST(Score, HearsActionsInNames) {
  asset::Asset tube = testing::tube_asset(4);
  // So far open that nobody can have meant it to close.
  for (asset::Channel& channel : tube.clips[0].channels) {
    if (channel.path != asset::Path::kRotation || channel.values.size() < 8) continue;
    const float half = 0.70710678f, last[]{0, 0, half, half};
    std::copy(std::begin(last), std::end(last), channel.values.end() - 4);
  }
  const auto asked = [&](const std::string& name) {
    tube.clips[0].name = name;
    return find(score_asset(tube).value().clips[0], Check::kLoop).passed.has_value();
  };
  EXPECT_FALSE(asked("Take 001"));
  for (const char* name :
       {"idle",    "walk",    "run",     "ran",        "trot",      "gallop",      "canter",   "pace",
        "jog",     "sneak",   "march",   "swim",       "crawl",     "fly",         "flap",     "glide",
        "hover",   "slither", "stroll",  "loop",       "cycle",     "creep",       "strut",    "amble",
        "breathe", "prowl",   "walking", "Fox_Walked", "WalkCycle", "Crouch_Walk", "Idle_Bow", "IdleLookAround",
        "sprint",  "waddle"}) {
    EXPECT_TRUE(asked(name)) << name;
  }
  for (const char* name :
       {"attack", "die",     "death",     "dead",      "jump",      "hit",      "punch", "kick",  "bite",
        "shoot",  "sit",     "lie",       "turn",      "fall",      "roll",     "pick",  "dodge", "throw",
        "wave",   "react",   "spawn",     "land",      "start",     "stop",     "end",   "leap",  "stun",
        "slash",  "stab",    "headbutt",  "recoil",    "block",     "interact", "yes",   "no",    "get",
        "jumped", "StandUp", "Walk_Turn", "Run_Shoot", "walk_stop", "GetHit"}) {
    EXPECT_FALSE(asked(name)) << name;
  }
}

TEST(Score, TellsThatASkeletonAloneHasNoFloor) {
  const std::string text =
      "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
      "JOINT leg\n{\nOFFSET 0 -50 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -40 0\n}\n}\n}\n"
      "MOTION\nFrames: 5\nFrame Time: 0.05\n"
      "0 90 0 0 0 0 0 0 0\n0 90 0 0 0 0 0 20 0\n0 90 0 0 0 0 0 40 0\n0 90 0 0 0 0 0 20 0\n0 90 0 0 0 0 0 0 0\n";
  const asset::Asset walk = asset::read_bvh(std::as_bytes(std::span(text)), "walk.bvh").value();
  const AssetScore score = score_asset(walk).value();
  EXPECT_EQ(score.points, 0u);
  ASSERT_EQ(score.clips.size(), 1u);
  EXPECT_FALSE(find(score.clips[0], Check::kFloor).passed);
  EXPECT_FALSE(find(score.clips[0], Check::kFloor).words.empty());
  EXPECT_TRUE(find(score.clips[0], Check::kLoop).passed.has_value());
  EXPECT_TRUE(find(score.clips[0], Check::kFlips).passed.value());
}

TEST(Score, SurvivesOddClips) {
  asset::Asset tube = testing::tube_asset(3);
  asset::Clip empty;
  empty.name = "empty";
  asset::Clip pose = tube.clips[0];
  pose.name = "idle pose";
  for (asset::Channel& channel : pose.channels) channel.times.resize(1), channel.values.resize(4);
  asset::Clip endless = tube.clips[0];
  endless.name = "endless";
  for (asset::Channel& channel : endless.channels) channel.times.back() = 1e9f;
  asset::Clip far = tube.clips[0];
  far.name = "far";
  asset::Channel away{1, asset::Path::kTranslation, asset::Interpolation::kLinear, {0, 1}, {0, 0, 0, 1e30f, 0, 0}};
  far.channels.push_back(away);
  tube.clips.insert(tube.clips.end(), {empty, pose, endless, far});
  const AssetScore score = score_asset(tube).value();
  ASSERT_EQ(score.clips.size(), 5u);
  EXPECT_TRUE(score.clips[1].unplayable.empty());
  EXPECT_EQ(score.clips[2].frames, 1);
  EXPECT_NE(score.clips[3].unplayable.find("too long"), std::string::npos);
}

}  // namespace
}  // namespace limber::mend
