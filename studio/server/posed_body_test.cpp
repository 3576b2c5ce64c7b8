// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/posed_body.h"

#include <gtest/gtest.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "limber/asset/find_clip.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/creature.h"
#include "studio/server/poses.h"

namespace limber::studio {
namespace {

/// A creature of the zoo as a file on a shelf.
struct PosedBodyTest : ::testing::Test {
  Events events;
  std::unique_ptr<Shelf> shelf = Shelf::open(events).value();

  Asset put(bool rigged) {
    const zoo::Creature creature = zoo::make_creature({zoo::Plan::kBiped, 2, 30}).value();
    asset::Asset made = zoo::static_asset(creature);
    rig::Subject subject = creature.subject;
    if (rigged) {
      EXPECT_TRUE(exporter::add_rig(made, subject).ok());
    }
    const std::filesystem::path file = shelf->new_file(".glb");
    EXPECT_TRUE(asset::write_asset(made, file).ok());
    Asset asset;
    asset.name = "biped.glb";
    return shelf->add(asset, file).value();
  }
};

kinematics::Pose bent(const PosedBody& body) {
  kinematics::Pose pose = kinematics::rest_pose(body.subject.rig);
  for (std::size_t j = 0; j < pose.angles.size(); ++j) {
    pose.angles[j] = {0.1f * static_cast<float>(j % 3), 0.05f, -0.1f * static_cast<float>(j % 2)};
  }
  pose.root_translation = {0.1f, 0.05f, -0.2f};
  return pose;
}

TEST_F(PosedBodyTest, PosesGoToThePageAndBack) {
  const auto body = open_body(put(true).file, "biped").value();
  const kinematics::Pose pose = bent(*body);
  const kinematics::Pose back = read_pose(*body, write_pose(*body, pose).value(), "pose").value();
  const auto before = kinematics::joint_matrices(body->subject.rig, pose),
             after = kinematics::joint_matrices(body->subject.rig, back);
  for (std::size_t j = 0; j < before.size(); ++j) EXPECT_LT(norm(before[j].translation - after[j].translation), 1e-4f);
}

TEST_F(PosedBodyTest, TakesNoMoreMemoryThanItMay) {
  const Asset asset = put(true);
  Poses poses;
  ASSERT_TRUE(poses.skeleton(asset).ok());
  const std::uint64_t taken = kDefaultMemoryBudget - memory_budget_left();
  // The body at hand makes room for another, and one that does not fit at all is refused in words.
  Asset again = asset;
  again.id = "a77";
  set_memory_budget(taken + taken / 2);
  EXPECT_TRUE(poses.skeleton(again).ok());
  set_memory_budget(taken / 2);
  again.id = "a78";
  const Result<Json> refused = poses.skeleton(again);
  set_memory_budget(kDefaultMemoryBudget);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kOutOfMemory) << refused.error().message();
}

TEST_F(PosedBodyTest, ConfidenceIsThatOfEachClip) {
  const auto body = open_body(put(true).file, "biped").value();
  asset::Clip told{"told",
                   {},
                   R"({"limber": {"confidence": {"joints": [")" + body->subject.rig.joints()[1].name +
                       R"("], "percent": [[40], [60]]}}})"};
  body->asset.clips = {{"plain", {}, ""}, told, {"odd", {}, R"({"limber": {"confidence": {"joints": 3}}})"}};
  const Json confidence = skeleton_json(*body)["confidence"];
  ASSERT_EQ(confidence.size(), 3u);
  EXPECT_TRUE(confidence[0].is_null());
  EXPECT_TRUE(confidence[2].is_null());
  ASSERT_EQ(confidence[1].size(), body->joints.size());
  EXPECT_TRUE(confidence[1][0].is_null()) << "of this joint nothing was told";
  EXPECT_NEAR(confidence[1][1].get<double>(), 0.5, 1e-9);
}

TEST_F(PosedBodyTest, HandlesAreMetWhereverTheBodyStandsAndLooks) {
  const auto body = open_body(put(true).file, "biped").value();
  kinematics::Pose pose = kinematics::rest_pose(body->subject.rig);
  pose.root_translation = {0.3f, 0, 0.2f};
  pose.angles[0] = {0, 0.8f, 0};
  const auto joints = kinematics::joint_matrices(body->subject.rig, pose);
  const int last = body->joints.back();
  const Vec3 wanted = joints[static_cast<std::size_t>(last)].translation + Vec3{0.02f, 0.03f, 0.01f};
  const Vec3 place = body->subject.asset_scale * wanted + body->subject.asset_offset;
  const Json question{{"pose", write_pose(*body, pose).value()},
                      {"targets",
                       {{{"joint", body->subject.rig.joints()[static_cast<std::size_t>(last)].name},
                         {"position", {place.x, place.y, place.z}}}}}};
  PoseNetwork network;
  const Result<Json> answer = solve_question(*body, network, question, true);
  if (!answer.ok() && answer.error().kind == ErrorKind::kMissing) GTEST_SKIP() << answer.error().message();
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  const kinematics::Pose solved = read_pose(*body, (*answer)["pose"], "pose").value();
  const auto after = kinematics::joint_matrices(body->subject.rig, solved);
  EXPECT_LT(norm(after[static_cast<std::size_t>(last)].translation - wanted), 2e-3f);
  EXPECT_LT(norm(after[0].translation - joints[0].translation), 1e-3f) << "the root stays";
  EXPECT_GT((*answer)["plausibility"].get<double>(), 0.0);
}

