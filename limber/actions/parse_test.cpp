// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/actions/catalogue.h"

namespace limber::actions {
namespace {

std::string error_of(const std::string& text) {
  const Result<Catalogue> parsed = parse_catalogue(text, "a.json");
  return parsed.ok() ? "" : parsed.error().message();
}
/// Of an entry that has a verb, and `more`.
std::string entry_error(const std::string& more) {
  return error_of(R"({"actions": [{"name": "row", "verbs": [["row", "rows", "rowing"]])" + more + "}]}");
}

TEST(ParseActions, ReadsAllThatAnEntryMayHold) {
  const Catalogue catalogue = parse_catalogue(R"({"rivals": ["row"], "actions": [{
      "name": "row", "verbs": [["row", "rows", "rowing", "rew"], {"forms": ["paddle a boat", "paddles a boat",
      "paddling a boat"], "taught": false, "habitat": "any", "goes": false}], "cyclic": true, "travels": "freely",
      "gait": true, "suggested": true, "habitat": "free", "goes": true, "limbs": {"kind": "arm", "least": 2,
      "called": "two arms"}, "usual": {"movement_heights": [0.1, 0.2], "legged_legs_per_s": [1, 2],
      "legless_sizes_per_s": [3, 4], "clearance_legs": 0.5, "legs_in_air": true},
      "clips": {"order": 7, "words": ["oar", {"word": "scull", "second": "row", "fast": true}], "once": true},
      "recordings": {"words": [{"word": "row_back", "backward": true, "slow": true}]}}]})",
                                              "a.json")
                                  .value();
  const Action& row = catalogue.all().at(0);
  ASSERT_EQ(row.verbs.size(), 2u);
  EXPECT_EQ(row.verbs[0].forms.back(), "rew");
  EXPECT_TRUE(row.verbs[0].taught && row.verbs[0].goes && row.verbs[0].habitat == Habitat::kFree);
  EXPECT_FALSE(row.verbs[1].taught || row.verbs[1].goes || row.verbs[1].habitat);
  EXPECT_TRUE(row.cyclic && row.gait && row.suggested && row.habitat == Habitat::kFree);
  EXPECT_EQ(row.travels, Travels::kFreely);
  EXPECT_EQ(row.limbs.kind, "arm");
  EXPECT_EQ(row.limbs.least, 2);
  EXPECT_EQ(row.limbs.called, "two arms");
  EXPECT_EQ(row.usual.movement->most, 0.2);
  EXPECT_EQ(row.usual.legged_speed->least, 1);
  EXPECT_EQ(row.usual.legless_speed->most, 4);
  EXPECT_EQ(row.usual.clearance, 0.5);
  EXPECT_TRUE(row.usual.legs_in_air && row.clips.once && !row.recordings.once);
  EXPECT_EQ(row.clips.order, 7);
  EXPECT_EQ(row.clips.words.at(1).second, "row");
  EXPECT_TRUE(row.clips.words.at(1).fast);
  ASSERT_EQ(row.recordings.words.size(), 2u);
  EXPECT_EQ(row.recordings.words[0].word, "row");
  EXPECT_TRUE(row.recordings.words[1].backward && row.recordings.words[1].slow);
}

TEST(ParseActions, NeedsLittle) {
  EXPECT_EQ(entry_error(""), "");
  EXPECT_EQ(entry_error(R"(, "recordings": false)"), "");
}

TEST(ParseActions, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("{"), "a.json: is not JSON");
  EXPECT_EQ(error_of("[]"), "a.json#: is not an object");
  EXPECT_EQ(error_of("{}"), "a.json#/actions: needs a list");
  EXPECT_EQ(error_of(R"({"actions": [{"verbs": []}]})"), "a.json#/actions/0/name: needs a text");
  EXPECT_EQ(error_of(R"({"actions": [{"name": "row", "verbs": []}]})"), "a.json#/actions/0/verbs: needs a verb");
  EXPECT_EQ(error_of(R"({"actions": [{"name": "row", "verbs": [["row", "rows"]]}]})"),
            "a.json#/actions/0/verbs/0: needs its forms: \"fly\", \"flies\", \"flying\"");
  EXPECT_EQ(error_of(R"({"actions": [{"name": "row", "verbs": [["row", "rows", 3]]}]})"),
            "a.json#/actions/0/verbs/0: has no word");
  EXPECT_EQ(entry_error(R"(, "cyclik": true)"), "a.json#/actions/0/cyclik: is not known");
  EXPECT_EQ(entry_error(R"(, "cyclic": 1)"), "a.json#/actions/0/cyclic: is neither true nor false");
  EXPECT_EQ(entry_error(R"(, "habitat": "sea")"), "a.json#/actions/0/habitat: is none of ground, crawl, free and any");
  EXPECT_EQ(entry_error(R"(, "travels": "far")"), "a.json#/actions/0/travels: is neither feet nor freely");
  EXPECT_EQ(entry_error(R"(, "limbs": {"kind": "arm", "called": "arms", "least": 0})"),
            "a.json#/actions/0/limbs/least: needs how many, from 1 on");
  EXPECT_EQ(entry_error(R"(, "usual": {"movement_heights": [1]})"),
            "a.json#/actions/0/usual/movement_heights: needs two numbers, the least and the most");
  EXPECT_EQ(entry_error(R"(, "usual": {"clearance_legs": -1})"),
            "a.json#/actions/0/usual/clearance_legs: needs a number");
  EXPECT_EQ(entry_error(R"(, "clips": {"order": 1, "words": [{"second": "row"}]})"),
            "a.json#/actions/0/clips/words/0/word: needs a text");
  EXPECT_EQ(entry_error(R"(, "clips": {"order": 1, "words": [{"word": "oar", "second": "fly"}]})"),
            "a.json: there is no action 'fly'");
  EXPECT_EQ(error_of(R"({"rivals": ["fly"], "actions": []})"), "a.json: there is no action 'fly'");
}

TEST(ParseActions, LetsNoWordStandForTwo) {
  const std::string row = R"({"name": "row", "verbs": [["row", "rows", "rowing"]]})";
  EXPECT_EQ(error_of("{\"actions\": [" + row + "," + row + "]}"), "a.json: there are two actions 'row'");
  EXPECT_EQ(error_of("{\"actions\": [" + row + R"(, {"name": "sail", "verbs": [["row", "sails", "sailing"]]}]})"),
            "a.json: 'row' stands for 'row' and 'sail'");
}

}  // namespace
}  // namespace limber::actions
