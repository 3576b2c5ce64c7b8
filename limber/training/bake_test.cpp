// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/bake.h"

#include <gtest/gtest.h>

#include <fstream>

#include "limber/asset/write.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"

namespace limber::training {
namespace {

namespace fs = std::filesystem;

class Bake : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }
  void write_tube(const std::string& name, int joints, const std::string& clip) {
    asset::Asset asset = testing::tube_asset(joints);
    asset.clips[0].name = clip;
    fs::create_directories((folder_.path() / name).parent_path());
    ASSERT_TRUE(asset::write_asset(asset, folder_.path() / name).ok());
  }
  Result<Baked> bake_here(const std::string& split, std::vector<std::string> others = {}) {
    write("split.json", split);
    BakeSources sources;
    sources.split = folder_.path() / "split.json";
    if (fs::exists(folder_.path() / "mocap/index.json")) sources.recordings = folder_.path() / "mocap/index.json";
    for (const std::string& other : others) sources.others.push_back(folder_.path() / other);
    BakeSettings settings;
    settings.characters.surfaces = 1;
    return bake(sources, settings);
  }
  testing::TemporaryFolder folder_;
};

/// Somebody who bows, as a recording; `length` of the thigh tells who it is.
std::string recording(double length, double angle) {
  const auto joint = [](const std::string& name, const std::string& offset, const std::string& inside) {
    return "JOINT " + name + "\n{\nOFFSET " + offset + "\nCHANNELS 3 Zrotation Yrotation Xrotation\n" + inside + "}\n";
  };
  const std::string end = "End Site\n{\nOFFSET 0 0 1\n}\n";
  std::string text =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n";
  for (const std::string side : {"Left", "Right"}) {
    const std::string x = side == "Left" ? "1" : "-1";
    text += joint(side + "UpLeg", x + " 0 0",
                  joint(side + "Leg", std::string("0 ").append(std::to_string(-length)).append(" 0"),
                        joint(side + "Foot", "0 -4 0", end)));
  }
  std::string arms;
  for (const std::string side : {"Left", "Right"}) {
    const std::string x = side == "Left" ? "2" : "-2";
    arms += joint(side + "Arm", x + " 1 0", joint(side + "ForeArm", x + " 0 0", joint(side + "Hand", x + " 0 0", end)));
  }
  text +=
      joint("Spine", "0 3 0", arms + joint("Head", "0 2.5 0", end)) + "}\nMOTION\nFrames: 20\nFrame Time: 0.0333333\n";
  for (int f = 0; f < 20; ++f) {
    text += "0 8 0";
    // The root's three angles and those of 14 joints; frame one is the pose at rest.
    for (int k = 0; k < 3 + 3 * 14; ++k)
      text.append(" ").append(std::to_string(f == 0 ? 0.0 : angle * f * (1 + k % 5) / 5));
    text += "\n";
  }
  return text;
}

TEST_F(Bake, TakesWhatIsForTrainingAndSaysWhatCannotBeUsed) {
  write_tube("animals/worm.glb", 5, "Walk");
  write_tube("animals/stone.glb", 3, "Walk");
  asset::Asset stone = testing::tube_asset(3);
  stone.clips.clear();
  ASSERT_TRUE(asset::write_asset(stone, folder_.path() / "animals/stone.glb").ok());
  const Baked baked =
      bake_here(R"({"train": ["animals/worm.glb", "animals/stone.glb"], "test": ["gone.glb"]})").value();
  ASSERT_EQ(baked.set.characters.size(), 1u);
  EXPECT_EQ(baked.set.characters[0].name, "animals/worm.glb");
  EXPECT_EQ(baked.failures.size(), 1u);
  EXPECT_EQ(baked.missing, std::vector<std::string>{"gone.glb"});
}

