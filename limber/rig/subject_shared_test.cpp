// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/base/at.h"
#include "limber/rig/subject.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"

/// Real rigs from ../shared.
namespace limber::rig {
namespace {

#define LIMBER_NEED_SHARED_DATA() \
  if (testing::shared_dir().empty()) GTEST_SKIP() << "../shared is not there"

Subject read_subject(const std::string& path) {
  return subject_from_asset(asset::read_asset(testing::shared_dir() / path).value()).value();
}

/// "wrist < index-finger-metacarpal < ..." from the root to the joint.
std::vector<std::string> path_to(const Rig& rig, const std::string& joint) {
  std::vector<std::string> path;
  for (int j = rig.find(joint); j >= 0; j = rig.joints()[at(j)].parent)
    path.insert(path.begin(), rig.joints()[at(j)].name);
  return path;
}

TEST(SharedSubjects, StandAsTheirAssetsDo) {
  LIMBER_NEED_SHARED_DATA();
  int rigged = 0;
  for (const char* folder : {"assets", "corpus"}) {
    for (const auto& path : testing::shared_files(folder, {".glb", ".gltf"})) {
      const asset::Asset asset = asset::read_asset(path).value();
      const auto subject = subject_from_asset(asset);
      if (!subject.ok()) {
        // Only what has neither skin nor moving nodes.
        EXPECT_TRUE(asset.skins.empty()) << subject.error().message();
        continue;
      }
      ++rigged;
      if (subject->points.empty()) continue;
      std::vector<Affine> bones;
      for (const Bone& bone : subject->rig.bones()) {
        const Affined rest = subject->rig.world_from_rest()[at(bone.joint)].cast<double>();
        bones.push_back((rest * bone.joint_from_bind.cast<double>()).cast<float>());
      }
      const auto world = asset::rest_state(asset).world_from_node;
      EXPECT_LT(testing::posed_error(asset, world, *subject, bones), 1e-6) << path;
    }
  }
  EXPECT_GT(rigged, 40);
}

TEST(SharedSubjects, HandWithoutHierarchyBecomesAHand) {
  LIMBER_NEED_SHARED_DATA();
  const Rig rig = read_subject("assets/hand/hand_left_webxr.glb").rig;
  ASSERT_EQ(rig.joint_count(), 25);
  for (const std::string finger : {"index", "middle", "ring", "pinky"}) {
    const std::string name = finger + "-finger-";
    EXPECT_EQ(path_to(rig, name + "tip"),
              (std::vector<std::string>{"wrist", name + "metacarpal", name + "phalanx-proximal",
                                        name + "phalanx-intermediate", name + "phalanx-distal", name + "tip"}));
  }
  EXPECT_EQ(path_to(rig, "thumb-tip"), (std::vector<std::string>{"wrist", "thumb-metacarpal", "thumb-phalanx-proximal",
                                                                 "thumb-phalanx-distal", "thumb-tip"}));
}

TEST(SharedSubjects, FeetOnInverseKinematicsRootsHangOnTheirLegs) {
  LIMBER_NEED_SHARED_DATA();
  for (const char* path : {"assets/quadruped/wolf_quaternius.glb", "assets/quadruped/cow_quaternius.glb",
                           "assets/quadruped/stag_quaternius.glb", "assets/conformance/donkey_meshopt.glb"}) {
    const Rig rig = read_subject(path).rig;
    EXPECT_EQ(rig.joints()[0].name, "Body") << path;
    for (const std::string end : {"Front", "Back"}) {
      for (const std::string side : {".L", ".R"}) {
        const int foot = rig.find("IK" + end + "Leg" + side);
        ASSERT_GE(foot, 0) << path;
        EXPECT_EQ(rig.joints()[at(rig.joints()[at(foot)].parent)].name, end + "LowerLeg" + side) << path;
      }
    }
  }
}

/// Every rig of the shared folders, which those of split.json are among.
std::vector<std::filesystem::path> all_rigs() {
  std::vector<std::filesystem::path> rigs;
  for (const char* folder : {"assets", "corpus", "corpus2"}) {
    for (const auto& path : testing::shared_files(folder, {".glb", ".gltf"})) rigs.push_back(path);
  }
  return rigs;
}

/// "foot>shin" for every joint that hangs on another joint in the asset than in the subject, and on which there.
std::string rehung(const asset::Asset& asset, const Rig& rig) {
  const std::vector<int> parent = asset::parents(asset);
  std::vector<int> joint_of(asset.nodes.size(), -1);
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].node >= 0) joint_of[at(rig.joints()[at(j)].node)] = j;
  }
  std::vector<std::string> pairs;
  for (const Joint& joint : rig.joints()) {
    if (joint.node < 0) continue;
    int above = parent[at(joint.node)];
    while (above >= 0 && joint_of[at(above)] < 0) above = parent[at(above)];
    if (above < 0 || joint_of[at(above)] == joint.parent) continue;
    pairs.push_back(joint.name + ">" + rig.joints()[at(joint.parent)].name);
  }
  std::sort(pairs.begin(), pairs.end());
  std::string list;
  for (const std::string& pair : pairs) list += (list.empty() ? "" : " ") + pair;
  return list;
}

