// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/action_counts.h"

#include <gtest/gtest.h>

#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

CharacterClip clip_of(const std::string& name, const std::string& action) {
  CharacterClip clip = toy_character().clips.front();
  clip.name = name, clip.meaning.actions = {action};
  return clip;
}

TEST(ActionCounts, CountAClipOnOneSkeletonOnce) {
  std::vector<Character> cast(4, toy_character());
  EXPECT_EQ(count_clips(cast).at("walk"), 1);
  cast[1].clips.push_back(clip_of("Walk_2", "walk"));
  cast[2].clips.push_back(clip_of("mocap/walk/cmu_02_02.bvh", "walk"));
  cast[3].clips.push_back(clip_of("mocap/walk/cmu_02_02.bvh", "walk"));
  EXPECT_EQ(count_clips(cast).at("walk"), 3);
}

TEST(ActionCounts, LeaveRareActionsOutButNotThoseOfTheZoo) {
  std::vector<Character> cast{toy_character()};
  cast[0].clips.push_back(clip_of("Bark", "bark"));
  for (const char* name : {"Kick", "Kick_2", "Kick_3"}) cast[0].clips.push_back(clip_of(name, "kick"));
  drop_rare_actions(cast);
  const std::map<std::string, int> left = count_clips(cast);
  EXPECT_EQ(left.count("bark"), 0u);
  EXPECT_EQ(left.at("kick"), 3);
  EXPECT_EQ(left.at("walk"), 1) << "the zoo walks in a thousand other manners";
}

}  // namespace
}  // namespace limber::training
