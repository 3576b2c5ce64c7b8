// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/edit_clip.h"

#include <gtest/gtest.h>

#include "limber/animate/animate_testing.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"

namespace limber::animate {
namespace {

/// The stage's creature with its walk as a clip.
asset::Asset walking() {
  asset::Asset asset = zoo::static_asset(stage().creature);
  rig::Subject subject = stage().creature.subject;
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  EXPECT_TRUE(exporter::add_clip(asset, subject, stage().walk, {.name = "walk"}).ok());
  return asset;
}

ClipEdits trim(double from, double to) {
  ClipEdits edits;
  edits.trim = {from, to};
  return edits;
}

ClipEdits with(bool ClipEdits::*edit, ClipEdits edits = {}) {
  edits.*edit = true;
  return edits;
}

kinematics::Motion edited(const asset::Asset& asset, const ClipEdits& edits) {
  const asset::Clip clip = edited_clip(asset, 0, edits).value();
  return kinematics::motion_from_clip(asset, clip, rig::subject_from_asset(asset).value(), kStageFps).value();
}

TEST(EditClip, TrimsToWhatIsBetweenTwoTimes) {
  const asset::Asset asset = walking();
  const kinematics::Motion whole = edited(asset, {}), part = edited(asset, trim(0.25, 0.75));
  ASSERT_EQ(part.frame_count(), 7);
  EXPECT_LT(norm(part.root_translations[0] - whole.root_translations[3]), 1e-4f);
  EXPECT_LT(norm(part.frame_angles(6)[2] - whole.frame_angles(9)[2]), 1e-3f);
}

TEST(EditClip, OfOtherFramesNoOldConfidenceIsTold) {
  asset::Asset asset = walking();
  asset.clips[0].extras = R"({"limber":{"prompt":"it walks","confidence":{"fps":12}},"theirs":7})";
  const std::string without = R"({"limber":{"prompt":"it walks"},"theirs":7})";
  EXPECT_EQ(edited_clip(asset, 0, trim(0.25, 0.75)).value().extras, without);
  EXPECT_EQ(edited_clip(asset, 0, with(&ClipEdits::mirror)).value().extras, without);
  EXPECT_EQ(edited_clip(asset, 0, with(&ClipEdits::in_place)).value().extras, asset.clips[0].extras);
  asset.clips[0].extras = "not JSON";
  EXPECT_EQ(edited_clip(asset, 0, trim(0.25, 0.75)).value().extras, "not JSON");
}

TEST(EditClip, RefusesATrimThatLeavesNothing) {
  const asset::Asset asset = walking();
  for (const auto& [from, to] : {std::pair{0.5, 0.5}, std::pair{0.8, 0.2}, std::pair{100.0, 101.0}}) {
    const Result<asset::Clip> clip = edited_clip(asset, 0, trim(from, to));
    ASSERT_FALSE(clip.ok()) << from << " " << to;
    EXPECT_EQ(clip.error().kind, ErrorKind::kConflict);
  }
}

TEST(EditClip, TakesTheTravelOutOfAWalk) {
  const asset::Asset asset = walking();
  const auto way = [](const kinematics::Motion& motion) {
    return norm(motion.root_translations.back() - motion.root_translations.front());
  };
  EXPECT_GT(way(edited(asset, {})), 0.2f);
  EXPECT_LT(way(edited(asset, with(&ClipEdits::in_place))), 0.05f);
}

TEST(EditClip, ClosesALoop) {
  const asset::Clip loop = edited_clip(walking(), 0, with(&ClipEdits::loop)).value();
  for (const asset::Channel& channel : loop.channels) {
    if (channel.path != asset::Path::kRotation) continue;
    const std::size_t last = channel.values.size() - 4;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(channel.values[k], channel.values[last + k], 1e-4f);
  }
  EXPECT_FALSE(edited_clip(walking(), 0, with(&ClipEdits::loop, trim(0, 0.1))).ok());
}

TEST(EditClip, MirrorsTheWay) {
  const asset::Asset asset = walking();
  const kinematics::Motion whole = edited(asset, {}), mirrored = edited(asset, with(&ClipEdits::mirror));
  ASSERT_EQ(whole.frame_count(), mirrored.frame_count());
  for (int f = 0; f < whole.frame_count(); ++f) {
    const Vec3 a = whole.root_translations[static_cast<std::size_t>(f)],
               b = mirrored.root_translations[static_cast<std::size_t>(f)];
    EXPECT_LT(norm(Vec3{-a.x, a.y, a.z} - b), 1e-3f);
  }
}

}  // namespace
}  // namespace limber::animate
