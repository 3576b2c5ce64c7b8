// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "limber/base/threads.h"
#include "limber/pose_space/pose_denoiser.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/shared_data.h"

/// Reading what `train_poses` writes, without it: runs where there is no LibTorch.
namespace limber::pose_space {
namespace {

/// Why a folder with these files is refused; empty if it is not.
std::string refusal(const PoseFiles& files) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(files.write(folder.path()).ok());
  const auto opened = PoseDenoiser::open(folder.path());
  return opened.ok() ? "" : opened.error().message();
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The description of a usual model with one piece of text changed.
std::string where_refused(const std::string& from, const std::string& to) {
  std::string text = pose_model_to_json({});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const auto model = pose_model_from_json(text.replace(at, from.size(), to), "poses.json");
  return model.ok() ? "" : model.error().where;
}

TEST(PoseFiles, OpenAsWrittenAndSayTheSameForAnyNumberOfThreads) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(PoseFiles().write(folder.path()).ok());
  const auto denoiser = PoseDenoiser::open(folder.path());
  ASSERT_TRUE(denoiser.ok()) << denoiser.error().message();
  const zoo::Creature creature = test_creature();
  const PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);
  const PoseConditions conditions = make_conditions(skeleton, surface_of(creature.subject));
  const PoseState state = encode_pose(skeleton, random_pose(skeleton.rig, 1, 0.4)).state;
  const auto say = [&](int threads) {
    set_thread_count(threads);
    const PoseDenoiser::Said said = denoiser->run(denoiser->encode(conditions), state, 0.3);
    set_thread_count(0);
    return said;
  };
  const PoseDenoiser::Said one = say(1), three = say(3);
  EXPECT_EQ(one.velocity, three.velocity);
  EXPECT_EQ(one.plausible, three.plausible);
  EXPECT_EQ(one.whole, three.whole);
  for (const double v : one.velocity) EXPECT_TRUE(std::isfinite(v));
  // It listens to the time and to the surface.
  const PoseDenoiser::Said later = denoiser->run(denoiser->encode(conditions), state, 0.8);
  const PoseDenoiser::Said bare = denoiser->run(denoiser->encode(make_conditions(skeleton)), state, 0.3);
  EXPECT_NE(one.velocity, later.velocity);
  EXPECT_NE(one.velocity, bare.velocity);
}

TEST(PoseFiles, AreRefusedWhereOneIsMissingOrCutShort) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(PoseDenoiser::open(folder.path() / "nowhere").ok());
  ASSERT_TRUE(PoseFiles().write(folder.path()).ok());
  const std::filesystem::path weights = folder.path() / kPoseWeightsFile;
  const auto size = std::filesystem::file_size(weights);
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{9}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(weights, left);
    EXPECT_FALSE(PoseDenoiser::open(folder.path()).ok()) << left;
  }
}

TEST(PoseFiles, AreRefusedWhereNumbersAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    PoseFiles files;
    files.arrays["blocks.1.up.weight"].values[5] = bad;
    EXPECT_TRUE(mentions(refusal(files), "blocks.1.up.weight")) << refusal(files);
  }
}

TEST(PoseFiles, AreRefusedWhereShapesAreThoseOfAnotherModel) {
  PoseFiles files;
  PoseModel other = small_model();
  other.width = 24;
  files.json = pose_model_to_json(other);
  EXPECT_TRUE(mentions(refusal(files), "instead of")) << refusal(files);
  files = PoseFiles();
  files.arrays.erase("relations");
  EXPECT_TRUE(mentions(refusal(files), "relations")) << refusal(files);
  other = small_model(), other.features = 12;
  EXPECT_TRUE(mentions(refusal(PoseFiles(other)), "other features"));
}

TEST(PoseFiles, AreRefusedWhereTheDescriptionIsWrong) {
  EXPECT_EQ(where_refused("limber pose space 1", "limber pose space 1"), "");
  EXPECT_EQ(where_refused("limber pose space 1", "limber body reader 2"), "poses.json");
  EXPECT_EQ(where_refused("\"width\": 192", "\"width\": 1920000"), "poses.json#/width");
  EXPECT_EQ(where_refused("\"width\": 192", "\"width\": \"wide\""), "poses.json#/width");
  EXPECT_EQ(where_refused("\"heads\": 6", "\"heads\": 5"), "poses.json");
  EXPECT_EQ(where_refused("\"layers\": 6", "\"layers\": 0"), "poses.json#/layers");
  EXPECT_EQ(where_refused("\"points\"", "\"dots\""), "poses.json#/points");
  EXPECT_EQ(where_refused("{", "["), "poses.json");
}

}  // namespace
}  // namespace limber::pose_space