/// Per file, the joints that are carried by another joint than the one they hang on. Each was looked at.
std::map<std::string, std::string> expected_rehung() {  // table: files and their joints
  const std::string kTwoFeet = "Foot.L>LowerLeg.L Foot.R>LowerLeg.R";
  const std::string kFourFeet =
      "BackFoot.L>BackLowLeg.L BackFoot.R>BackLowLeg.R FrontFoot.L>FrontLowLeg.L FrontFoot.R>FrontLowLeg.R";
  return {
      {"assets/dinosaur/trex_quaternius.glb", "BackFoot.L>BackLowLeg.L BackFoot.R>BackLowLeg.R"},
      {"assets/humanoid/farmer_quaternius.glb", kTwoFeet},
      {"assets/humanoid/knight_quaternius.glb", kTwoFeet},
      {"assets/robot/robot_expressive_threejs.glb", kTwoFeet},
      {"corpus2/humanoid/animchar_casual_female.glb", kTwoFeet},
      {"corpus2/humanoid/animchar_goblin_male.glb", kTwoFeet},
      {"corpus2/humanoid/cube_character_female_1.glb", kTwoFeet},
      {"corpus2/humanoid/modular_woman_punk.glb", kTwoFeet},
      {"corpus2/humanoid/pirate_anne.glb", kTwoFeet},
      {"corpus2/humanoid/pirate_captain_barbarossa.glb", kTwoFeet},
      {"corpus2/humanoid/platformer_character.glb", kTwoFeet},
      {"corpus2/humanoid/space_astronaut_barbara.glb", kTwoFeet},
      {"corpus2/humanoid/sushi_panda.glb", kTwoFeet},
      {"corpus2/humanoid/zkit_lis.glb", kTwoFeet},
      {"corpus2/humanoid/zkit_zombie_basic.glb", kTwoFeet},
      {"corpus2/humanoid/zkit_zombie_ribcage.glb", kTwoFeet},
      {"corpus2/monster/big_bunny.glb", kTwoFeet},
      {"corpus2/monster/big_dino.glb", kTwoFeet},
      {"corpus2/monster/big_monkroose.glb", kTwoFeet},
      {"assets/dinosaur/stegosaurus_quaternius.glb", kFourFeet},
      {"assets/dinosaur/triceratops_quaternius.glb", kFourFeet},
      {"assets/quadruped/frog_quaternius.glb", kFourFeet},
      {"assets/quadruped/sheep_quaternius.glb", kFourFeet},
      {"corpus2/quadruped/farm_cow.glb", kFourFeet},
      {"corpus2/quadruped/farm_horse.glb", kFourFeet},
      {"corpus2/quadruped/farm_pig.glb", kFourFeet},
      {"corpus2/quadruped/farm_pug.glb", kFourFeet},
      {"corpus2/quadruped/farm_zebra.glb", kFourFeet},
      {"assets/multileg/spider_quaternius.glb",
       "BackFoot.L>BackLeg3.L BackFoot.R>BackLeg3.R FrontFoot.L>FrontLeg3.L "
       "FrontFoot2.R>FrontLeg3.R MidBackFoot.L>MidBackLeg3.L MidBackFoot.R>MidBackLeg3.R "
       "MidFrontFoot.L>MidFrontLeg3.L MidFrontFoot.R>MidFrontLeg3.R"},
      {"assets/reptile/snake_quaternius.glb", "Mouth>Head"},
      {"corpus/dinosaurs/parasaurolophus.glb", "BackFoot.L>BackLowLeg.L BackFoot.R>BackLowLeg.R"},
      {"corpus/enemies/snake_angry.glb", "Mouth>Head"},
      {"corpus2/dinosaur/babydino_rickymorgue.glb",
       "Bone.001_L.002_024>Bone.001_L.001_012 Bone.001_R.002_025>Bone.001_R.001_014 "
       "Bone_L.002_022>Bone_L.001_019 Bone_R.002_023>Bone_R.001_021"},
      {"corpus2/flyer/fly_dragon_evolved.glb", "Body1>Torso"},
      {"corpus2/flyer/fly_ghost.glb", "Body1>Torso"},
      {"corpus2/flyer/fly_hywirl.glb", "Body1>Torso"},
      {"corpus2/quadruped/dog_shepherd_dreamnoms/scene.gltf", "spine.006_metarig>spine.007_metarig"},
      {"corpus2/quadruped/farm_llama.glb",
       "BackFoot.L>BackLowLeg.L FrontFoot.L>FrontLowLeg.L FrontFoot.R>FrontLowLeg.R"},
      {"corpus2/quadruped/red_panda_galiulin.glb",
       "left front.l_018>left front.l.001_07 right back.r.005_028>right back.r.004_013 "
       "right back.r_022>right back.r.001_011 right front.r_020>right front.r.001_09"},
      {"corpus2/sea/blue_whale_lvov/scene.gltf", "joint7_06>joint5_05"},
      {"corpus2/sea/shark_schwaab/scene.gltf", "Spine3_06>Spine4_00"},
  };
}

