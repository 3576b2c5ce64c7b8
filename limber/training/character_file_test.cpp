// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character_file.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/testing/shared_data.h"
#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

TrainingSet toy_set() {
  TrainingSet set;
  set.characters = {toy_character(), toy_character("fish/b.glb")};
  set.people = {{7, set.characters[0].rig, {{"walk/a.bvh", "walk", set.characters[0].clips[0].motion}}}};
  set.credits = {"a line", "another"};
  return set;
}
Bytes toy_file() { return write_training_set(toy_set()); }

TEST(CharacterFile, GivesBackWhatWasWritten) {
  const TrainingSet set = toy_set();
  const TrainingSet read = read_training_set(toy_file(), "toys").value();
  ASSERT_EQ(read.characters.size(), 2u);
  const Character &toy = set.characters[0], &same = read.characters[0];
  EXPECT_EQ(same.name, toy.name);
  EXPECT_EQ(same.body.noun, toy.body.noun);
  EXPECT_EQ(same.rig.find("foot"), 1);
  EXPECT_EQ(same.rig.joints()[1].rest, toy.rig.joints()[1].rest);
  EXPECT_EQ(same.mesh.triangles, toy.mesh.triangles);
  EXPECT_EQ(same.mesh.weights.bones, toy.mesh.weights.bones);
  for (std::size_t i = 0; i < toy.mesh.points.size(); ++i) {
    EXPECT_LT(norm(same.mesh.points[i] - toy.mesh.points[i]), 2e-5f);
  }
  ASSERT_EQ(same.surfaces.size(), toy.surfaces.size());
  EXPECT_GT(same.surfaces[0].size(), 100u);
  ASSERT_EQ(same.clips.size(), 2u);
  EXPECT_EQ(same.clips[1].meaning.actions, toy.clips[1].meaning.actions);
  EXPECT_TRUE(same.clips[1].meaning.once);
  EXPECT_EQ(same.clips[0].ground_velocity, toy.clips[0].ground_velocity);
  EXPECT_EQ(read.credits, set.credits);
  ASSERT_EQ(read.people.size(), 1u);
  EXPECT_EQ(read.people[0].subject, 7);
  EXPECT_EQ(read.people[0].recordings[0].action, "walk");
}

TEST(CharacterFile, RoundsCurvesToATenThousandthOfTheirRange) {
  const CharacterClip walk = toy_set().characters[0].clips[0];
  const TrainingSet read = read_training_set(toy_file(), "toys").value();
  const kinematics::Motion& motion = read.characters[0].clips[0].motion;
  ASSERT_EQ(motion.frame_count(), walk.motion.frame_count());
  EXPECT_TRUE(motion.loops);
  ASSERT_EQ(motion.overrides.size(), 1u);
  for (std::size_t f = 0; f < walk.motion.overrides[0].translations.size(); ++f) {
    EXPECT_LT(norm(motion.overrides[0].translations[f] - walk.motion.overrides[0].translations[f]), 1e-5f);
  }
  const CharacterClip death = toy_set().characters[0].clips[1];
  for (std::size_t i = 0; i < death.motion.angles.size(); ++i) {
    EXPECT_LT(norm(read.characters[0].clips[1].motion.angles[i] - death.motion.angles[i]), 2e-5f);
  }
}

TEST(CharacterFile, StillCurvesTakeNoRoom) {
  TrainingSet set = toy_set();
  const std::size_t before = write_training_set(set).size();
  set.characters[0].clips.push_back(set.characters[0].clips[0]);
  set.characters[0].clips.back().motion = kinematics::rest_motion(set.characters[0].rig, 5000, 24);
  EXPECT_LT(write_training_set(set).size(), before + 100);
}

TEST(CharacterFile, LendsRecordingsToNobodyWhoDoesNotMoveLikePeople) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "characters.bin";
  ASSERT_TRUE(write_file(path, toy_file()).ok());
  EXPECT_EQ(read_characters(path)->at(0).clips.size(), 2u);
}

TEST(CharacterFile, CutAnywhereIsAnErrorThatTellsTheByte) {
  const Bytes bytes = toy_file();
  for (std::size_t length = 0; length < bytes.size(); length += length < 400 ? 3 : 97) {
    const auto read = read_training_set(std::span(bytes).first(length), "cut.bin");
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().where.rfind("cut.bin", 0), 0u) << read.error().message();
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(read_training_set(longer, "long.bin").ok());
}

TEST(CharacterFile, ChangedBytesDoNoHarm) {
  const Bytes bytes = toy_file();
  Rng rng(5);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    Bytes changed = bytes;
    for (std::uint32_t k = 0; k <= rng.below(3); ++k) {
      changed[rng.below(static_cast<std::uint32_t>(bytes.size()))] = static_cast<std::byte>(rng.below(256));
    }
    refused += read_training_set(changed, "changed.bin").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 20);
}

TEST(CharacterFile, OtherFilesAreRefused) {
  EXPECT_FALSE(read_training_set(as_bytes("glTF and so on and so on and so on"), "x").ok());
  EXPECT_FALSE(read_training_set(Bytes{}, "x").ok());
}

}  // namespace
}  // namespace limber::training
