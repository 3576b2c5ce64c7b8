// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/credits.h"

#include <gtest/gtest.h>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::training {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPage =
    "# Characters\n\n- not/owed.glb: a list elsewhere\n\n## Attribution owed (CC BY 4.0)\n\n"
    "- bird/duck.glb: \"Duck\" by somebody\n- bird/swan.glb: \"Swan\" by another\n\n## More\n- bird/duck.glb: no\n";

TEST(Credits, AreTheItemsUnderAttribution) {
  const std::vector<Credit> credits = read_credits(kPage);
  ASSERT_EQ(credits.size(), 2u);
  EXPECT_EQ(credits[0].file, "bird/duck.glb");
  EXPECT_EQ(credits[1].line, "bird/swan.glb: \"Swan\" by another");
  const std::vector<Credit> sentence = read_credits("Words. Credit to copy into cards: \"Thanks to A. And B.\"\n");
  ASSERT_EQ(sentence.size(), 1u);
  EXPECT_EQ(sentence[0].line, "Thanks to A. And B.");
}

TEST(Credits, AreOwedForFilesThatAreUsed) {
  const testing::TemporaryFolder folder;
  fs::create_directories(folder.path() / "set" / "bird");
  fs::create_directories(folder.path() / "people" / "walk");
  ASSERT_TRUE(write_file(folder.path() / "set" / "set.md", kPage).ok());
  ASSERT_TRUE(write_file(folder.path() / "people" / "README.md", "Credit to copy into cards: \"Thanks.\"").ok());
  const auto owed = [&](std::vector<fs::path> files) {
    for (fs::path& file : files) file = folder.path() / file;
    return credits_for(files, folder.path()).value();
  };
  EXPECT_TRUE(owed({"set/bird/hen.glb"}).empty());
  EXPECT_EQ(owed({"set/bird/swan.glb"}), (std::vector<std::string>{"bird/swan.glb: \"Swan\" by another"}));
  EXPECT_EQ(owed({"people/walk/a.bvh", "people/walk/b.bvh"}), (std::vector<std::string>{"Thanks."}));
}

TEST(Credits, StandAtTheEndOfACardOnce) {
  const std::string card = card_with_credits("# model\n\nText.\n", {"a", "b"});
  EXPECT_EQ(card, "# model\n\nText.\n\n## Credits\n- a\n- b\n");
  EXPECT_EQ(card_with_credits(card, {"c"}), "# model\n\nText.\n\n## Credits\n- c\n");
  EXPECT_EQ(card_with_credits("# model\n\n## Credits\n- a\n\n## Use\nSo.\n", {"b"}),
            "# model\n\n## Use\nSo.\n\n## Credits\n- b\n");
  EXPECT_EQ(joined_credits({"b", "a"}, {"b", "c"}), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace limber::training
