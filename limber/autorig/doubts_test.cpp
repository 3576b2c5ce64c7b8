// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/doubts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/autorig/autorig_testing.h"

namespace limber::autorig {
namespace {

AutoRigReport sure_quadruped() {
  AutoRigReport report;
  report.kind = "quadruped", report.runner_up = "lizard", report.confidence = 0.9, report.cost = 5;
  report.read_kind = "quadruped", report.read_trust = 0.9, report.triangles = 1000;
  return report;
}

rig::Facing sure_front() { return rig::make_facing({0, 1, 0}, {0, 0, 1}).value(); }

/// The one doubt that there should be; the warning names the option.
void expect_doubt(const AutoRigReport& report, Doubt doubt, const char* option) {
  ASSERT_EQ(report.doubts, std::vector<Doubt>{doubt});
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(in_words(report.warnings[0]).find(option), std::string::npos) << in_words(report.warnings[0]);
}

TEST(Doubts, AreNoneOfAClearBody) {
  AutoRigReport report = sure_quadruped();
  add_doubts({}, sure_front(), report);
  EXPECT_TRUE(report.doubts.empty());
  EXPECT_TRUE(report.warnings.empty());
}

TEST(Doubts, NameTheOptionsOfAFrontThatIsAGuess) {
  AutoRigReport report = sure_quadruped();
  rig::Facing front = sure_front();
  front.confidence = 0.4f;
  add_doubts({}, front, report);
  expect_doubt(report, Doubt::kFront, "`forward`");
}

TEST(Doubts, NameTheNextBestKindUnlessAReadingIsSure) {
  AutoRigReport report = sure_quadruped();
  report.confidence = 0.1;
  AutoRigReport unread = report;
  add_doubts({}, sure_front(), report);
  EXPECT_TRUE(report.doubts.empty()) << "it was read so, too";
  unread.read_kind = "", unread.read_trust = 0;
  add_doubts({}, sure_front(), unread);
  expect_doubt(unread, Doubt::kKind, "`template`");
  EXPECT_NE(in_words(unread.warnings[0]).find("lizard"), std::string::npos);
}

TEST(Doubts, NameTheKindThatWasRead) {
  AutoRigReport report = sure_quadruped();
  report.read_kind = "bird";
  AutoRigReport unsure = report;
  add_doubts({}, sure_front(), report);
  expect_doubt(report, Doubt::kKind, "`template`");
  EXPECT_NE(in_words(report.warnings[0]).find("bird"), std::string::npos);
  unsure.read_trust = 0.3;
  add_doubts({}, sure_front(), unsure);
  EXPECT_TRUE(unsure.doubts.empty()) << "a reading that is not believed";
}

TEST(Doubts, TellAKindThatFitsBadly) {
  AutoRigReport report = sure_quadruped();
  report.cost = 20;
  add_doubts({}, sure_front(), report);
  expect_doubt(report, Doubt::kFit, "`template`");
}

TEST(Doubts, TellSurfacesThatShowLittle) {
  AutoRigReport report = sure_quadruped();
  report.triangles = 200;
  add_doubts({}, sure_front(), report);
  expect_doubt(report, Doubt::kDetail, "`template`");
}

TEST(Doubts, TellFiguresThatStandApart) {
  AutoRigReport report = sure_quadruped();
  report.figures = 2;
  add_doubts({}, sure_front(), report);
  expect_doubt(report, Doubt::kFigures, "limber rig");
}

TEST(AutoRig, SaysThatThereAreTwoFigures) {
  testing::TestSurface two = testing::dog(), other = testing::dog();
  for (Vec3& p : other.points) p.x += 1;
  two.add(other);
  AutoRigSettings settings;
  settings.skeleton_only = true;
  const auto doubts = auto_rig(asset_of(two), settings).value().report.doubts;
  EXPECT_EQ(std::count(doubts.begin(), doubts.end(), Doubt::kFigures), 1);
}

TEST(Doubts, LeaveWhatAPersonChose) {
  AutoRigReport report = sure_quadruped();
  report.confidence = 0, report.cost = 50, report.read_kind = "bird";
  AutoRigSettings settings;
  settings.templates = {template_named("quadruped").value()};
  add_doubts(settings, sure_front(), report);
  EXPECT_TRUE(report.doubts.empty());
}

TEST(AutoRig, SaysThatItKnowsNoSuchKind) {
  const asset::Asset egg = asset_of(testing::capsule({0, 0, 0}, {0, 0.3, 0}, 0.4, 0.3));
  const AutoRigReport report = auto_rig(egg).value().report;
  EXPECT_EQ(report.doubts, (std::vector<Doubt>{Doubt::kFront, Doubt::kUnknownKind}));
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_NE(in_words(report.warnings[1]).find("`template`"), std::string::npos);
  AutoRigSettings settings;
  settings.source = SkeletonSource::kCurve;
  const AutoRigReport asked = auto_rig(egg, settings).value().report;
  EXPECT_EQ(asked.doubts, std::vector<Doubt>{Doubt::kFront});
}

}  // namespace
}  // namespace limber::autorig
