// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/describe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "limber/zoo/features.h"
#include "limber/zoo/nouns.h"

namespace limber::zoo {
namespace {

Described said(std::string_view words) {
  Result<Described> described = describe_body(words);
  EXPECT_TRUE(described.ok()) << words << ": " << (described.ok() ? "" : described.error().message());
  return described.ok() ? std::move(*described) : Described();
}

std::string refused(std::string_view words) {
  const Result<Described> described = describe_body(words);
  return described.ok() ? "taken as " + described->noun : described.error().what;
}

TEST(DescribeBody, KnowsTwoHundredBodiesThatTheGrammarHas) {
  EXPECT_GE(built_in_nouns().all.size(), 200u);
  for (const Noun& noun : built_in_nouns().all) {
    // Names that are words of the reader would never be found.
    for (const std::string& name : noun.names) {
      const Described described = said("a " + name);
      EXPECT_EQ(described.noun, noun.names.front()) << name;
      EXPECT_TRUE(described.unknown.empty()) << name;
      EXPECT_EQ(to_text(described.body), to_text(noun.body)) << name;
    }
  }
}

TEST(DescribeBody, TakesColoursSizesAndPatterns) {
  const Described plain = said("a dragon"), small = said("a small red dragon"), dog = said("a fat blue dog");
  EXPECT_LT(small.metres, plain.metres);
  EXPECT_GT(said("a huge dragon").metres, plain.metres);
  EXPECT_GT(dog.look.girth, said("dog").look.girth);
  EXPECT_LT(said("a thin dog").look.girth, said("dog").look.girth);
  EXPECT_GT(said("a long snake").look.length, said("snake").look.length);
  EXPECT_GT(dog.look.colors->back.z, 3 * dog.look.colors->back.x);
  const Described striped = said("a white dog with black stripes");
  EXPECT_EQ(striped.look.colors->pattern, CoatPattern::kStripes);
  EXPECT_LT(norm(striped.look.colors->accent), 0.1);
  EXPECT_GT(norm(striped.look.colors->back), 1);
  EXPECT_EQ(said("a tiger without stripes").look.colors->pattern, CoatPattern::kPlain);
  const Described two = said("a black and white cow");
  EXPECT_LT(norm(two.look.colors->back), 0.1);
  EXPECT_GT(norm(two.look.colors->accent), 1);
  EXPECT_LT(norm(said("a dark green frog").look.colors->back), norm(said("a green frog").look.colors->back));
}

TEST(DescribeBody, IsOfSomeSizeHoweverOftenOneIsSaid) {
  const auto often = [](const std::string& word) {
    std::string words;
    for (int i = 0; i < 150; ++i) words += word + " ";
    return said(words + "dog");
  };
  const Described dog = said("dog");
  EXPECT_NEAR(often("tiny").metres, dog.metres / 50, 1e-9);
  EXPECT_NEAR(often("huge").metres, dog.metres * 50, 1e-9);
  EXPECT_EQ(often("long").look.length, 4);
  EXPECT_EQ(often("thin").look.girth, 0.25);
}

TEST(DescribeBody, KeepsWhatIsSaidOfUnknownThingsFromTheBody) {
  const Described cat = said("a white cat"), eyed = said("a white cat with big green eyes");
  EXPECT_EQ(eyed.look.colors->back.x, cat.look.colors->back.x);
  EXPECT_EQ(eyed.metres, cat.metres);
  EXPECT_EQ(eyed.unknown, std::vector<std::string>{"green eyes"});
  EXPECT_EQ(to_text(said("a dragon with three eyes and wings").body), to_text(said("a dragon with wings").body));
  EXPECT_EQ(to_text(said("a spider with two eyes and legs").body), to_text(said("a spider").body));
  // Of the body itself it still holds, behind the noun, too.
  EXPECT_GT(said("a cat with spots, huge").metres, cat.metres);
}

TEST(DescribeBody, RefusesNumbersThatNothingHas) {
  EXPECT_NE(refused("a dog with 1500000000 pairs of legs"), "");
  std::string pairs = "a dog with two";
  for (int i = 0; i < 40; ++i) pairs += " pairs";
  EXPECT_NE(refused(pairs + " of legs"), "");
}

TEST(DescribeBody, GivesAndTakesAwayLimbs) {
  EXPECT_EQ(said("a three-headed dragon").body.heads, 3);
  EXPECT_EQ(said("a dragon with a long tail").body.tail_length, Length::kLong);
  EXPECT_EQ(said("a dog with a short bushy tail").body.tail_style, TailStyle::kBushy);
  EXPECT_EQ(said("a dog with six legs").body.leg_pairs, 3);
  EXPECT_EQ(said("a dog with six legs").body.leg_style, LegStyle::kDigitigrade);
  EXPECT_EQ(said("a six-legged dog").body, said("a dog with three pairs of legs").body);
  EXPECT_EQ(said("a horse with wings").body.wing_pairs, 1);
  EXPECT_EQ(said("a horse with leathery wings").body.wing_style, WingStyle::kMembrane);
  EXPECT_EQ(said("a dragon without wings").body.wing_pairs, 0);
  const Described bare = said("a dragon without wings and horns, with antlers");
  EXPECT_EQ(bare.body.wing_pairs + bare.body.horn_pairs, 0);
  EXPECT_TRUE(bare.body.antlers);
  EXPECT_EQ(said("a dog with no tail and long ears").body.tails, 0);
  EXPECT_EQ(said("a dog with no tail and long ears").body.ears, Ears::kLong);
  EXPECT_EQ(said("a wingless dragon").body.wing_pairs, 0);
  EXPECT_EQ(said("a long-necked cat").body.neck, NeckLength::kLong);
  EXPECT_TRUE(said("a horse with a horn").body.nose_horn);
  EXPECT_EQ(said("a horse with two horns").body.horn_pairs, 1);
  EXPECT_TRUE(said("a snake with legs").body.leg_pairs == 1);
  EXPECT_EQ(said("a man with four arms").body.arm_pairs, 2);
  EXPECT_TRUE(said("a cat with a sword").body.props.sword);
  EXPECT_EQ(said("a cat with a sword").body.arm_pairs, 1) << "something holds it";
}

TEST(DescribeBody, FindsTheNounAmongWords) {
  EXPECT_EQ(said("a polar bear").noun, "polar bear");
  EXPECT_EQ(said("a robot dog").noun, "robot dog");
  EXPECT_EQ(said("two-legged wolves that have horns, or a wolf").noun, "wolf");
  EXPECT_EQ(said("a baby dragon").noun, "dragon");
  EXPECT_LT(said("a baby dragon").metres, said("a dragon").metres);
  EXPECT_EQ(said("a fluffy dog with glasses").unknown, (std::vector<std::string>{"fluffy", "glasses"}));
}

TEST(DescribeBody, SaysWhatIsNotKnownAndWhatIsNear) {
  EXPECT_NE(refused("a dragn").find("dragon"), std::string::npos) << refused("a dragn");
  EXPECT_NE(refused("a big elefant with wings").find("elephant"), std::string::npos);
  EXPECT_NE(refused("a red one with wings").find("no body"), std::string::npos) << refused("a red one with wings");
  EXPECT_NE(refused("").find("no body"), std::string::npos);
  EXPECT_NE(refused("a dog with three legs").find("pairs"), std::string::npos);
  EXPECT_NE(refused("a dog with five heads").find("3 heads at most"), std::string::npos);
  EXPECT_NE(refused("three dogs").find("one body"), std::string::npos);
  EXPECT_NE(refused("a dog with fifty legs").find("40 legs at most"), std::string::npos)
      << refused("a dog with fifty legs");
  EXPECT_NE(refused(std::string(2000, 'a')).find("longer"), std::string::npos);
}

TEST(DescribeBody, MakesABodyOfItsSize) {
  const Described described = said("a small blue dog with wings");
  const Creature creature = make_described(described, 3, 24).value();
  Vec3 lower = creature.surface.positions.front(), upper = lower;
  for (const Vec3& p : creature.surface.positions) lower = min(lower, p), upper = max(upper, p);
  const Vec3 extent = upper - lower;
  EXPECT_NEAR(double(std::max({extent.x, extent.y, extent.z})), described.metres, 1e-4);
  const Creature again = make_described(described, 3, 24).value(), other = make_described(described, 4, 24).value();
  EXPECT_EQ(creature.surface.positions, again.surface.positions);
  EXPECT_NE(creature.surface.positions, other.surface.positions);
  double red = 0, blue = 0;
  for (const Vec4& color : creature.surface.colors[0]) red += double(color.x), blue += double(color.z);
  EXPECT_GT(blue, 1.5 * red);
}

TEST(Nouns, AreCheckedWhereTheyAreRead) {
  const auto problem = [](const std::string& nouns) {
    const std::string text = R"({"colors": {"red": [1, 0, 0]}, "same_colors": {}, "nouns": [)" + nouns + "]}";
    const Result<Nouns> read = parse_nouns(text, "n.json");
    return read.ok() ? "none" : read.error().message();
  };
  const std::string good = R"({"words": ["dog"], "body": "legs:2", "metres": 1, "coat": ["red", "red", "red"]})";
  EXPECT_EQ(problem(good), "none");
  EXPECT_NE(problem(good + "," + good).find("there twice"), std::string::npos) << problem(good + "," + good);
  EXPECT_NE(problem(good + "," + good).find("n.json#/nouns/1"), std::string::npos);
  EXPECT_NE(problem(R"({"words": ["dog"], "body": "lags:2", "metres": 1, "coat": ["red", "red", "red"]})"), "none");
  EXPECT_NE(problem(R"({"words": ["dog"], "body": "legs:2", "metres": -1, "coat": ["red", "red", "red"]})"), "none");
  EXPECT_NE(problem(R"({"words": ["dog"], "body": "legs:2", "metres": 1, "coat": ["mauve", "red", "red"]})"), "none");
  EXPECT_NE(problem(R"({"words": ["dog"], "body": "legs:2", "metres": 1, "coat": ["red", "red", "red"], "hue": 1})"),
            "none");
}

TEST(Features, AreFoundByTheirWords) {
  for (const auto& [word, feature] : {std::pair{"winged", "wings"},
                                      {"headed", "heads"},
                                      {"tailless", "tail"},
                                      {"legs", "legs"},
                                      {"hooves", "hooves"},
                                      {"antennae", "antennae"},
                                      {"dragon", ""},
                                      {"s", ""}}) {
    EXPECT_EQ(feature_of(word), feature) << word;
  }
}

}  // namespace
}  // namespace limber::zoo
