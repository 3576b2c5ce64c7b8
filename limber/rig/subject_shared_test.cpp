// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/rig/subject.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"

/// Real rigs from ../shared.
namespace limber::rig {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

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

/// Every rig of the split, of corpus and corpus2.
std::vector<std::filesystem::path> all_rigs() {
  std::vector<std::filesystem::path> rigs;
  for (const char* folder : {"assets", "corpus", "corpus2"}) {
    for (const auto& path : testing::shared_files(folder, {".glb", ".gltf"})) rigs.push_back(path);
  }
  return rigs;
}

/// "foot>shin" for every joint that hangs on `foot`'s node's parent in the asset, and on `shin` in the subject.
std::string rehung(const asset::Asset& asset, const Rig& rig) {
  const std::vector<int> parent = asset::parents(asset);
  std::vector<int> joint_of(asset.nodes.size(), -1);
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].node >= 0) joint_of[at(rig.joints()[at(j)].node)] = j;
  }
  std::string list;
  for (const Joint& joint : rig.joints()) {
    if (joint.node < 0) continue;
    int above = parent[at(joint.node)];
    while (above >= 0 && joint_of[at(above)] < 0) above = parent[at(above)];
    if (above < 0 || joint_of[at(above)] == joint.parent) continue;
    list += (list.empty() ? "" : " ") + joint.name + ">" + rig.joints()[at(joint.parent)].name;
  }
  return list;
}

TEST(SharedSubjects, ListRehung) {
  LIMBER_NEED_SHARED_DATA();
  for (const auto& path : all_rigs()) {
    const asset::Asset asset = asset::read_asset(path).value();
    const auto subject = subject_from_asset(asset);
    if (!subject.ok()) continue;
    const std::string list = rehung(asset, subject->rig);
    if (!list.empty()) std::printf("@%s|%s\n", std::filesystem::relative(path, testing::shared_dir()).c_str(), list.c_str());
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