TEST(SharedSubjects, HangJointsOnWhatCarriesThemAndLeaveTheRest) {
  LIMBER_NEED_SHARED_DATA();
  std::map<std::string, std::string> expected = expected_rehung();
  for (const auto& path : all_rigs()) {
    const asset::Asset asset = asset::read_asset(path).value();
    const auto subject = subject_from_asset(asset);
    if (!subject.ok()) continue;
    const std::string file = std::filesystem::relative(path, testing::shared_dir()).generic_string();
    EXPECT_EQ(rehung(asset, subject->rig), expected[file]) << file;
  }
}

TEST(SharedSubjects, FourSkeletonsInEachOtherBecomeOneTree) {
  LIMBER_NEED_SHARED_DATA();
  const Subject subject = read_subject("assets/primitive/recursive_skeletons_khronos.glb");
  EXPECT_EQ(subject.rig.joint_count(), 840);
  EXPECT_EQ(subject.rig.bone_count(), 840);
}

TEST(SharedSubjects, RobotsKeepTheirRigidParts) {
  LIMBER_NEED_SHARED_DATA();
  const Subject subject = read_subject("assets/robot/robot_expressive_threejs.glb");
  const int head = subject.rig.find("Head");
  ASSERT_GE(head, 0);
  bool any = false;
  for (const Bone& bone : subject.rig.bones()) any = any || bone.joint == head;
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace limber::rig
