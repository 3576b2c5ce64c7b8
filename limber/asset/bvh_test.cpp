// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "limber/asset/encoders.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/base/rng.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

const char kArm[] =
    "HIERARCHY\n"
    "ROOT Hips\n{\n  OFFSET 1 2 3\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "  JOINT Left Arm\n  {\n    OFFSET 0 10 0\n    CHANNELS 3 Yrotation Xrotation Zrotation\n"
    "    End Site\n    {\n      OFFSET 5 0 0\n    }\n  }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.5\n"
    "7 8 9 0 0 0 0 0 0\n"
    "7 8 9 90 0 0 0 0 90\n";

Result<Asset> parse(const std::string& text) { return read_bvh(as_bytes(text), "test.bvh"); }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return place == std::string::npos ? text : text.replace(place, what.size(), by);
}

void expect_near(Vec3d a, Vec3d b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance) << a.x << " " << a.y << " " << a.z << " instead of " << b.x << " " << b.y << " "
                                    << b.z;
}

Vec3d place(const Asset& asset, double time, std::size_t node) {
  return clip_state(asset, asset.clips.at(0), time).world_from_node.at(node).translation;
}

TEST(Bvh, JointsBecomeNodesAndEndSitesLeaves) {
  const Asset asset = parse(kArm).value();
  ASSERT_EQ(asset.nodes.size(), 3u);
  EXPECT_EQ(asset.nodes[0].name, "Hips");
  EXPECT_EQ(asset.nodes[1].name, "Left Arm");
  EXPECT_EQ(asset.nodes[2].name, "Left Arm_end");
  EXPECT_EQ(asset.nodes[1].local.translation, (Vec3{0, 10, 0}));
  EXPECT_EQ(asset.nodes[1].children, std::vector<int>{2});
  EXPECT_EQ(asset.scenes.at(0).roots, std::vector<int>{0});
  EXPECT_TRUE(asset.skins.empty());
  EXPECT_TRUE(asset.warnings.empty());
  ASSERT_EQ(asset.clips.size(), 1u);
  EXPECT_EQ(asset.clips[0].name, "motion");
  EXPECT_EQ(asset.clips[0].duration(), 0.5f);
  EXPECT_EQ(asset.clips[0].channels.size(), 3u);
}

TEST(Bvh, PositionsReplaceTheOffsetAndRotationsTurnTheChildren) {
  const Asset asset = parse(kArm).value();
  expect_near(rest_state(asset).world_from_node[2].translation, {6, 12, 3}, 1e-6);
  expect_near(place(asset, 0, 2), {12, 18, 9}, 1e-6);
  // Hips turn a quarter about z: the arm points along -x, its end along +y, and turns on to -x itself.
  expect_near(place(asset, 0.5, 1), {-3, 8, 9}, 1e-5);
  expect_near(place(asset, 0.5, 2), {-8, 8, 9}, 1e-5);
}

TEST(Bvh, AnglesComposeInTheOrderOfTheFile) {
  const char* orders[] = {"X Y Z", "X Z Y", "Y X Z", "Y Z X", "Z X Y", "Z Y X"};
  for (const std::string order : orders) {
    const std::string channels = order.substr(0, 1) + "rotation " + order[2] + "rotation " + order[4] + "rotation";
    const Asset asset = parse("HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 " + channels +
                              " JOINT b { OFFSET 1 2 3 CHANNELS 0 } } MOTION Frames: 1 Frame Time: 1 20 30 40")
                            .value();
    Quatd turn;
    double degrees = 20;
    for (const char letter : {order[0], order[2], order[4]}) {
      Vec3d axis;
      axis[letter - 'X'] = 1;
      turn = turn * axis_angle(axis, degrees * kPi / 180);
      degrees += 10;
    }
    expect_near(place(asset, 0, 1), rotate(turn, Vec3d{1, 2, 3}), 1e-6);
  }
}

TEST(Bvh, MissingChannelsKeepTheRestPose) {
  const Asset asset = parse(
                          "HIERARCHY ROOT a { OFFSET 1 2 3 CHANNELS 2 Yposition zROTATION JOINT b { OFFSET 1 0 0 } } "
                          "MOTION Frames: 1 Frame Time: 1 50 180")
                          .value();
  expect_near(place(asset, 0, 0), {1, 50, 3}, 1e-6);
  expect_near(place(asset, 0, 1), {0, 50, 3}, 1e-5);
}

TEST(Bvh, QuaternionsDoNotJumpBetweenFrames) {
  std::string text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } MOTION Frames: 100 Frame Time: 0.1";
  for (int i = 0; i < 100; ++i) text.append(" ").append(std::to_string(i * 30));
  const Asset asset = parse(text).value();
  const std::vector<float>& q = asset.clips[0].channels[0].values;
  for (std::size_t i = 4; i < q.size(); ++i) EXPECT_LT(std::abs(q[i] - q[i - 4]), 0.3f);
}

