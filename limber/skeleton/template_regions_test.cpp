// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "limber/anatomy/region.h"
#include "limber/base/expect.h"
#include "limber/skeleton/read_cues.h"
#include "limber/skeleton/template.h"

namespace limber::skeleton {
namespace {

struct Bones {
  std::vector<std::string> names;
  std::vector<int> parents;
  std::vector<Vec3d> places;

  int add(const std::string& name, int parent, Vec3d place) {
    names.push_back(name), parents.push_back(parent), places.push_back(place);
    return static_cast<int>(names.size()) - 1;
  }
  std::map<std::string, anatomy::Region> read(anatomy::BodyKind kind) const {
    const std::vector<anatomy::Region> regions = anatomy::joint_regions(names, parents, places, kind);
    std::map<std::string, anatomy::Region> by_name;
    for (std::size_t i = 0; i < names.size(); ++i) by_name[names[i]] = regions[i];
    return by_name;
  }
};

Bones bones_of(const SkeletonTemplate& skeleton) {
  Bones bones;
  for (const TemplateJoint& joint : skeleton.joints) bones.add(joint.name, joint.parent, joint.at);
  return bones;
}

const SkeletonTemplate& builtin(std::string_view name) {
  for (const SkeletonTemplate& skeleton : builtin_templates()) {
    if (skeleton.name == name) return skeleton;
  }
  throw ContractError("no such template");
}

TEST(BodyRegion, SwapsLeftAndRight) {
  for (int i = 0; i < anatomy::kRegionCount; ++i) {
    const auto region = static_cast<anatomy::Region>(i);
    EXPECT_EQ(mirrored(mirrored(region)), region);
    const std::string text(name(region)), other(name(mirrored(region)));
    if (text.ends_with("left")) {
      EXPECT_EQ(other, text.substr(0, text.size() - 4) + "right");
    } else if (!text.ends_with("right")) {
      EXPECT_EQ(other, text);
    }
  }
}

TEST(BodyRegion, NamesItsKindsAsTheTemplatesAre) {
  for (int i = 0; i < anatomy::kBodyKindCount; ++i) {
    EXPECT_EQ(anatomy::kind_named(name(static_cast<anatomy::BodyKind>(i))), static_cast<anatomy::BodyKind>(i));
  }
  EXPECT_FALSE(anatomy::kind_named("table").has_value());
  for (const SkeletonTemplate& skeleton : builtin_templates()) {
    EXPECT_TRUE(skeleton.name == "hand" || anatomy::kind_named(skeleton.name).has_value()) << skeleton.name;
  }
}

TEST(BodyRegion, ReadsTheTemplates) {
  const std::map<std::string, anatomy::Region> human = bones_of(builtin("humanoid")).read(anatomy::BodyKind::kHumanoid);
  EXPECT_EQ(human.at("hips"), anatomy::Region::kTrunk);
  EXPECT_EQ(human.at("neck"), anatomy::Region::kNeck);
  EXPECT_EQ(human.at("head.tip"), anatomy::Region::kHead);
  EXPECT_EQ(human.at("clavicle.L"), anatomy::Region::kTrunk);
  EXPECT_EQ(human.at("shoulder.L"), anatomy::Region::kFrontUpperLeft);
  EXPECT_EQ(human.at("elbow.R"), anatomy::Region::kFrontLowerRight);
  EXPECT_EQ(human.at("wrist.L"), anatomy::Region::kFrontEndLeft);
  EXPECT_EQ(human.at("hip.L"), anatomy::Region::kHindUpperLeft);
  EXPECT_EQ(human.at("knee.R"), anatomy::Region::kHindLowerRight);
  EXPECT_EQ(human.at("toe.L"), anatomy::Region::kHindEndLeft);
  for (const char* kind : {"quadruped", "lizard"}) {
    const std::map<std::string, anatomy::Region> animal = bones_of(builtin(kind)).read(*anatomy::kind_named(kind));
    EXPECT_EQ(animal.at("shoulder.L"), anatomy::Region::kFrontUpperLeft);
    EXPECT_EQ(animal.at("paw.R"), anatomy::Region::kFrontEndRight);
    EXPECT_EQ(animal.at("hip.R"), anatomy::Region::kHindUpperRight);
    EXPECT_EQ(animal.at("ankle.L"), anatomy::Region::kHindEndLeft);
    EXPECT_EQ(animal.at("tail.1"), anatomy::Region::kTail);
  }
  const std::map<std::string, anatomy::Region> bird = bones_of(builtin("bird")).read(anatomy::BodyKind::kBird);
  EXPECT_EQ(bird.at("wing.2.L"), anatomy::Region::kWingLeft);
  EXPECT_EQ(bird.at("hip.R"), anatomy::Region::kHindUpperRight);
  const std::map<std::string, anatomy::Region> spider = bones_of(builtin("octopod")).read(anatomy::BodyKind::kOctopod);
  EXPECT_EQ(spider.at("leg.1.knee.L"), anatomy::Region::kFrontLowerLeft);
  EXPECT_EQ(spider.at("leg.2.hip.R"), anatomy::Region::kMiddleRight);
  EXPECT_EQ(spider.at("leg.3.ankle.L"), anatomy::Region::kMiddleLeft);
  EXPECT_EQ(spider.at("leg.4.hip.L"), anatomy::Region::kHindUpperLeft);
  const std::map<std::string, anatomy::Region> fish = bones_of(builtin("fish")).read(anatomy::BodyKind::kFish);
  EXPECT_EQ(fish.at("head"), anatomy::Region::kHead);
  EXPECT_EQ(fish.at("tail.1"), anatomy::Region::kTrunk);
  EXPECT_EQ(fish.at("tail.4"), anatomy::Region::kTail);
  EXPECT_EQ(fish.at("fin.1.R"), anatomy::Region::kWingRight);
  EXPECT_EQ(fish.at("dorsal"), anatomy::Region::kFin);
  const std::map<std::string, anatomy::Region> snake = bones_of(builtin("snake")).read(anatomy::BodyKind::kSnake);
  EXPECT_EQ(snake.at("head"), anatomy::Region::kHead);
  EXPECT_EQ(snake.at("spine.3"), anatomy::Region::kTrunk);
  EXPECT_EQ(snake.at("tail.1"), anatomy::Region::kTrunk);
  EXPECT_EQ(snake.at("tail.6"), anatomy::Region::kTail);
}

TEST(BodyRegion, SaysTheSameByRolesAsByNames) {
  for (const SkeletonTemplate& skeleton : builtin_templates()) {
    if (skeleton.name == "hand") continue;  // its fingers hang on no arm, and names do not make them limbs
    const std::vector<anatomy::Region> by_roles = template_regions(skeleton);
    const auto by_names = bones_of(skeleton).read(*anatomy::kind_named(skeleton.name));
    ASSERT_EQ(by_roles.size(), skeleton.joints.size());
    for (std::size_t j = 0; j < by_roles.size(); ++j) {
      EXPECT_EQ(name(by_roles[j]), name(by_names.at(skeleton.joints[j].name)))
          << skeleton.name << " " << skeleton.joints[j].name;
    }
  }
}

TEST(BodyRegion, CountsSectionsWhereNamesSayLeg) {
  // A hind leg of four bones below a girdle, as game animals have them, and a foot that hangs on nothing.
  Bones bones;
  const int root = bones.add("Body", -1, {0, 0.5, 0});
  const int girdle = bones.add("BackShoulder.L", root, {0.02, 0.48, -0.2});
  const int thigh = bones.add("BackLeg.L", girdle, {0.07, 0.48, -0.2});
  const int shin = bones.add("BackUpperLeg.L", thigh, {0.07, 0.35, -0.16});
  bones.add("BackLowerLeg.L", shin, {0.07, 0.2, -0.3});
  bones.add("IKBackLeg.L", root, {0.07, 0.04, -0.3});
  bones.add("PoleTargetBack.L", root, {0.07, 0.3, 0.6});
  // The same with a bone that leads out to the leg.
  const int out = bones.add("FrontLeg.L", root, {0.01, 0.4, 0.2});
  const int upper = bones.add("FrontUpLeg.L", out, {0.08, 0.4, 0.2});
  bones.add("FrontLowLeg.L", upper, {0.08, 0.2, 0.2});
  const std::map<std::string, anatomy::Region> read = bones.read(anatomy::BodyKind::kQuadruped);
  EXPECT_EQ(read.at("BackShoulder.L"), anatomy::Region::kTrunk);
  EXPECT_EQ(read.at("BackLeg.L"), anatomy::Region::kHindUpperLeft);
  EXPECT_EQ(read.at("BackUpperLeg.L"), anatomy::Region::kHindLowerLeft);
  EXPECT_EQ(read.at("BackLowerLeg.L"), anatomy::Region::kHindEndLeft);
  EXPECT_EQ(read.at("IKBackLeg.L"), anatomy::Region::kHindEndLeft);
  EXPECT_EQ(read.at("PoleTargetBack.L"), anatomy::Region::kTrunk);
  EXPECT_EQ(read.at("FrontLeg.L"), anatomy::Region::kTrunk);
  EXPECT_EQ(read.at("FrontUpLeg.L"), anatomy::Region::kFrontUpperLeft);
  EXPECT_EQ(read.at("FrontLowLeg.L"), anatomy::Region::kFrontLowerLeft);
}

TEST(BodyRegion, ReadsOtherPeoplesNames) {
  Bones bones;
  const int hips = bones.add("mixamorig:Hips", -1, {0, 1, 0});
  const int shoulder = bones.add("mixamorig:LeftShoulder", hips, {0.05, 1.5, 0});
  const int arm = bones.add("mixamorig:LeftArm", shoulder, {0.15, 1.5, 0});
  const int fore = bones.add("mixamorig:LeftForeArm", arm, {0.4, 1.5, 0});
  const int hand = bones.add("mixamorig:LeftHand", fore, {0.65, 1.5, 0});
  bones.add("mixamorig:LeftHandIndex1", hand, {0.7, 1.5, 0});
  const int leg = bones.add("mixamorig:RightUpLeg", hips, {-0.1, 0.9, 0});
  const int shin = bones.add("mixamorig:RightLeg", leg, {-0.1, 0.5, 0});
  bones.add("mixamorig:RightFoot", shin, {-0.1, 0.1, 0});
  const int thigh = bones.add("thigh_l", hips, {0.1, 0.9, 0});
  bones.add("thigh_twist_01_l", thigh, {0.1, 0.7, 0});
  const int calf = bones.add("calf_l", thigh, {0.1, 0.5, 0});
  bones.add("ball_l", bones.add("foot_l", calf, {0.1, 0.1, 0}), {0.1, 0, 0.1});
  bones.add("Cape", hips, {0, 1.4, -0.1});
  const std::map<std::string, anatomy::Region> read = bones.read(anatomy::BodyKind::kHumanoid);
  EXPECT_EQ(read.at("mixamorig:LeftShoulder"), anatomy::Region::kTrunk);
  EXPECT_EQ(read.at("mixamorig:LeftArm"), anatomy::Region::kFrontUpperLeft);
  EXPECT_EQ(read.at("mixamorig:LeftForeArm"), anatomy::Region::kFrontLowerLeft);
  EXPECT_EQ(read.at("mixamorig:LeftHandIndex1"), anatomy::Region::kFrontEndLeft);
  EXPECT_EQ(read.at("mixamorig:RightUpLeg"), anatomy::Region::kHindUpperRight);
  EXPECT_EQ(read.at("mixamorig:RightLeg"), anatomy::Region::kHindLowerRight);
  EXPECT_EQ(read.at("mixamorig:RightFoot"), anatomy::Region::kHindEndRight);
  EXPECT_EQ(read.at("thigh_twist_01_l"), anatomy::Region::kHindUpperLeft);
  EXPECT_EQ(read.at("calf_l"), anatomy::Region::kHindLowerLeft);
  EXPECT_EQ(read.at("ball_l"), anatomy::Region::kHindEndLeft);
  EXPECT_EQ(read.at("Cape"), anatomy::Region::kOther);
}

TEST(BodyRegion, CallsLeftWhatIsOnTheLeft) {
  Bones bones;
  const int root = bones.add("root", -1, {0, 1, 0});
  bones.add("thigh.L", root, {-0.1, 0.9, 0});
  bones.add("thigh.R", root, {0.1, 0.9, 0});
  const std::map<std::string, anatomy::Region> read = bones.read(anatomy::BodyKind::kHumanoid);
  EXPECT_EQ(read.at("thigh.L"), anatomy::Region::kHindUpperRight);
  EXPECT_EQ(read.at("thigh.R"), anatomy::Region::kHindUpperLeft);
}

TEST(BodyRegion, FindsFinsAndEndsOfFishWithoutNames) {
  Bones bones;
  int spine = bones.add("Main1", -1, {0, 0, 0.4});
  const int body = spine;
  const double ends[]{0.07, -0.15, -0.31, -0.46};
  for (int i = 0; i < 4; ++i) spine = bones.add("Main" + std::to_string(i + 2), spine, {0, 0, ends[i]});
  bones.add("Bone", body, {0.15, 0, 0.1});
  bones.add("Bone.001", body, {-0.15, 0, 0.1});
  const std::map<std::string, anatomy::Region> read = bones.read(anatomy::BodyKind::kFish);
  EXPECT_EQ(read.at("Main1"), anatomy::Region::kHead);
  EXPECT_EQ(read.at("Main2"), anatomy::Region::kTrunk);
  EXPECT_EQ(read.at("Main5"), anatomy::Region::kTail);
  EXPECT_EQ(read.at("Bone"), anatomy::Region::kWingLeft);
  EXPECT_EQ(read.at("Bone.001"), anatomy::Region::kWingRight);
}

TEST(BodyRegion, TakesAnySkeleton) {
  EXPECT_TRUE(anatomy::joint_regions({}, {}, {}, anatomy::BodyKind::kFish).empty());
  Bones one;
  one.add("", -1, {});
  EXPECT_EQ(one.read(anatomy::BodyKind::kSnake).at(""), anatomy::Region::kTrunk);
  const std::vector<std::string> names{"a", "b"};
  const std::vector<int> parents{1, 0};
  const std::vector<Vec3d> places(2);
  EXPECT_THROW(anatomy::joint_regions(names, parents, places, anatomy::BodyKind::kOther), ContractError);
}

}  // namespace
}  // namespace limber::skeleton
