// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/fields.h"

#include <gtest/gtest.h>

#include <limits>

namespace limber {
namespace {

enum class Colour { kRed, kBlue };
std::string_view name(Colour colour) { return colour == Colour::kRed ? "red" : "blue"; }
std::optional<Colour> colour_named(std::string_view text) {
  if (text == "red") return Colour::kRed;
  if (text == "blue") return Colour::kBlue;
  return std::nullopt;
}

constexpr FieldInfo kFlag{"loop", FieldType::kFlag, ""};
constexpr FieldInfo kCount{"candidates", FieldType::kWhole, "", "", 1, 64};
constexpr FieldInfo kSeed{"seed", FieldType::kWhole, "", "", 0, 18446744073709551615.0};
constexpr FieldInfo kSeconds{"seconds", FieldType::kNumber, "", "", 0.25, 600};
constexpr FieldInfo kColour{"colour", FieldType::kChoice, "", "red|blue"};
constexpr FieldInfo kPath{"video", FieldType::kFile, ""};

TEST(Fields, ReadBackWhatTheyWrite) {
  bool flag = false;
  std::optional<int> count;
  std::uint64_t seed = 0;
  double seconds = 0;
  std::optional<std::filesystem::path> file;
  Colour colour = Colour::kRed;
  const struct {
    const FieldInfo& field;
    FieldMember member;
    const char *before, *text;
  } cases[] = {{kFlag, &flag, "false", "true"},
               {kCount, &count, "", "7"},
               {kSeed, &seed, "0", "18446744073709551615"},
               {kSeconds, &seconds, "0", "0.30000000000000004"},
               {kPath, &file, "", "a clip.mp4"},
               {kColour, choice_of(colour, colour_named), "red", "blue"}};
  for (const auto& one : cases) {
    EXPECT_EQ(field_text(one.member), one.before) << one.field.name;
    EXPECT_TRUE(set_field(one.field, one.member, one.text).ok()) << one.field.name;
    EXPECT_EQ(field_text(one.member), one.text) << one.field.name;
  }
  EXPECT_TRUE(flag);
  EXPECT_EQ(count, 7);
  EXPECT_EQ(seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(seconds, 0.1 + 0.2);
  EXPECT_EQ(colour, Colour::kBlue);
}

TEST(Fields, RefuseWhatIsNotTheirs) {
  std::optional<int> count;
  double seconds = 1;
  bool flag = false;
  Colour colour = Colour::kRed;
  const auto refused = [](const FieldInfo& field, const FieldMember& member, const char* text) {
    const Status status = set_field(field, member, text);
    return status.ok() ? "taken" : status.error().what;
  };
  EXPECT_EQ(refused(kCount, &count, "0"), "should be a whole number from 1 to 64, not '0'");
  for (const char* text : {"", "65", "-1", "2.5", "3x", " 3", "nan", "99999999999999999999999"}) {
    EXPECT_NE(refused(kCount, &count, text), "taken") << text;
  }
  EXPECT_FALSE(count.has_value()) << "what is refused changes nothing";
  for (const char* text : {"", "0.2", "600.5", "nan", "inf", "1,5", "1s", "+-1"}) {
    EXPECT_NE(refused(kSeconds, &seconds, text), "taken") << text;
  }
  EXPECT_EQ(seconds, 1);
  EXPECT_EQ(refused(kSeconds, &seconds, "+2"), "taken");
  EXPECT_NE(refused(kFlag, &flag, "yes"), "taken");
  EXPECT_EQ(refused(kColour, choice_of(colour, colour_named), "green"), "should be one of red, blue, not 'green'");
  EXPECT_NE(refused(kColour, choice_of(colour, colour_named), "red|blue"), "taken");
}

TEST(Fields, SayWhatTheyMayBe) {
  EXPECT_EQ(allowed_values({"weight", FieldType::kNumber, "", "", 1e-6, 1e6}), "a number from 0.000001 to 1000000");
  EXPECT_EQ(allowed_values(kSeed), "a whole number, not below 0");
  EXPECT_EQ(allowed_values(kColour), "one of red, blue");
}

TEST(Fields, AreRefusedInTheWordsOfWhoeverAsks) {
  const Refusal refusal{Refusal::Why::kContradict, "in_place", "method", "akd", "it goes", ErrorKind::kConflict};
  EXPECT_EQ(refused(refusal, "request").message(), "request: in_place and method (akd) contradict each other: it goes");
  EXPECT_EQ(refused(refusal, "request").kind, ErrorKind::kConflict);
  Refusal needs = refusal;
  needs.why = Refusal::Why::kNeeds;
  EXPECT_EQ(
      in_words(needs, [](const std::string& field, const std::string& value) { return "<" + field + value + ">"; }),
      "<in_place> needs <methodakd>: it goes");
}

TEST(Fields, AreNamedInTextsAsFrontEndsCallThem) {
  const FieldWords words = [](const std::string& field, const std::string& value) {
    return field == "seed" || field == "ground" ? "--" + field + (value.empty() ? "" : " " + value) : "";
  };
  EXPECT_EQ(with_words("another `seed`, or `ground lock`; see `limber inspect`", words),
            "another --seed, or --ground lock; see `limber inspect`");
  for (const char* text : {"", "nothing", "`", "a `seed", "``", "`unknown`"}) EXPECT_EQ(with_words(text, words), text);
}

TEST(Fields, AreCalledAsTheCommandLineHasThem) {
  EXPECT_EQ(dashed("in_place"), "in-place");
  EXPECT_EQ(split_choices("a|b|c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split_choices("").empty());
}

}  // namespace
}  // namespace limber
