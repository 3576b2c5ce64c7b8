// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_state.h"

#include <gtest/gtest.h>

#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/toy_rigs.h"

namespace limber::pose_space {
namespace {

double farthest(const rig::Rig& rig, const kinematics::Pose& a, const kinematics::Pose& b) {
  const std::vector<Affine> one = kinematics::joint_matrices(rig, a), other = kinematics::joint_matrices(rig, b);
  double worst = 0;
  for (std::size_t j = 0; j < one.size(); ++j) {
    worst = std::max<double>(worst, norm(one[j].translation - other[j].translation));
    for (int c = 0; c < 3; ++c)
      worst = std::max<double>(worst, norm(one[j].linear.column(c) - other[j].linear.column(c)));
  }
  return worst;
}

rig::Rig toy(bool scales, bool axes, bool frames, int joints = 12) {
  testing::ToyRigSettings settings;
  settings.scales = scales, settings.axes = axes, settings.frames = frames, settings.joints = joints;
  return testing::toy_rig(settings);
}

TEST(PoseState, ComesBackAsItWasOnAnyRig) {
  for (int kind = 0; kind < 8; ++kind) {
    const rig::Rig rig = toy((kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0);
    const PoseSkeleton skeleton = make_pose_skeleton(rig);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const kinematics::Pose pose = random_pose(rig, seed);
      const EncodedPose encoded = encode_pose(skeleton, pose);
      ASSERT_EQ(encoded.state.size(), 12u * kStateSize);
      EXPECT_LT(farthest(rig, pose, decode_pose(skeleton, encoded.state, encoded.place)), 2e-6) << kind;
    }
  }
}

TEST(PoseState, HasPlacesAndTurnsAsForwardKinematicsHasThem) {
  const rig::Rig rig = toy(false, true, false);
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  const kinematics::Pose pose = random_pose(rig, 7);
  const EncodedPose encoded = encode_pose(skeleton, pose);
  const PoseShape shape = shape_of(skeleton, encoded.state);
  const std::vector<Affine> posed = kinematics::joint_matrices(rig, pose);
  const double c = std::cos(encoded.place.heading), s = std::sin(encoded.place.heading);
  const Mat3d heading = Mat3d::from_columns({c, 0, -s}, {0, 1, 0}, {s, 0, c});
  for (std::size_t j = 0; j < posed.size(); ++j) {
    const Vec3d place = heading * shape.places[j] * skeleton.radius + posed[0].translation.cast<double>();
    EXPECT_LT(norm(place - posed[j].translation.cast<double>()), 2e-6) << j;
    const Mat3d turned = heading * shape.turns[j] * rig.world_from_rest()[j].linear.cast<double>();
    for (int k = 0; k < 3; ++k) EXPECT_LT(norm(turned.column(k) - posed[j].linear.cast<double>().column(k)), 3e-6) << j;
  }
}

TEST(PoseState, IsZeroAtRest) {
  const rig::Rig rig = toy(true, true, true);
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  for (const double v : encode_pose(skeleton, kinematics::rest_pose(rig)).state) EXPECT_NEAR(v, 0, 1e-6);
}

TEST(PoseState, DoesNotKnowWhereABodyIsOrWhichWayItLooks) {
  const zoo::Creature creature = test_creature();
  const PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);
  kinematics::Pose pose = random_pose(creature.subject.rig, 2, 0.5);
  const EncodedPose here = encode_pose(skeleton, pose);
  PosePlace elsewhere = here.place;
  elsewhere.heading += 1.1, elsewhere.translation = {5, 0, 1};
  const EncodedPose there = encode_pose(skeleton, decode_pose(skeleton, here.state, elsewhere));
  EXPECT_NEAR(std::remainder(there.place.heading - elsewhere.heading, 2 * kPi), 0, 1e-5);
  EXPECT_EQ(there.place.translation, elsewhere.translation);
  for (std::size_t i = 0; i < here.state.size(); ++i) EXPECT_NEAR(here.state[i], there.state[i], 1e-5);
}

/// The same body lying in its file along other axes has the same states.
TEST(PoseState, IsTheSameHoweverAFileHoldsTheBody) {
  const rig::Rig rig = toy(false, true, false);
  rig::RigDraft draft;
  draft.joints.assign(rig.joints().begin(), rig.joints().end());
  const Mat3 turn = Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});  // up becomes +Z, forward +X
  draft.joints[0].parent_from_frame = Affine{turn, {0.4f, 0, 2}} * draft.joints[0].parent_from_frame;
  const rig::Rig turned = rig::build_rig(draft).value();
  rig::Facing facing;
  facing.up = {0, 0, 1}, facing.forward = {1, 0, 0}, facing.confidence = 1;
  const kinematics::Pose pose = random_pose(rig, 4);
  const PoseState a = encode_pose(make_pose_skeleton(rig), pose).state;
  const PoseState b = encode_pose(make_pose_skeleton(turned, facing), pose).state;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
}

TEST(PoseState, LetsJointsOfLargeRigsRideAlong) {
  const rig::Rig rig = toy(false, true, false, 300);
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  ASSERT_EQ(skeleton.size(), kMostJoints);
  EXPECT_EQ(skeleton.riders(), 300 - kMostJoints);
  kinematics::Pose pose = kinematics::rest_pose(rig);
  for (const PoseJoint& joint : skeleton.joints) {
    EXPECT_EQ(joint.parent < 0 ? -1 : skeleton.joints[static_cast<std::size_t>(joint.parent)].joint,
              rig.joints()[static_cast<std::size_t>(joint.joint)].parent);
    pose.angles[static_cast<std::size_t>(joint.joint)] = {0.1f, -0.05f, 0.08f};
  }
  const EncodedPose encoded = encode_pose(skeleton, pose);
  EXPECT_LT(farthest(rig, pose, decode_pose(skeleton, encoded.state, encoded.place)), 5e-6);
}

TEST(PoseState, IsThereForARigOfOneJoint) {
  const rig::Rig rig = toy(false, false, false, 1);
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  const kinematics::Pose pose = random_pose(rig, 1);
  const EncodedPose encoded = encode_pose(skeleton, pose);
  EXPECT_LT(farthest(rig, pose, decode_pose(skeleton, encoded.state, encoded.place)), 2e-6);
}

TEST(PoseState, KeepsAnglesNearThoseBefore) {
  const rig::Rig rig = toy(false, false, false, 3);
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  kinematics::Pose pose = kinematics::rest_pose(rig);
  pose.angles[1] = {4, 0, 0};
  const EncodedPose encoded = encode_pose(skeleton, pose);
  EXPECT_NEAR(decode_pose(skeleton, encoded.state, encoded.place, pose.angles).angles[1].x, 4, 1e-5);
}

TEST(PoseState, MakesSomethingOfNumbersThatAreNoRotation) {
  const rig::Rig rig = toy(false, false, false, 4);
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  PoseState state(4 * kStateSize, 0);
  state[kStateSize + 3] = -1 / kRotationUnit;  // a first column of no length
  const PoseShape shape = shape_of(skeleton, state);
  EXPECT_EQ(shape.turns[1], Mat3d::identity());
  EXPECT_THROW(shape_of(skeleton, std::vector<double>(5)), ContractError);
}

}  // namespace
}  // namespace limber::pose_space
