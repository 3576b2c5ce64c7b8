// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/name_words.h"

#include <gtest/gtest.h>

#include "limber/base/habitat.h"

namespace limber {
namespace {

using Words = std::vector<std::string>;

TEST(NameWords, AreSplitAtCapitalsAndAtWhatIsNoLetter) {
  EXPECT_EQ(name_words("b_LeftForeArm_010"), (Words{"b", "left", "fore", "arm"}));
  EXPECT_EQ(name_words("Armature|Bird_Fly_01"), (Words{"armature", "bird", "fly"}));
  EXPECT_EQ(name_words("FBXWalk"), (Words{"fbx", "walk"}));
  EXPECT_EQ(name_words("(A BIRD flies!)"), (Words{"a", "bird", "flies"}));
  EXPECT_EQ(name_words("01.2"), Words{});
}

TEST(Habitat, HasANameForEach) {
  for (const Habitat habitat : {Habitat::kGround, Habitat::kCrawl, Habitat::kFree}) {
    EXPECT_EQ(habitat_named(name(habitat)), habitat);
  }
  EXPECT_EQ(name(Habitat::kFree), "free");
  EXPECT_EQ(habitat_named("water"), std::nullopt);
}

}  // namespace
}  // namespace limber
