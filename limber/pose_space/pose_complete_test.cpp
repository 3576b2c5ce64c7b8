// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_complete.h"

#include <gtest/gtest.h>

#include "limber/base/expect.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::pose_space {
namespace {

class PoseCompleteBy : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(NetworksThatFillInOrNot, PoseCompleteBy, ::testing::Values(0, 1));

TEST_P(PoseCompleteBy, KeepsWhatIsKnownAndDrawsTheRest) {
  const testing::TemporaryFolder folder;
  PoseModel model = small_model();
  model.fills = GetParam();
  ASSERT_TRUE(PoseFiles(model).write(folder.path()).ok());
  const zoo::Creature creature = test_creature();
  const PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);
  const PoseSpace space(PoseDenoiser::open(folder.path()).value(), skeleton,
                        make_conditions(skeleton, surface_of(creature.subject)));
  const PoseState pose = encode_pose(skeleton, random_pose(skeleton.rig, 5, 0.4)).state;
  // The last joint and all that hangs on the one in the middle.
  std::vector<bool> hidden(skeleton.joints.size(), false);
  hidden[hidden.size() / 2] = true, hidden.back() = true;
  for (std::size_t j = 1; j < hidden.size(); ++j)
    if (hidden[static_cast<std::size_t>(skeleton.joints[j].parent)]) hidden[j] = true;

  const PoseShape truth = shape_of(skeleton, pose);
  const PoseShape one = shape_of(skeleton, complete_pose(space, pose, hidden, 1));
  const PoseShape other = shape_of(skeleton, complete_pose(space, pose, hidden, 2));
  for (std::size_t j = 0; j < hidden.size(); ++j) {
    const double change = norm(one.turns[j].column(0) - truth.turns[j].column(0));
    if (hidden[j]) {
      EXPECT_GT(change, 1e-3) << j;
      EXPECT_GT(norm(one.turns[j].column(0) - other.turns[j].column(0)), 1e-3) << j;
    } else {
      EXPECT_LT(change, 1e-9) << j;
      EXPECT_LT(norm(one.places[j] - truth.places[j]), 1e-9) << j;
    }
  }
  EXPECT_EQ(complete_pose(space, pose, hidden, 1), complete_pose(space, pose, hidden, 1));
}

TEST(PoseComplete, RefusesJointsThatHangOnWhatIsHidden) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(PoseFiles().write(folder.path()).ok());
  const PoseSkeleton skeleton = make_pose_skeleton(test_creature().subject.rig);
  const PoseSpace space(PoseDenoiser::open(folder.path()).value(), skeleton, make_conditions(skeleton));
  std::vector<bool> hidden(skeleton.joints.size(), false);
  hidden[0] = true;
  EXPECT_THROW(complete_pose(space, space.noise(1), hidden, 1), ContractError);
  hidden.pop_back();
  EXPECT_THROW(complete_pose(space, space.noise(1), hidden, 1), ContractError);
}

}  // namespace
}  // namespace limber::pose_space
