// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/find_facing.h"

#include <gtest/gtest.h>

#include "limber/asset/read.h"
#include "limber/rig/rig_extras.h"
#include "limber/rig/stance.h"
#include "limber/testing/shared_data.h"

namespace limber::anatomy {
namespace {

struct NamedJoint {
  const char* name;
  Vec3 position;
};

asset::Asset skeleton(const std::vector<NamedJoint>& joints, const Mat3& turn = Mat3::identity()) {
  asset::Asset asset;
  for (const NamedJoint& joint : joints) {
    asset::Node node;
    node.name = joint.name;
    node.local.translation = turn * joint.position;
    asset.nodes.push_back(node);
  }
  return asset;
}

// Looks along +Z, +Y up, so the left is at +X.
const std::vector<NamedJoint> kHuman{{"Hips", {0, 1, 0}},         {"Head", {0, 1.7f, 0}},
                                     {"LeftHand", {0.5f, 1, 0}},  {"RightHand", {-0.5f, 1, 0}},
                                     {"foot.l", {0.1f, 0.1f, 0}}, {"foot.r", {-0.1f, 0.1f, 0}},
                                     {"toe.l", {0.1f, 0, 0.15f}}, {"toe.r", {-0.1f, 0, 0.15f}}};

TEST(FindFacing, JointNamesTellUpAndForwardInAnyOrientation) {
  // Columns: where X, Y and Z of the figure go.
  for (const Mat3& turn :
       {Mat3::identity(), Mat3::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0}),
        Mat3::from_columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0}), Mat3::from_columns({0, 1, 0}, {1, 0, 0}, {0, 0, -1})}) {
    const Directions guess = find_directions(skeleton(kHuman, turn));
    EXPECT_EQ(guess.up.axis, turn.column(1).cast<double>());
    EXPECT_EQ(guess.forward.axis, turn.column(2).cast<double>());
    EXPECT_GT(guess.up.confidence, 0.8);
    EXPECT_GT(guess.forward.confidence, 0.8);
  }
}

TEST(FindFacing, IsBelievedWhereNamesTellAndLaidLevel) {
  const rig::Facing left = believed_facing(skeleton(kHuman, Mat3::from_columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0})));
  EXPECT_TRUE(left.known());
  EXPECT_EQ(left.forward, (Vec3{1, 0, 0}));
  // Names tell that it stands along +Z, which is what files of other programs have.
  const asset::Asset lying = skeleton(kHuman, Mat3::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0}));
  EXPECT_EQ(believed_facing(lying).up, (Vec3{0, 0, 1}));
  EXPECT_EQ(believed_facing(lying).forward, (Vec3{0, -1, 0}));
  const rig::Facing told = believed_facing(lying, Vec3{0, 0, 1});
  EXPECT_EQ(told.up, (Vec3{0, 0, 1}));
  EXPECT_EQ(told.forward, (Vec3{0, -1, 0}));
  const rig::Facing silent = believed_facing(skeleton({{"a", {0, 0, 0}}, {"b", {1, 0, 0}}}));
  EXPECT_EQ(silent.forward, (Vec3{0, 0, 1}));
  EXPECT_TRUE(rig::is_doubtful(silent));
}

TEST(FindFacing, LeftAndRightAloneSuffice) {
  const Directions guess = find_directions(skeleton({{"LArm", {1, 0, 0}}, {"RArm", {-1, 0, 0}}, {"Spine", {0, 0, 0}}}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{0, 0, 1}));
}

TEST(FindFacing, ATailIsBehind) {
  const Directions guess =
      find_directions(skeleton({{"head", {2, 0, 0}}, {"spine", {0, 0, 0}}, {"tail_1", {-3, 0, 0}}}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{1, 0, 0}));
  EXPECT_EQ(guess.up.axis, (Vec3d{0, 1, 0}));
}

TEST(FindFacing, ContradictingHintsLowerTheConfidence) {
  std::vector<NamedJoint> twisted = kHuman;
  std::swap(twisted[2].name, twisted[3].name);
  const double straight = find_directions(skeleton(kHuman)).forward.confidence;
  EXPECT_LT(find_directions(skeleton(twisted)).forward.confidence, straight);
}

TEST(FindFacing, AMeshAloneGoesByItsStandAndSymmetry) {
  // Symmetric in y, leaning along x, standing on z = 0.
  asset::Asset asset;
  asset.meshes.resize(1);
  asset.meshes[0].primitives.resize(1);
  for (int i = 0; i <= 20; ++i) {
    const auto t = static_cast<float>(i) / 20;
    for (const float side : {-1.0f, 1.0f})
      asset.meshes[0].primitives[0].positions.push_back({t * t, side * 0.3f, 2 * t});
  }
  asset.nodes.resize(1);
  asset.nodes[0].mesh = 0;
  const Directions guess = find_directions(asset);
  EXPECT_EQ(guess.up.axis, (Vec3d{0, 0, 1}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{1, 0, 0}));
  EXPECT_LT(guess.forward.confidence, 0.5);
}