TEST(Bvh, ToleratesLineEndingsSpacingAndSpellings) {
  std::string crlf = kArm;
  for (std::size_t i = 0; (i = crlf.find('\n', i)) != std::string::npos; i += 2) crlf.insert(i, "\r");
  const Asset plain = parse(kArm).value();
  for (const std::string& variant :
       {crlf, replaced(kArm, "Frame Time: 0.5", "Frame Time :\t5e-1"),
        replaced(kArm, "Frame Time: 0.5", "FrameTime:.5"), replaced(kArm, "Frames: 2", "frames :2"),
        replaced(kArm, "Hips\n{", "Hips{"), replaced(kArm, "End Site\n", "END SITE"),
        replaced(kArm, "90 0 0 0", "+90 0 0 0\n\n"), "\xEF\xBB\xBF" + std::string(kArm)}) {
    const Result<Asset> asset = parse(variant);
    ASSERT_TRUE(asset.ok()) << asset.error().message();
    EXPECT_EQ(asset->nodes, plain.nodes);
    EXPECT_EQ(asset->clips, plain.clips);
  }
}

TEST(Bvh, MissingOrSuperfluousFramesAreReported) {
  Asset asset = parse(replaced(kArm, "Frames: 2", "Frames: 4000000000")).value();
  EXPECT_EQ(asset.clips.at(0).channels[0].times.size(), 2u);
  EXPECT_EQ(asset.warnings.size(), 1u);
  asset = parse(replaced(kArm, "0 0 0 0 90\n", "0 0")).value();
  EXPECT_EQ(asset.clips.at(0).channels[0].times.size(), 1u);
  EXPECT_EQ(asset.warnings.size(), 1u);
  asset = parse(replaced(kArm, "Frames: 2", "Frames: 1")).value();
  EXPECT_EQ(asset.clips.at(0).channels[0].times.size(), 1u);
  EXPECT_EQ(asset.warnings.size(), 1u);
  asset = parse(replaced(kArm, "Frame Time: 0.5", "Frame Time: 0")).value();
  EXPECT_NEAR(asset.clips.at(0).duration(), 1 / 30.0, 1e-6);
  EXPECT_EQ(asset.warnings.size(), 1u);
  const std::string text = kArm;
  asset = parse(text.substr(0, text.find("MOTION"))).value();
  EXPECT_TRUE(asset.clips.empty());
  EXPECT_EQ(asset.warnings.size(), 1u);
}

TEST(Bvh, ErrorsTellTheLine) {
  const auto message = [](const std::string& text) {
    const Result<Asset> asset = parse(text);
    return asset.ok() ? "no error" : asset.error().message();
  };
  EXPECT_EQ(message(""), "test.bvh:1: the file ends where HIERARCHY should be");
  EXPECT_EQ(message("glTF"), "test.bvh:1: expected HIERARCHY, found 'glTF'");
  EXPECT_EQ(message("HIERARCHY"), "test.bvh:1: no ROOT joint");
  EXPECT_EQ(message(replaced(kArm, "OFFSET 0 10 0", "OFFSET 0 nan 0")), "test.bvh:8: expected a number, found 'nan'");
  EXPECT_EQ(message(replaced(kArm, "7 8 9 90", "7 inf 9 90")), "test.bvh:20: expected a number, found 'inf'");
  EXPECT_EQ(message(replaced(kArm, "7 8 9 90", "7 1e99 9 90")), "test.bvh:20: expected a number, found '1e99'");
  EXPECT_EQ(message(replaced(kArm, "CHANNELS 3", "CHANNELS 3000000")),
            "test.bvh:9: expected a number of channels up to 12, found '3000000'");
  EXPECT_EQ(message(replaced(kArm, "CHANNELS 3", "CHANNELS 4")),
            "test.bvh:10: expected a channel such as Xrotation or Yposition, found 'End'");
  EXPECT_EQ(message(replaced(kArm, "OFFSET 5 0 0", "JOINT x {")), "test.bvh:12: expected OFFSET or '}', found 'JOINT'");
  EXPECT_EQ(message(replaced(kArm, "Frames: 2", "Frames: many")),
            "test.bvh:17: expected the number of frames, found 'many'");
  EXPECT_EQ(message(replaced(kArm, "Frame Time: 0.5", "Frame Time: 1e30")),
            "test.bvh:21: a frame time of 1e+30 seconds");
}

