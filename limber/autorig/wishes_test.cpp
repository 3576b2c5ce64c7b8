// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/wishes.h"

#include <gtest/gtest.h>

#include "limber/base/files.h"

namespace limber::autorig {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

Wishes wishes_for(const Said& said) {
  Wishes wishes;
  for (const auto& [name, text] : said) EXPECT_TRUE(set(*find_field(name), text, wishes).ok()) << name << " " << text;
  return wishes;
}

std::string refusal_of(const Said& said) {
  const auto refusal = find_refusal(wishes_for(said));
  return refusal ? refusal->field + "/" + refusal->other : "none";
}

TEST(RigWishes, HaveFieldsThatAreTakenAsTextAndSaidBack) {
  std::set<std::string> names;
  for (const Field& field : fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(std::string(field.help).find("--"), std::string::npos) << "front ends call fields differently";
    Wishes wishes;
    std::string text = "other.json";
    if (field.type == FieldType::kFlag) text = "true";
    if (field.type == FieldType::kWhole) text = "8";
    if (field.type == FieldType::kNumber) text = "0.5";
    if (field.type == FieldType::kDirection) text = "0,0,-1";
    if (field.type == FieldType::kChoice) text = split_choices(field.choices).back();
    if (field.repeats) text = "hip.L=1,2,-0.5";
    ASSERT_TRUE(set(field, text, wishes).ok()) << field.name;
    EXPECT_EQ(text_of(field, wishes), text) << field.name;
  }
}

TEST(RigWishes, BecomeARequest) {
  const RigRequest request = request_of(wishes_for({{"replace", "true"},
                                                    {"template", "quadruped"},
                                                    {"pin", "head=-0.6,0.8,0"},
                                                    {"pin", "chest=0,1,0"},
                                                    {"joints", "20"},
                                                    {"names", "unity"},
                                                    {"weights", "voxel"},
                                                    {"influences", "8"},
                                                    {"stand_up", "true"},
                                                    {"forward", "-x"}}))
                                 .value();
  const AutoRigSettings& settings = request.settings;
  EXPECT_EQ(request.existing, ExistingSkeleton::kReplace);
  EXPECT_TRUE(request.stand_up);
  ASSERT_EQ(settings.templates.size(), 1u);
  EXPECT_EQ(settings.templates[0].name, "quadruped");
  ASSERT_EQ(settings.pins.size(), 2u);
  EXPECT_EQ(settings.pins[0].first, "head");
  EXPECT_EQ(settings.max_joints, 20);
  EXPECT_EQ(settings.names, "unity");
  EXPECT_EQ(settings.skin.method, skin::SkinMethod::kVoxel);
  EXPECT_EQ(settings.skin.influences, 8);
  EXPECT_EQ(settings.forward->x, -1);
}

TEST(RigWishes, AreRefusedWithBothNamesWhereOneWouldDoNothing) {
  EXPECT_EQ(refusal_of({{"keep_skeleton", "true"}, {"replace", "true"}}), "replace/keep_skeleton");
  EXPECT_EQ(refusal_of({{"keep_skeleton", "true"}, {"stand_up", "true"}}), "stand_up/keep_skeleton");
  EXPECT_EQ(refusal_of({{"template", "curve"}, {"names", "vrm"}}), "names/template");
  EXPECT_EQ(refusal_of({{"template", "fish"}, {"pin", "head=0,0,0"}}), "none");
  EXPECT_EQ(refusal_of({{"weights", "voxel"}, {"stiffness", "5"}}), "stiffness/weights")
      << "it was taken, and did nothing";
  EXPECT_EQ(refusal_of({{"weights", "heat"}, {"stiffness", "5"}}), "none");
  EXPECT_EQ(refusal_of({{"least_agreement", "0.5"}}), "least_agreement/from");
  EXPECT_EQ(refusal_of({{"least_agreement", "0.5"}, {"from", "auto"}}), "none");
  EXPECT_EQ(refusal_of({{"up", "z"}, {"forward", "0,0,-2"}}), "forward/up");
  EXPECT_EQ(refusal_of({}), "none");
  Wishes labels = wishes_for({{"template", "fish"}});
  labels.labels = skeleton::PartLabels{};
  EXPECT_EQ(find_refusal(labels)->other, "parts");
}

TEST(RigWishes, RefuseWhatTheyCannotBe) {
  for (const auto& [name, text] : {std::pair{"pin", "head=1,2"},
                                   {"influences", "5"},
                                   {"template", "unicorn"},
                                   {"up", "sideways"},
                                   {"joints", "0"}}) {
    Wishes wishes;
    const Status status = set(*find_field(name), text, wishes);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().where, name);
  }
}

TEST(RigWishes, AreTheTableOfTheDocs) {
  const Bytes bytes = read_file(LIMBER_DOCS "/autorig.md").value();
  const std::string table = fields_as_markdown();
  EXPECT_NE(std::string(as_text(bytes)).find(table), std::string::npos) << "docs/autorig.md should have\n" << table;
}

}  // namespace
}  // namespace limber::autorig
