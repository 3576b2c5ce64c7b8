// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/finished_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/animate/animate_testing.h"
#include "limber/exporter/exporter.h"

namespace limber::animate {
namespace {

const mend::Checked& find(const FinishedClip& finished, mend::Check check) {
  return *std::find_if(finished.checks.begin(), finished.checks.end(),
                       [&](const mend::Checked& checked) { return checked.check == check; });
}

/// The stage's creature with its walk, 3 % of its height below the floor.
asset::Asset sunk_walk() {
  asset::Asset asset = zoo::static_asset(stage().creature);
  rig::Subject subject = stage().creature.subject;
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  kinematics::Motion walk = stage().walk;
  for (Vec3& place : walk.root_translations) place.y -= 0.03f;
  EXPECT_TRUE(exporter::add_clip(asset, subject, walk, {.name = "a fox walks"}).ok());
  return asset;
}

Plan plan_of(const Request& asked) {
  Request request = asked;
  request.prompt = "a fox walks", request.quality = Quality::kDraft;
  return plan_for(request, Method::kSample);
}

TEST(FinishedClip, BringsOutOfTheFloorWhatIsBelowIt) {
  asset::Asset asset = sunk_walk();
  const auto finished = finish_clip(plan_of({}), {}, std::nullopt, 0, asset);
  ASSERT_TRUE(finished);
  EXPECT_EQ(find(*finished, mend::Check::kFloor).passed, true);
  ASSERT_TRUE(finished->mended);
  EXPECT_EQ(finished->mended->repaired, std::vector{mend::Check::kFloor});
  EXPECT_TRUE(unfinished_warnings(plan_of({}), *finished).empty());
  // Anybody who asks afterwards hears the same.
  const auto again = finish_clip(plan_of({}), {}, std::nullopt, 0, asset);
  EXPECT_EQ(find(*again, mend::Check::kFloor).passed, true);
  EXPECT_FALSE(again->mended);
}

TEST(FinishedClip, LeavesWhatIsWantedAsItWasDrawn) {
  asset::Asset asset = sunk_walk();
  const auto channels = asset.clips[0].channels;
  Request request;
  request.finishing.ground = Ground::kNone;
  const Plan plan = plan_of(request);
  const auto finished = finish_clip(plan, {}, std::nullopt, 0, asset);
  ASSERT_TRUE(finished);
  EXPECT_EQ(find(*finished, mend::Check::kFloor).passed, false) << "it is said all the same";
  EXPECT_FALSE(finished->mended);
  EXPECT_TRUE(asset.clips[0].channels == channels);
  EXPECT_TRUE(unfinished_warnings(plan, *finished).empty()) << "that is how it was asked for";
}

TEST(FinishedClip, KeepsPosesThatWereGiven) {
  asset::Asset asset = sunk_walk();
  const auto channels = asset.clips[0].channels;
  Request request;
  request.continued_clip = "a fox sits";
  const auto finished = finish_clip(plan_of(request), {}, std::nullopt, 0, asset);
  ASSERT_TRUE(finished);
  EXPECT_FALSE(finished->mended);
  EXPECT_TRUE(asset.clips[0].channels == channels);
}

TEST(FinishedClip, WarnsOfWhatIsLeft) {
  FinishedClip finished;
  finished.checks.push_back(
      {mend::Check::kContact, false, 0.02, 0.01, "heights", "the left leg stands on air", "contact"});
  finished.checks.push_back({mend::Check::kLoop, false, 0.1, 1e-4, "heights", "it jumps", "loop"});
  const std::vector<Warning> warnings = unfinished_warnings(plan_of({}), finished);
  ASSERT_EQ(warnings.size(), 1u) << "nobody asked for a loop";
  EXPECT_EQ(warnings[0].name("check"), "contact");
  EXPECT_NE(in_words(warnings[0]).find("the left leg stands on air"), std::string::npos);
}

}  // namespace
}  // namespace limber::animate