TEST_F(Bake, RefusesATestFileUnderAnotherName) {
  write_tube("test.glb", 6, "Walk");
  write_tube("worm.glb", 5, "Walk");
  fs::copy_file(folder_.path() / "test.glb", folder_.path() / "innocent.glb");
  Result<Baked> baked = bake_here(R"({"train": ["worm.glb", "innocent.glb"], "test": ["test.glb"]})");
  ASSERT_FALSE(baked.ok());
  EXPECT_EQ(baked.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(baked.error().where, "innocent.glb");
  baked = bake_here(R"({"train": ["worm.glb"], "test": ["test.glb"]})", {"innocent.glb"});
  EXPECT_FALSE(baked.ok());
}

TEST_F(Bake, LeavesOutAndNamesClipsOfATest) {
  write_tube("test.glb", 5, "Walk");
  asset::Asset asset = testing::tube_asset(5);
  asset.clips[0].name = "Death";
  testing::add_swing_clip(asset, {3, 4}, "Walk");
  for (asset::Channel& channel : asset.clips[1].channels) {
    for (std::size_t i = 0; i < channel.values.size(); i += 4) {
      const Quat q = normalized(Quat{0.7f * channel.values[i], 0, 2 * channel.values[i + 2], channel.values[i + 3]});
      for (int k = 0; k < 4; ++k) channel.values[i + static_cast<std::size_t>(k)] = q[k];
    }
  }
  for (Vec3& p : asset.meshes[0].primitives[0].positions) p.x *= 1.5f;
  ASSERT_TRUE(asset::write_asset(asset, folder_.path() / "worm.glb").ok());
  const Baked baked = bake_here(R"({"train": ["worm.glb"], "test": ["test.glb"]})").value();
  ASSERT_EQ(baked.repeated_tests.size(), 1u);
  EXPECT_EQ(baked.repeated_tests[0].clip, "Death");
  EXPECT_EQ(baked.repeated_tests[0].repeat.of, "test.glb: Walk");
  ASSERT_EQ(baked.set.characters.at(0).clips.size(), 1u);
  EXPECT_EQ(baked.set.characters[0].clips[0].name, "Walk");
}

TEST_F(Bake, TakesPeopleOnceAndNeverThoseForTesting) {
  write("mocap/README.md", "Credit to copy into cards: \"Thanks to the hall.\"\n");
  write("mocap/bow/cmu_01_01.bvh", recording(4, 3));
  write("mocap/bow/cmu_01_02.bvh", recording(4, 3.003));
  write("mocap/bow/cmu_02_01.bvh", recording(4.5, 2));
  write("mocap/index.json", R"([{"file": "bow/cmu_01_01.bvh", "subject": 1, "action": "bow", "use": "train"},
    {"file": "bow/cmu_01_02.bvh", "subject": 1, "action": "bow", "use": "train"},
    {"file": "bow/cmu_02_01.bvh", "subject": 2, "action": "bow", "use": "test"}])");
  const std::string split = R"({"train": [], "test": []})";
  const Result<Baked> baked = bake_here(split);
  ASSERT_TRUE(baked.ok()) << baked.error().message();
  ASSERT_EQ(baked->set.people.size(), 1u) << (baked->failures.empty() ? "" : baked->failures[0]);
  EXPECT_EQ(baked->set.people[0].recordings.size(), 1u);
  EXPECT_EQ(baked->set.people[0].recordings[0].motion.frame_count(), 10);
  EXPECT_EQ(baked->repeated_people.size(), 1u);
  EXPECT_EQ(baked->set.credits, std::vector<std::string>{"Thanks to the hall."});
  // The same person doing something else, under another name, in another folder.
  write("elsewhere/walk/me.bvh", recording(4.5, -1.1));
  EXPECT_EQ(bake_here(split, {"elsewhere/walk/me.bvh"}).error().kind, ErrorKind::kConflict);
  write("elsewhere/walk/cmu_02_07.bvh", recording(5, -1.1));
  EXPECT_EQ(bake_here(split, {"elsewhere/walk/cmu_02_07.bvh"}).error().kind, ErrorKind::kConflict);
  write("elsewhere/walk/you.bvh", recording(5, -1.1));
  EXPECT_EQ(bake_here(split, {"elsewhere/walk/you.bvh"})->set.people.size(), 2u);
}

TEST_F(Bake, ListsThatAreNoneAreErrors) {
  EXPECT_FALSE(bake_here("[1, 2").ok());
  EXPECT_FALSE(bake_here(R"({"train": []})").ok());
  EXPECT_FALSE(bake_here(R"({"train": [1], "test": []})").ok());
  write("mocap/index.json", R"([{"file": 3}])");
  EXPECT_FALSE(bake_here(R"({"train": [], "test": []})").ok());
}

TEST(BakeShared, LeavesOutTheThreeClipsThatTwoDinosaursShare) {
  const fs::path shared = testing::shared_dir();
  if (!fs::exists(shared / "assets/dinosaur/stegosaurus_quaternius.glb")) GTEST_SKIP() << "no shared data";
  const testing::TemporaryFolder folder;
  const auto path = [&](const char* name) { return std::string("\"").append((shared / name).string()).append("\""); };
  std::ofstream(folder.path() / "split.json")
      << "{\"train\": [" << path("assets/dinosaur/stegosaurus_quaternius.glb") << "], \"test\": ["
      << path("assets/dinosaur/trex_quaternius.glb") << "]}";
  BakeSources sources;
  sources.split = folder.path() / "split.json";
  const Baked baked = bake(sources).value();
  // Its jump and its walk are reused too.
  std::vector<std::string> left_out;
  for (const LeftOut& entry : baked.repeated_tests) left_out.push_back(entry.clip);
  EXPECT_EQ(left_out, (std::vector<std::string>{"Armature|Stegosaurus_Death", "Armature|Stegosaurus_Jump",
                                                "Armature|Stegosaurus_Walk"}));
  EXPECT_EQ(baked.set.characters.at(0).clips.size(), 3u);
}

}  // namespace
}  // namespace limber::training
