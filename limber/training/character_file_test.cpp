// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character_file.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/testing/shared_data.h"
#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

Bytes toy_file() { return write_characters(std::vector<Character>{toy_character(), toy_character("fish/b.glb")}); }

TEST(CharacterFile, GivesBackWhatWasWritten) {
  const Character toy = toy_character();
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "characters.bin";
  ASSERT_TRUE(write_characters(std::vector<Character>{toy}, path).ok());
  const std::vector<Character> read = read_characters(path).value();
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].name, toy.name);
  EXPECT_EQ(read[0].body.noun, toy.body.noun);
  EXPECT_EQ(read[0].rig.find("foot"), 1);
  EXPECT_EQ(read[0].surfaces[0].means, toy.surfaces[0].means);
  EXPECT_EQ(read[0].surfaces[0].bones, toy.surfaces[0].bones);
  for (std::size_t i = 0; i < toy.surfaces[0].size(); ++i) {
    EXPECT_LT(norm(read[0].surfaces[0].scales[i] - toy.surfaces[0].scales[i]), 1e-5f);
    EXPECT_NEAR(read[0].surfaces[0].opacities[i], toy.surfaces[0].opacities[i], 1e-4f);
    EXPECT_LT(norm(read[0].surfaces[0].harmonics[i] - toy.surfaces[0].harmonics[i]), 1e-3f);
  }
  ASSERT_EQ(read[0].clips.size(), 2u);
  EXPECT_EQ(read[0].clips[1].meaning.actions, toy.clips[1].meaning.actions);
  EXPECT_TRUE(read[0].clips[1].meaning.once);
  EXPECT_EQ(read[0].clips[0].motion.angles, toy.clips[0].motion.angles);
  EXPECT_EQ(read[0].clips[0].motion.overrides[0].translations, toy.clips[0].motion.overrides[0].translations);
  EXPECT_EQ(read[0].clips[0].ground_velocity, toy.clips[0].ground_velocity);
}

TEST(CharacterFile, CutAnywhereIsAnErrorThatTellsTheByte) {
  const Bytes bytes = toy_file();
  for (std::size_t length = 0; length < bytes.size(); length += length < 2000 ? 1 : 97) {
    const auto read = read_characters(std::span(bytes).first(length), "cut.bin");
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().where.rfind("cut.bin", 0), 0u) << read.error().message();
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(read_characters(longer, "long.bin").ok());
}

TEST(CharacterFile, ChangedBytesDoNoHarm) {
  const Bytes bytes = toy_file();
  Rng rng(5);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes changed = bytes;
    for (std::uint32_t k = 0; k <= rng.below(3); ++k) {
      changed[rng.below(static_cast<std::uint32_t>(bytes.size()))] = static_cast<std::byte>(rng.below(256));
    }
    refused += read_characters(changed, "changed.bin").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 50);
}

TEST(CharacterFile, OtherFilesAreRefused) {
  EXPECT_FALSE(read_characters(as_bytes("glTF and so on and so on and so on"), "x").ok());
  EXPECT_FALSE(read_characters(Bytes{}, "x").ok());
}

}  // namespace
}  // namespace limber::training
