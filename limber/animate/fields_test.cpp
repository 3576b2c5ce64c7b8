// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/fields.h"

#include <gtest/gtest.h>

#include "limber/autorig/wishes.h"
#include "limber/base/files.h"

namespace limber::animate {
namespace {

TEST(AnimateFields, HaveANameOfTheirOwnAndAHelp) {
  std::set<std::string> names;
  for (const Field& field : fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(std::string(field.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos);
    EXPECT_GT(std::string(field.help).size(), 5u) << field.name;
    EXPECT_EQ(std::string(field.help).find("--"), std::string::npos) << "front ends call fields differently";
    EXPECT_EQ(find_field(field.name), &field);
    const NoUse& no_use = field.no_use;
    EXPECT_FALSE(no_use.sample && no_use.akd && no_use.planar && no_use.video && no_use.rule && no_use.native &&
                 no_use.library)
        << field.name << " is of no use at all";
  }
  EXPECT_EQ(find_field("magic"), nullptr);
}

TEST(AnimateFields, AreTakenAsTextAndSaidBack) {
  for (const Field& field : fields()) {
    Wishes wishes;
    EXPECT_FALSE(is_said(field, wishes)) << field.name;
    std::string text = "other.glb";
    if (field.type == FieldType::kFlag) text = "true";
    if (field.type == FieldType::kWhole || field.type == FieldType::kNumber) text = "7";
    if (field.type == FieldType::kDirection) text = "0,0,-1";
    if (field.type == FieldType::kChoice) text = split_choices(field.choices).back();
    ASSERT_TRUE(set(field, text, wishes).ok()) << field.name;
    EXPECT_EQ(text_of(field, wishes), text) << field.name;
    EXPECT_TRUE(is_said(field, wishes)) << field.name;
  }
}

TEST(AnimateFields, BecomeARequest) {
  Wishes wishes;
  for (const auto& [name, text] : {std::pair{"keyframes", "poses.glb:0,1.5"},
                                   {"device", "cuda:0"},
                                   {"from", "sample"},
                                   {"pose_prior", "on"},
                                   {"ground", "lock"},
                                   {"quality", "best"}}) {
    ASSERT_TRUE(set(*find_field(name), text, wishes).ok()) << name;
  }
  const Request& request = wishes.request;
  EXPECT_EQ(request.keyframes->file, "poses.glb");
  EXPECT_EQ(request.keyframes->times, (std::vector<double>{0, 1.5}));
  EXPECT_EQ(request.device, Device::kCuda);
  EXPECT_EQ(wishes.models.loading.device, "cuda:0");
  EXPECT_EQ(request.distilling.from, Start::kSample);
  EXPECT_TRUE(request.pose_prior);
  EXPECT_EQ(request.finishing.ground, Ground::kLock);
  EXPECT_EQ(request.quality, Quality::kBest);
}

TEST(AnimateFields, RefuseWhatTheyCannotBeAndNameThemselves) {
  for (const auto& [name, text] : {std::pair{"up", "sideways"},
                                   {"keyframes", "poses.glb:soon"},
                                   {"candidates", "0"},
                                   {"seconds", "0.1"},
                                   {"method", "magic"},
                                   {"seed", "-1"},
                                   {"iterations", "2.5"}}) {
    Wishes wishes;
    const Status status = set(*find_field(name), text, wishes);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().where, name);
    EXPECT_FALSE(is_said(*find_field(name), wishes)) << name;
  }
}

TEST(AnimateFields, KnowTheProfilesOfNamesThatRiggingKnows) {
  EXPECT_EQ(std::string(find_field("names")->choices), autorig::find_field("names")->choices);
}

TEST(AnimateFields, AreTheTableOfTheDocs) {
  const Bytes bytes = read_file(LIMBER_DOCS "/animate.md").value();
  const std::string table = fields_as_markdown();
  EXPECT_NE(std::string(as_text(bytes)).find(table), std::string::npos) << "docs/animate.md should have\n" << table;
}

}  // namespace
}  // namespace limber::animate