TEST(Bvh, EveryTruncationIsAnErrorOrAWarning) {
  const std::string text = kArm;
  for (std::size_t length = 0; length + 4 < text.size(); ++length) {
    const Result<Asset> asset = parse(text.substr(0, length));
    EXPECT_TRUE(!asset.ok() || !asset->warnings.empty()) << "after " << length << " bytes";
  }
}

TEST(Bvh, DeepNestingIsRefusedWithoutOverflowingTheStack) {
  std::string text = "HIERARCHY ROOT a {";
  for (int i = 0; i < 200000; ++i) text += "JOINT b\n{";
  const Result<Asset> asset = parse(text);
  ASSERT_FALSE(asset.ok());
  EXPECT_NE(asset.error().what.find("nested"), std::string::npos);
}

TEST(Bvh, MutatedFilesNeverCrash) {
  Rng rng(5);
  for (int i = 0; i < 3000; ++i) {
    std::string text = kArm;
    for (std::uint32_t edits = 1 + rng.below(4); edits > 0; --edits) {
      const std::size_t where = rng.below(static_cast<std::uint32_t>(text.size()));
      if (rng.chance(0.3)) {
        text.erase(where, rng.below(20));
      } else if (rng.chance(0.3)) {
        text.insert(where, text.substr(rng.below(static_cast<std::uint32_t>(text.size())), rng.below(40)));
      } else {
        text[where] = static_cast<char>(rng.below(256));
      }
      if (text.empty()) break;
    }
    const Result<Asset> asset = parse(text);
    if (!asset.ok() || asset->clips.empty()) continue;
    for (const Affined& m : clip_state(*asset, asset->clips[0], 0.3).world_from_node) EXPECT_TRUE(is_finite(m));
  }
}

/// Greatest distance between joints of the same name, over the frames, and the size of the skeleton.
struct Difference {
  double distance = 0, size = 0;
};

Difference difference(const Asset& a, const Clip& clip_a, const Asset& b, const Clip& clip_b, double fps) {
  Difference result;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const auto twin =
        std::find_if(b.nodes.begin(), b.nodes.end(), [&](const Node& node) { return node.name == a.nodes[i].name; });
    if (twin != b.nodes.end()) pairs.emplace_back(i, static_cast<std::size_t>(twin - b.nodes.begin()));
  }
  EXPECT_FALSE(pairs.empty());
  for (int frame = 0; frame <= std::lround(clip_a.duration() * fps); ++frame) {
    const NodeState state_a = clip_state(a, clip_a, frame / fps), state_b = clip_state(b, clip_b, frame / fps);
    for (const auto& [i, j] : pairs) {
      const Vec3d p = state_a.world_from_node[i].translation, q = state_b.world_from_node[j].translation;
      result.distance = std::max(result.distance, norm(p - q));
      result.size = std::max(result.size, norm(p - state_a.world_from_node[pairs[0].first].translation));
    }
  }
  return result;
}

TEST(BvhText, MotionCaptureSurvivesWritingAndReading) {
  const auto files = testing::shared_files("assets/mocap", {".bvh"});
  if (files.empty()) GTEST_SKIP() << "no shared motion capture";
  for (const auto& file : files) {
    const Asset asset = read_bvh(read_file(file).value(), file.filename().string()).value();
    EXPECT_EQ(asset.nodes.size(), 31u + 7u) << file;
    EXPECT_TRUE(asset.warnings.empty()) << file;
    const double fps = 1 / 0.0083333;
    const std::string text = bvh_text(asset, 0, fps).value();
    const Asset copy = parse(text).value();
    ASSERT_EQ(copy.nodes.size(), asset.nodes.size()) << file;
    for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
      EXPECT_EQ(copy.nodes[i].name, asset.nodes[i].name);
      EXPECT_EQ(copy.nodes[i].local, asset.nodes[i].local);
    }
    EXPECT_EQ(copy.clips[0].channels.size(), asset.clips[0].channels.size());
    EXPECT_EQ(copy.clips[0].channels[0].times.size(), asset.clips[0].channels[0].times.size());
    const Difference d = difference(asset, asset.clips[0], copy, copy.clips[0], fps);
    EXPECT_LT(d.distance, 1e-5 * d.size) << file;
  }
}