TEST(FindFacing, WithoutAnythingTheConventionHolds) {
  const Directions guess = find_directions(asset::Asset{});
  EXPECT_EQ(guess.up.axis, (Vec3d{0, 1, 0}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{0, 0, 1}));
  EXPECT_LT(guess.forward.confidence, 0.3);
}

TEST(FindFacing, EverySharedRigStandsUprightAndLooksAlongZ) {
  const auto files = testing::shared_files("assets", {".glb"});
  if (files.empty()) GTEST_SKIP() << "no shared assets";
  for (const auto& file : files) {
    const asset::Asset asset = asset::read_asset(file).value();
    if (asset.skins.empty()) continue;
    const Directions guess = find_directions(asset);
    EXPECT_EQ(guess.up.axis, (Vec3d{0, 1, 0})) << file << ": " << guess.up.reason;
    EXPECT_EQ(guess.forward.axis, (Vec3d{0, 0, 1})) << file << ": " << guess.forward.reason;
  }
}

TEST(FindFacing, OfMereConventionIsNotKnown) {
  EXPECT_FALSE(find_facing(asset::Asset{}).known());
  const rig::Facing facing = find_facing(skeleton(kHuman, Mat3::from_columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0})));
  EXPECT_TRUE(facing.known());
  EXPECT_EQ(facing.forward, (Vec3{1, 0, 0}));
  EXPECT_EQ(facing.up, (Vec3{0, 1, 0}));
}

/// A subject of joints alone, scaled and shifted as `subject_from_asset` does.
rig::Subject subject(const std::vector<NamedJoint>& joints) {
  rig::RigDraft draft;
  for (const NamedJoint& named : joints) {
    rig::Joint joint;
    joint.name = named.name, joint.parent = draft.joints.empty() ? -1 : 0;
    joint.rest.translation = 0.5f * (named.position - (joint.parent < 0 ? Vec3{} : joints[0].position));
    draft.joints.push_back(joint);
  }
  return {rig::build_rig(std::move(draft)).value(), {}, {}, {}, {}, {}, 2, {0, 0.3f, 0}, {}, {}};
}

TEST(FindFacing, IsWhatTheFileSays) {
  asset::Asset asset = skeleton(kHuman);
  rig::RigExtras extras;
  extras.facing = rig::make_facing({0, 1, 0}, {-1, 0, 0}).value();
  extras.joints.resize(1);
  asset.skins.push_back({});
  asset.skins[0].joints = {0}, asset.skins[0].extras = rig::write_extras(extras);
  EXPECT_EQ(find_facing(asset).forward, (Vec3{-1, 0, 0}));
  EXPECT_EQ(find_directions(asset).up.axis, (Vec3d{0, 1, 0}));
}

TEST(FindFacing, TurnsWithTheSkeletonSinceTheFileSaidIt) {
  asset::Asset asset = skeleton(kHuman);
  rig::RigExtras extras;
  extras.facing = rig::make_facing({0, 1, 0}, {-1, 0, 0}).value();
  extras.root_rotation = Quat{0, 0, 0, 1};
  extras.joints.resize(1);
  asset.skins.push_back({});
  asset.skins[0].joints = {0}, asset.skins[0].extras = rig::write_extras(extras);
  asset.nodes[0].local.rotation = Quat{0, std::sqrt(0.5f), 0, std::sqrt(0.5f)};  // a quarter about +Y
  EXPECT_LT(norm(find_facing(asset).forward - Vec3{0, 0, 1}), 1e-6f);
}

TEST(FindFacing, OfASubjectIsThatOfItsAsset) {
  std::vector<NamedJoint> turned = kHuman;
  for (NamedJoint& joint : turned) joint.position = {joint.position.z, joint.position.y, -joint.position.x};
  rig::Subject body = subject(turned);
  const rig::Facing facing = find_facing(body);
  EXPECT_TRUE(facing.known());
  EXPECT_EQ(facing.forward, (Vec3{1, 0, 0}));
  // What is known is not found again.
  body.facing = rig::make_facing({0, 1, 0}, {0, 0, -1}).value();
  EXPECT_EQ(find_facing(body).forward, (Vec3{0, 0, -1}));
}

}  // namespace
}  // namespace limber::anatomy
