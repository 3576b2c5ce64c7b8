// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/known_poses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "limber/animate/animate_testing.h"
#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/rig/changed_rig.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

const Motion& walk() { return stage().walk; }
constexpr int kFrames = kStageFrames;

float gap(const Motion& a, int f, const Motion& b, int g) {
  float most =
      norm(a.root_translations[static_cast<std::size_t>(f)] - b.root_translations[static_cast<std::size_t>(g)]);
  for (int j = 0; j < a.joint_count; ++j) {
    most = std::max(
        most, norm(a.frame_angles(f)[static_cast<std::size_t>(j)] - b.frame_angles(g)[static_cast<std::size_t>(j)]));
  }
  return most;
}

TEST(KnownPoses, AreTheFramesThatAChunkKeeps) {
  const KnownPoses known = known_poses(walk(), {0, kFrames - 5, 5, 27}, kFrames, {}, Pace::kSame).value();
  EXPECT_FLOAT_EQ(known.holds[0], 1);
  EXPECT_FLOAT_EQ(known.holds[4], 0.2f) << "let go softly";
  EXPECT_EQ(known.holds[5], 0);
  ASSERT_EQ(known.guesses.size(), 1u) << "it goes on as before";
  const Motion& guess = known.guesses[0];
  for (int f = 0; f < kFrames; ++f) EXPECT_EQ(known.known[static_cast<std::size_t>(f)], f < 5 ? 1 : 0);
  for (int f = 0; f < 5; ++f) EXPECT_EQ(gap(guess, f, walk(), kFrames - 5 + f), 0);
  const double step = double(guess.root_translations[10].z - guess.root_translations[9].z);
  EXPECT_NEAR(step * kStageFps, stage().gait.velocity.z, 0.2 * stage().gait.velocity.z) << "and as fast";
}

TEST(KnownPoses, TryOtherPacesWhereSomethingNewBegins) {
  const KnownPoses known = known_poses(walk(), {1, kFrames - 5, 5, 27}, kFrames, {}, Pace::kNew).value();
  ASSERT_EQ(known.guesses.size(), 3u);
  const auto travelled = [](const Motion& guess) {
    return double(guess.root_translations.back().z - guess.root_translations[4].z);
  };
  EXPECT_GT(travelled(known.guesses[0]), 0.2) << "as before";
  EXPECT_NEAR(travelled(known.guesses[1]), 0, 1e-6) << "at rest";
  for (const Motion& guess : known.guesses) {
    for (int f = 0; f < 5; ++f) EXPECT_EQ(gap(guess, f, walk(), kFrames - 5 + f), 0) << "what is known is known";
  }
}

TEST(KnownPoses, ArePlacedWhereKeysAre) {
  const int at = 9;
  const auto angles = walk().frame_angles(3);
  const std::vector<Key> keys{{at / kStageFps, {{0, 0, 0.7f}, {angles.begin(), angles.end()}}}, {99, {}}};
  const KnownPoses known = known_poses(Motion{kStageFps, false, walk().joint_count, {}, {}, {}}, {0, 0, 0, kFrames},
                                       kFrames, std::span(keys).first(1), Pace::kNew)
                               .value();
  EXPECT_EQ(known.known[at], 1);
  EXPECT_EQ(known.holds[at], 1) << "a keyframe is held";
  EXPECT_EQ(known.guesses[0].root_translations[at].z, 0.7f);
  EXPECT_FALSE(known_poses(walk(), {0, 0, 0, kFrames}, kFrames, {}, Pace::kNew)) << "nothing is known";
}

