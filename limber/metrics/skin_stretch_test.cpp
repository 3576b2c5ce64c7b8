// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/skin_stretch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/at.h"
#include "limber/testing/toy_assets.h"

namespace limber::metrics {
namespace {

/// Two joints one unit apart along x, with a strip of triangles between them: one edge of length one joins what the
/// two hold.
rig::Subject strip(std::vector<Vec3> points, std::vector<std::uint16_t> holders) {
  rig::RigDraft draft;
  draft.joints.resize(2);
  draft.joints[0].name = "a", draft.joints[1].name = "b", draft.joints[1].parent = 0;
  draft.joints[1].rest.translation = {1, 0, 0};
  rig::Subject subject{rig::build_rig(std::move(draft)).value(), {}, {}, {}, {}, {}, 1, {}, {}, {}};
  subject.points = std::move(points);
  std::vector<std::vector<rig::Influence>> rows;
  for (const std::uint16_t holder : holders) rows.push_back({{holder, 1.0f}});
  subject.weights = rig::make_skin_weights(rows, 4);
  for (std::uint32_t i = 0; i + 2 < subject.points.size(); ++i) subject.triangles.push_back({i, i + 1, i + 2});
  return subject;
}

/// The second joint slides out by so much, frame after frame.
kinematics::Motion slide(const rig::Rig& rig, std::vector<float> by, double fps = 10) {
  kinematics::Motion motion = kinematics::rest_motion(rig, static_cast<int>(by.size()), fps);
  kinematics::JointOverride moved{1, {}, {}};
  for (const float x : by) moved.translations.push_back({1 + x, 0, 0});
  motion.overrides.push_back(std::move(moved));
  return motion;
}

TEST(SkinStretch, IsOneAtRest) {
  const rig::Subject subject = strip({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {0, 1, 1});
  const SkinStretch skin = skin_stretch(subject, kinematics::rest_motion(subject.rig, 5, 24));
  EXPECT_EQ(skin.stretch, 1);
  EXPECT_EQ(skin.movement, 0);
  EXPECT_FALSE(stretch_warning(skin, std::nullopt));
}

TEST(SkinStretch, CountsShorterAndLongerAlike) {
  const rig::Subject subject = strip({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {0, 1, 1});
  EXPECT_FLOAT_EQ(static_cast<float>(skin_stretch(subject, slide(subject.rig, {0, 3})).stretch), 4);
  EXPECT_FLOAT_EQ(static_cast<float>(skin_stretch(subject, slide(subject.rig, {0, -0.8f})).stretch), 5);
}

TEST(SkinStretch, IsWhatOneInAThousandExceeds) {
  // Three edges, two of which stretch, in a thousand frames.
  const rig::Subject subject = strip({{0, 0, 0}, {1, 0, 0}, {1, 1e-3f, 0}}, {0, 1, 1});
  std::vector<float> by(1000, 0);
  by[10] = 1, by[20] = 2;  // two edges each: 2, 2, 3, 3
  const double stretch = skin_stretch(subject, slide(subject.rig, by)).stretch;
  // Of 3000 values three may exceed it: the fourth from above.
  EXPECT_NEAR(stretch, 2, 1e-3);
}

TEST(SkinStretch, LeavesOutWhatIsTooSmallToSeeOrHidden) {
  const rig::Subject tiny = strip({{1 - 1e-4f, 0, 0}, {1, 0, 0}, {1, 1e-4f, 0}}, {0, 1, 1});
  EXPECT_EQ(skin_stretch(tiny, slide(tiny.rig, {0, 1})).stretch, 1);
  const rig::Subject subject = strip({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {1, 1, 1});
  kinematics::Motion hidden = kinematics::rest_motion(subject.rig, 2, 10);
  hidden.overrides.push_back({1, {}, {{1, 1, 1}, {1e-6f, 1e-6f, 1e-6f}}});
  EXPECT_EQ(skin_stretch(subject, hidden).stretch, 1);
}

TEST(SkinStretch, StandsBesideTheMovement) {
  const rig::Subject subject = strip({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {0, 1, 1});
  // A quarter of a unit every tenth of a second; sliding as a whole counts nothing.
  kinematics::Motion motion = slide(subject.rig, {0, 0.25f, 0.5f});
  for (int f = 0; f < 3; ++f) motion.root_translations[at(f)] = {0, 0, static_cast<float>(f)};
  EXPECT_NEAR(skin_stretch(subject, motion).movement, 2.5, 1e-6);
}

TEST(SkinStretch, IsComparedWithTheAssetsOwnClips) {
  const asset::Asset asset = testing::tube_asset(4);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const std::optional<double> own = own_stretch(asset, subject);
  ASSERT_TRUE(own);
  EXPECT_GT(*own, 1.01);
  asset::Asset still = asset;
  still.clips.clear();
  EXPECT_FALSE(own_stretch(still, subject));

  EXPECT_FALSE(stretch_warning({1.4 * *own, 1}, own));
  const auto warning = stretch_warning({1.6 * *own, 1}, own);
  ASSERT_TRUE(warning);
  EXPECT_NE(in_words(*warning).find("in its own clips"), std::string::npos);
  EXPECT_FALSE(stretch_warning({3.4, 1}, std::nullopt));
  EXPECT_TRUE(stretch_warning({3.6, 1}, std::nullopt));
}

/// The joint between two bones slides out by so much.
asset::Clip tearing(const asset::Asset& asset, float by) {
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const int node = subject.rig.joints()[1].node;
  const Vec3 rest = asset.nodes[at(node)].local.translation;
  asset::Channel slide;
  slide.node = node, slide.path = asset::Path::kTranslation, slide.times = {0, 1};
  for (const Vec3 v : {rest, rest + by * normalized(rest, {0, 1, 0})})
    slide.values.insert(slide.values.end(), {v.x, v.y, v.z});
  asset::Clip clip;
  clip.name = "torn", clip.channels = {std::move(slide)};
  return clip;
}

TEST(SkinStretch, OfOneClipThatTearsDoesNotExcuseOthers) {
  asset::Asset asset = testing::tube_asset(4);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const double good = own_stretch(asset, subject).value();
  const asset::Clip bend = asset.clips.at(0);
  asset.clips.push_back(tearing(asset, 20));
  asset.clips.push_back(bend);
  asset::Asset torn = asset;
  torn.clips = {asset.clips.at(1)};
  EXPECT_GT(own_stretch(torn, subject).value(), 2 * good);
  EXPECT_EQ(own_stretch(asset, subject).value(), good);
}

TEST(SkinStretch, IsAllowedHalfAsMuchAgainButNotWhatTears) {
  EXPECT_EQ(allowed_stretch(std::nullopt), kTornSkin);
  EXPECT_DOUBLE_EQ(allowed_stretch(1.4), 2.1);
  EXPECT_DOUBLE_EQ(allowed_stretch(3), kTornSkin) << "1.5 times that would be 4.5";
  EXPECT_DOUBLE_EQ(allowed_stretch(6.4), 6.4) << "no worse than its own clips, and no more";
  EXPECT_TRUE(stretch_warning({9.55, 1}, 6.39)) << "a torn body whose own clips are bad, too";
  EXPECT_FALSE(stretch_warning({6.3, 1}, 6.39));
}

}  // namespace
}  // namespace limber::metrics