TEST_F(PosedBodyTest, ListsJointsParentsFirst) {
  Poses poses;
  const Json skeleton = poses.skeleton(put(true)).value();
  ASSERT_GT(skeleton["joints"].size(), 5u);
  for (std::size_t j = 0; j < skeleton["joints"].size(); ++j) {
    EXPECT_LT(skeleton["joints"][j]["parent"].get<int>(), static_cast<int>(j));
    EXPECT_GE(skeleton["joints"][j]["node"].get<int>(), 0);
  }
}

TEST_F(PosedBodyTest, WithoutARigIsAConflict) {
  Poses poses;
  const Asset bare = put(false);
  EXPECT_EQ(poses.skeleton(bare).error().kind, ErrorKind::kConflict);
  EXPECT_EQ(poses.solve(bare, Json::object()).error().kind, ErrorKind::kConflict);
}

TEST_F(PosedBodyTest, RefusesQuestionsThatMakeNoSense) {
  Poses poses;
  const Asset asset = put(true);
  const Json skeleton = poses.skeleton(asset).value();
  const Json name = skeleton["joints"][1]["name"];
  for (const Json& question : {Json::array(), Json{{"targets", 5}}, Json{{"targets", {5}}},
                               Json{{"targets", {{{"joint", "nobody"}, {"position", {0, 0, 0}}}}}},
                               Json{{"targets", {{{"joint", name}, {"position", {0, 0}}}}}},
                               Json{{"targets", {{{"joint", name}, {"position", {0, 0, "x"}}}}}},
                               Json{{"pose", {{"rotations", Json::array()}, {"root", {0, 0, 0}}}}}}) {
    EXPECT_FALSE(poses.solve(asset, question).ok()) << question;
  }
}

TEST_F(PosedBodyTest, KeyframesAreTheOnlyClipOfTheirFile) {
  const Asset asset = put(true);
  const auto body = open_body(asset.file, "biped").value();
  const Json pose = write_pose(*body, bent(*body)).value(),
             rest = write_pose(*body, kinematics::rest_pose(body->subject.rig)).value();
  const std::filesystem::path file = shelf->new_file(".glb");
  ASSERT_TRUE(write_keyframe_file(*body, {{{"time", 1}, {"pose", pose}}, {{"time", 0}, {"pose", rest}}}, file).ok());
  const asset::Asset written = asset::read_asset(file).value();
  ASSERT_EQ(written.clips.size(), 1u);
  EXPECT_FLOAT_EQ(written.clips[0].duration(), 1);
  const rig::Subject subject = rig::subject_from_asset(written).value();
  EXPECT_EQ(subject.rig.joint_count(), body->subject.rig.joint_count());
  for (const Json& bad :
       {Json::array(), Json::array({5}), Json::array({{{"time", -1}, {"pose", pose}}}), Json::array({{{"time", 0}}})}) {
    EXPECT_FALSE(write_keyframe_file(*body, bad, file).ok()) << bad;
  }
}

TEST_F(PosedBodyTest, BodiesShareTheNetwork) {
  const auto held = [] {
#if defined(__GLIBC__)
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
#else
    return 0.0;
#endif
  };
  PoseNetwork network;
  const auto first = open_body(put(true).file, "biped").value(), second = open_body(put(true).file, "biped").value();
  const double before = held();
  const Result<Json> answer = solve_question(*first, network, Json::object(), true);
  if (!answer.ok() && answer.error().kind == ErrorKind::kMissing) GTEST_SKIP() << answer.error().message();
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  const double with_network = held();
  ASSERT_TRUE(solve_question(*second, network, Json::object(), true).ok());
  EXPECT_LE(held() - with_network, 0.5 * (with_network - before)) << "of 20 MB, 16 are the network";
}

TEST(PlainFile, HasNoCompressedMeshes) {
  const std::filesystem::path file = limber::testing::shared_dir() / "assets/conformance/donkey_meshopt.glb";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no shared assets beside the checkout";
  const Result<Bytes> plain = plain_file(file);
  if (!plain.ok() && plain.error().kind == ErrorKind::kUnsupported) GTEST_SKIP() << plain.error().message();
  ASSERT_TRUE(plain.ok()) << plain.error().message();
  EXPECT_NE(as_text(read_file(file).value()).find("EXT_meshopt_compression"), std::string_view::npos);
  EXPECT_EQ(as_text(*plain).find("EXT_meshopt_compression"), std::string_view::npos);
}

TEST_F(PosedBodyTest, AnArtistsControlsDoNotMakeAPoseImpossible) {
  const std::filesystem::path file = limber::testing::shared_dir() / "assets/humanoid/knight_kaykit.glb";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no shared assets beside the checkout";
  const auto body = open_body(file, "knight").value();
  const asset::Clip& clip = body->asset.clips[static_cast<std::size_t>(asset::find_clip(body->asset, "Idle").value())];
  const auto motion = kinematics::motion_from_clip(body->asset, clip, body->subject, 24).value();
  PoseNetwork network;
  const auto judged = [&](const kinematics::Pose& pose) {
    const Json question{{"pose", write_pose(*body, pose).value()}, {"final", true}};
    return solve_question(*body, network, question, true).value();
  };
  kinematics::Pose pose = pose_space::pose_at(motion, motion.frame_count() / 2);
  const Json idle = judged(pose);
  EXPECT_GT(idle["plausibility"].get<double>(), 0.5) << "handles that hands follow are far off";
  EXPECT_TRUE(idle["doubtful"].empty()) << idle["doubtful"];
  for (std::size_t j = 1; j < pose.angles.size(); ++j) pose.angles[j] += Vec3{1.5f, j % 2 ? 1.5f : -1.5f, -1};
  const Json broken = judged(pose);
  EXPECT_LT(broken["plausibility"].get<double>(), 0.2) << "joints turned anyhow";
  EXPECT_EQ(broken["doubtful"].size(), 3u);
}

}  // namespace
}  // namespace limber::studio