TEST(KnownPoses, OfALoopAreItsBeginningALapOn) {
  const KnownPoses known = known_poses(walk(), {0, kFrames - 5, 5, kFrames + 8}, kFrames, {}, Pace::kSame, 22).value();
  const Motion& guess = known.guesses[0];
  const int first = 22 - (kFrames - 5);
  for (int f = first; f < kFrames; ++f) {
    ASSERT_EQ(known.known[static_cast<std::size_t>(f)], 1) << f;
    EXPECT_EQ(guess.frame_angles(f)[2], walk().frame_angles(f - first)[2]);
    EXPECT_EQ(guess.root_translations[static_cast<std::size_t>(f)].y,
              walk().root_translations[static_cast<std::size_t>(f - first)].y);
  }
  EXPECT_GT(guess.root_translations.back().z, walk().root_translations.back().z) << "it went on";
}

// --- clips and keyframes ---------------------------------------------------------------------------------------------

asset::Asset walking_asset() {
  asset::Asset asset = zoo::static_asset(stage().creature);
  rig::Subject subject = stage().creature.subject;
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  EXPECT_TRUE(exporter::add_clip(asset, subject, walk(), {.name = "walk"}).ok());
  return asset;
}

TEST(FindAnchors, ReadsTheEndOfAClip) {
  const asset::Asset asset = walking_asset();
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const Upright upright = stand_upright(subject, subject.facing).value();
  Request request;
  request.continued_clip = "#0";
  const Anchors anchors =
      find_anchors(subject, upright, &asset, span_plan(request, sample_plan(request)), kStageFps, 5).value();
  ASSERT_EQ(anchors.before->frame_count(), 5);
  // The asset's height is measured anew.
  Motion expected = walk();
  for (Vec3& root : expected.root_translations) {
    root = (stage().creature.subject.asset_scale / subject.asset_scale) * root;
  }
  EXPECT_LT(gap(*anchors.before, 4, expected, kFrames - 1), 0.01f);
  EXPECT_LT(gap(*anchors.before, 0, expected, kFrames - 5), 0.01f);
  request.continued_clip = "#3";
  EXPECT_FALSE(find_anchors(subject, upright, &asset, span_plan(request, sample_plan(request)), kStageFps, 5).ok())
      << "there is no such clip";
}

TEST(FindAnchors, ReadsKeyframesOfTheSameSkeletonAndNamesTheJointsOfAnother) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "limber_keyframes.glb";
  const asset::Asset asset = walking_asset();
  ASSERT_TRUE(asset::write_asset(asset, file).ok());
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const Upright upright = stand_upright(subject, subject.facing).value();
  Request request;
  request.keyframes = Keyframes{file, {0.5, 0}};
  const Anchors some =
      find_anchors(subject, upright, nullptr, span_plan(request, sample_plan(request)), kStageFps, 5).value();
  ASSERT_EQ(some.keys.size(), 2u);
  EXPECT_EQ(some.keys[0].seconds, 0) << "in order";
  EXPECT_LT(norm(some.keys[1].pose.angles[3] - walk().frame_angles(6)[3]), 0.01f);
  request.keyframes->times.clear();
  EXPECT_EQ(find_anchors(subject, upright, nullptr, span_plan(request, sample_plan(request)), kStageFps, 5)
                .value()
                .keys.size(),
            static_cast<std::size_t>(kFrames));
  request.keyframes->times = {77};
  EXPECT_NE(find_anchors(subject, upright, nullptr, span_plan(request, sample_plan(request)), kStageFps, 5)
                .error()
                .what.find("77"),
            std::string::npos);

  rig::RigDraft draft = rig::draft_of(subject.rig);
  const std::string renamed = draft.joints.back().name;
  draft.joints.back().name = "another_joint";
  rig::Subject other = subject;
  other.rig = rig::build_rig(std::move(draft)).value();
  request.keyframes->times.clear();
  const auto refused = find_anchors(other, upright, nullptr, span_plan(request, sample_plan(request)), kStageFps, 5);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("another skeleton"), std::string::npos);
  EXPECT_NE(refused.error().what.find("another_joint"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().what.find(renamed), std::string::npos) << refused.error().what;
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace limber::animate
