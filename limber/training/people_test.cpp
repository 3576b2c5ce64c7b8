// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/people.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/asset/read.h"
#include "limber/kinematics/forward.h"
#include "limber/retarget/person_testing.h"
#include "limber/testing/shared_data.h"
#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

using retarget::make_person_rig;
using retarget::ToyPerson;
using retarget::walk_of;

TEST(People, FileNamesTellTheSubject) {
  EXPECT_EQ(subject_in_name("cmu_16_01.bvh"), 16);
  EXPECT_EQ(subject_in_name("113_02.bvh"), 113);
  EXPECT_EQ(subject_in_name("walk.bvh"), 0);
  EXPECT_EQ(subject_in_name("16.bvh"), 0);
  EXPECT_EQ(subject_in_name(""), 0);
}

TEST(People, WhoAreTheSameAreKeptOnce) {
  const rig::Rig rig = make_person_rig();
  const auto person = [&](int subject, const rig::Rig& skeleton) {
    return Person{subject, skeleton, {{"a.bvh", "walk", walk_of(rig)}}};
  };
  ToyPerson tall;
  tall.thigh = 0.3f;
  std::vector<Person> people;
  add_person(people, person(3, rig));
  add_person(people, person(3, rig));
  add_person(people, person(4, rig));
  add_person(people, person(3, make_person_rig(tall)));
  ASSERT_EQ(people.size(), 3u);
  EXPECT_EQ(people[0].recordings.size(), 2u);
}

TEST(People, LendEveryActionToWhoMovesLikeThem) {
  const rig::Rig rig = make_person_rig();
  std::vector<Person> people{{1, rig, {{"a.bvh", "walk", walk_of(rig)}, {"b.bvh", "pick_up", walk_of(rig)}}}};
  Character human = toy_character("humanoid/human.glb");
  human.rig = make_person_rig();
  human.clips.clear();
  std::vector<Character> characters{human, toy_character()};
  lend_recordings(characters, people, 4);
  ASSERT_EQ(characters[0].clips.size(), 4u);
  EXPECT_EQ(characters[1].clips.size(), 2u);
  int walks = 0;
  for (const CharacterClip& clip : characters[0].clips) walks += clip.meaning.actions.at(0) == "walk" ? 1 : 0;
  EXPECT_EQ(walks, 2);
}

TEST(People, OfTheSharedDataStartOverTheOriginAndStandOnTheGround) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared data";
  const Result<asset::Asset> asset = asset::read_asset(testing::shared_dir() / "mocap/walk/cmu_02_02.bvh");
  if (!asset.ok()) GTEST_SKIP() << asset.error().message();
  const Person person = make_person(*asset, "mocap/walk/cmu_02_02.bvh", "walk", 2).value();
  const kinematics::Motion& motion = person.recordings.at(0).motion;
  EXPECT_NEAR(motion.frame_count() / motion.fps, 2.4, 0.15);
  const Vec3 first = motion.root_translations.front(), last = motion.root_translations.back();
  EXPECT_LT(std::hypot(first.x, first.z), 1e-4f);
  EXPECT_GT(last.z, 1.0f);
  EXPECT_LT(std::abs(last.x), 0.3f * last.z);
  float lowest = 1e30f, highest = -1e30f;
  for (const Affine& joint : kinematics::joint_matrices(person.rig, motion)) {
    lowest = std::min(lowest, joint.translation.y), highest = std::max(highest, joint.translation.y);
  }
  EXPECT_NEAR(lowest, 0.01f, 0.05f);
  EXPECT_GT(highest, 0.8f);
}

}  // namespace
}  // namespace limber::training
