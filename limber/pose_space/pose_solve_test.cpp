// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_solve.h"

#include <gtest/gtest.h>

#include "limber/base/at.h"
#include "limber/pose_space/pose_angles.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_rigs.h"

namespace limber::pose_space {
namespace {

/// Joints without children.
std::vector<int> tips(const PoseSkeleton& skeleton) {
  std::vector<bool> is_tip(skeleton.joints.size(), true);
  for (const PoseJoint& joint : skeleton.joints) {
    if (joint.parent >= 0) is_tip[at(joint.parent)] = false;
  }
  std::vector<int> found;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (is_tip[at(j)]) found.push_back(j);
  }
  return found;
}

PoseState rest_of(const PoseSkeleton& skeleton) { return PoseState(skeleton.joints.size() * kStateSize, 0); }

void expect_bones_kept(const PoseSkeleton& skeleton, const PoseState& state) {
  const PoseShape shape = shape_of(skeleton, state);
  for (const PoseJoint& joint : skeleton.joints) {
    if (joint.parent < 0) continue;
    const Vec3d bone =
        shape.places[at(static_cast<int>(&joint - skeleton.joints.data()))] - shape.places[at(joint.parent)];
    EXPECT_NEAR(norm(bone), norm(joint.offset), 1e-9);
  }
}

/// Where other poses of the same body have their tips can be reached.
TEST(MeetHandles, ReachesWhatCanBeReached) {
  const PoseSkeleton skeleton = make_pose_skeleton(test_creature().subject.rig);
  const std::vector<int> ends = tips(skeleton);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const PoseShape other = shape_of(skeleton, encode_pose(skeleton, random_pose(skeleton.rig, seed, 0.25)).state);
    std::vector<PoseHandle> handles;
    for (std::size_t i = 0; i < 3; ++i) {
      const int joint = ends[(seed + 2 * i) % ends.size()];
      handles.push_back({joint, other.places[at(joint)]});
    }
    const MetHandles met = meet_handles(skeleton, rest_of(skeleton), handles);
    EXPECT_LT(met.worst(), 2e-5) << seed;
    expect_bones_kept(skeleton, met.state);
    const PoseShape shape = shape_of(skeleton, met.state);
    for (std::size_t i = 0; i < handles.size(); ++i)
      EXPECT_NEAR(norm(shape.places[at(handles[i].joint)] - handles[i].target), met.errors[i], 1e-9);
  }
}

TEST(MeetHandles, TellsHowFarItCameWhereAHandleIsOutOfReach) {
  testing::ToyRigSettings settings;
  settings.shape = testing::ToyShape::kChain, settings.joints = 6, settings.axes = true;
  const PoseSkeleton skeleton = make_pose_skeleton(testing::toy_rig(settings));
  double reach = 0;
  for (const PoseJoint& joint : skeleton.joints) reach += norm(joint.offset);
  const std::vector<PoseHandle> handles{{5, {0, 5, 0}}};
  const MetHandles met = meet_handles(skeleton, rest_of(skeleton), handles);
  EXPECT_GE(met.worst(), 5 - reach - 1e-9);
  EXPECT_LT(met.worst(), 5 - 0.98 * reach);  // stretched out towards it
  expect_bones_kept(skeleton, met.state);
}

TEST(MeetHandles, LeavesTheRootAndRigsOfOneJointWhereTheyAre) {
  testing::ToyRigSettings one;
  one.joints = 1;
  for (const PoseSkeleton& skeleton :
       {make_pose_skeleton(testing::toy_rig(one)), make_pose_skeleton(testing::toy_rig())}) {
    const std::vector<PoseHandle> handles{{0, {0, 0.5, 0}}};
    const MetHandles met = meet_handles(skeleton, rest_of(skeleton), handles);
    EXPECT_NEAR(met.worst(), 0.5, 1e-12);
    EXPECT_THROW(meet_handles(skeleton, rest_of(skeleton), std::vector<PoseHandle>{{99, {}}}), ContractError);
  }
}

TEST(MeetHandles, KeepsToLimits) {
  testing::ToyRigSettings settings;
  settings.shape = testing::ToyShape::kChain, settings.joints = 6, settings.axes = true;
  const rig::Rig free = testing::toy_rig(settings);
  rig::RigDraft draft;
  draft.joints.assign(free.joints().begin(), free.joints().end());
  for (rig::Joint& joint : draft.joints) joint.limits = {{-0.2f, -0.2f, -0.2f}, {0.2f, 0.2f, 0.2f}};
  const PoseSkeleton skeleton = make_pose_skeleton(rig::build_rig(draft).value());
  const std::vector<PoseHandle> handles{{5, -skeleton.joints[2].place}};
  const MetHandles met = meet_handles(skeleton, rest_of(skeleton), handles);
  const PoseShape shape = shape_of(skeleton, met.state);
  double most = 0;
  for (int j = 1; j < skeleton.size(); ++j) {
    const rig::JointLimits& limits = skeleton.rig.joints()[at(j)].limits;
    const Vec3d angles =
        angles_within(skeleton.joints[at(j)], transposed(shape.turns[at(j - 1)]) * shape.turns[at(j)], limits);
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(angles[k]));
  }
  EXPECT_LT(most, 0.2 + 1e-6);
  EXPECT_GT(most, 0.19);  // they were in the way
}

TEST(SolvePose, MeetsHandlesFromNothingAndFromThePoseBefore) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(PoseFiles().write(folder.path()).ok());
  // Without limits: a network that was never taught starts beyond them.
  const zoo::Creature creature = test_creature();
  rig::RigDraft draft;
  draft.joints.assign(creature.subject.rig.joints().begin(), creature.subject.rig.joints().end());
  draft.limbs.assign(creature.subject.rig.limbs().begin(), creature.subject.rig.limbs().end());
  for (rig::Joint& joint : draft.joints) joint.limits = {};
  const PoseSkeleton skeleton = make_pose_skeleton(rig::build_rig(draft).value());
  const PoseSpace space(PoseDenoiser::open(folder.path()).value(), skeleton,
                        make_conditions(skeleton, surface_of(creature.subject)));
  const int tip = tips(skeleton).front();
  const auto reachable = [&](std::uint64_t seed) {
    return shape_of(skeleton, encode_pose(skeleton, random_pose(skeleton.rig, seed, 0.2)).state).places[at(tip)];
  };
  std::vector<PoseHandle> handles{{tip, reachable(1)}};
  const SolvedPose first = solve_pose(space, handles);
  ASSERT_EQ(first.errors.size(), 1u);
  EXPECT_LT(first.errors[0], 1e-4);
  EXPECT_GT(first.guided[0], first.errors[0]);
  handles[0].target = reachable(2);
  SolveSettings dragged;
  dragged.from = &first.state;
  EXPECT_LT(solve_pose(space, handles, dragged).errors[0], 1e-4);
}

}  // namespace
}  // namespace limber::pose_space