/// A skinned asset with all that a BVH file does not know: scales, rest rotations, plain nodes between joints, several
/// roots, and joints that stretch.
Asset awkward_skeleton(Rng& rng) {
  Asset asset;
  const auto random_rotation = [&] {
    return normalized(Quatd{rng.normal(), rng.normal(), rng.normal(), rng.normal()}).cast<float>();
  };
  for (int i = 0; i < 12; ++i) {
    Node node;
    node.name = "joint " + std::to_string(i);
    node.local = {Vec3d{rng.normal(), rng.normal(), rng.normal()}.cast<float>(), random_rotation(), {1, 1, 1}};
    if (i == 0) node.local.scale = {0.01f, 0.01f, 0.01f};
    asset.nodes.push_back(node);
    if (i > 1) asset.nodes[rng.below(static_cast<std::uint32_t>(i))].children.push_back(i);
  }
  Skin skin;
  for (int i = 0; i < 12; ++i) {
    if (i != 0 && i != 5) skin.joints.push_back(i);
  }
  skin.inverse_bind.resize(skin.joints.size());
  asset.skins.push_back(skin);
  Clip clip;
  for (const int node : {0, 1, 3, 5, 6, 9}) {
    Channel turn, move;
    turn.node = move.node = node;
    move.path = Path::kTranslation;
    turn.times = move.times = {0, 0.5f, 1};
    for (int key = 0; key < 3; ++key) {
      const Quat q = random_rotation();
      turn.values.insert(turn.values.end(), {q.x, q.y, q.z, q.w});
      for (int k = 0; k < 3; ++k) move.values.push_back(static_cast<float>(rng.normal()));
    }
    clip.channels.push_back(turn);
    if (node == 0 || node == 6) clip.channels.push_back(move);
  }
  asset.clips.push_back(clip);
  return asset;
}

TEST(BvhText, KeepsJointPositionsOfSkinsWithScalesRestRotationsAndPlainNodes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Asset asset = awkward_skeleton(rng);
    const std::string text = bvh_text(asset, 0, 30).value();
    const Asset copy = parse(text).value();
    EXPECT_TRUE(copy.warnings.empty());
    EXPECT_EQ(copy.scenes[0].roots.size(), 1u);
    for (Node& node : asset.nodes) std::replace(node.name.begin(), node.name.end(), ' ', '_');
    const Difference d = difference(asset, asset.clips[0], copy, copy.clips[0], 30);
    EXPECT_LT(d.distance, 1e-5 * d.size) << "seed " << seed;
    // All angles zero show the rest pose.
    const NodeState rest = rest_state(asset), copied = rest_state(copy);
    for (std::size_t i = 0; i < copy.nodes.size(); ++i) {
      for (std::size_t k = 0; k < asset.nodes.size(); ++k) {
        if (asset.nodes[k].name != copy.nodes[i].name) continue;
        expect_near(copied.world_from_node[i].translation, rest.world_from_node[k].translation, 1e-5);
      }
    }
  }
}

TEST(BvhText, TheRestPoseAloneIsOneFrame) {
  Asset asset = parse(kArm).value();
  const Asset rest = parse(bvh_text(asset, -1, 30).value()).value();
  EXPECT_EQ(rest.clips.at(0).channels[0].times.size(), 1u);
  expect_near(place(rest, 0, 2), {6, 12, 3}, 1e-6);
  EXPECT_FALSE(bvh_text(asset, 1, 30).ok());
  asset.clips.clear();
  EXPECT_EQ(bvh_text(asset, 0, 30).value(), bvh_text(asset, -1, 30).value());
}

TEST(BvhText, AClipThatEndsBetweenFramesKeepsItsLastPose) {
  const Asset asset = parse(kArm).value();
  const Asset copy = parse(bvh_text(asset, 0, 3).value()).value();
  EXPECT_EQ(copy.clips.at(0).channels[0].times.size(), 3u);
  expect_near(place(copy, 1, 2), place(asset, 1, 2), 1e-5);
}

TEST(BvhText, AnAssetWithoutNodesIsAnError) { EXPECT_FALSE(bvh_text(Asset{}, 0, 30).ok()); }

TEST(BvhText, NamesAreMadeUniqueAndFreeOfSpaces) {
  Asset asset = parse(kArm).value();
  asset.nodes[0].name = asset.nodes[1].name = "a b";
  const std::string text = bvh_text(asset, 0, 2).value();
  EXPECT_NE(text.find("ROOT a_b\n"), std::string::npos);
  EXPECT_NE(text.find("JOINT a_b_2\n"), std::string::npos);
}

TEST(BvhText, AnglesPassThroughGimbalLockWithoutJumps) {
  // X through 90 degrees, where ZXY angles lock.
  std::string text =
      "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation JOINT b { OFFSET 0 1 1 } } "
      "MOTION Frames: 19 Frame Time: 0.1";
  for (int i = 0; i < 19; ++i) text.append(" ").append(std::to_string(i * 10));
  const Asset asset = parse(text).value();
  const std::string written = bvh_text(asset, 0, 10).value();
  const Asset copy = parse(written).value();
  const Difference d = difference(asset, asset.clips[0], copy, copy.clips[0], 10);
  EXPECT_LT(d.distance, 1e-5 * d.size);
  EXPECT_NE(written.find(" 180 "), std::string::npos) << "the X angle should run on to 180";
}

}  // namespace
}  // namespace limber::asset
