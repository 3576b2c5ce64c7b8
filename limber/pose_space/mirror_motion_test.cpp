// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/mirror_motion.h"

#include <gtest/gtest.h>

#include "limber/kinematics/forward.h"
#include "limber/zoo/action.h"

namespace limber::pose_space {
namespace {

struct Walker {
  zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 3, 30}).value();
  kinematics::Motion walk;
  PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);

  Walker() {
    zoo::ActionSettings action;
    action.fps = 12, action.frames = 10;
    walk = zoo::perform(creature, action).value().motion;
  }
};

TEST(MirrorMotion, PutsEveryJointWhereAMirrorShowsItsPartner) {
  const Walker walker;
  const kinematics::Motion mirrored = mirrored_motion(walker.skeleton, walker.walk);
  const rig::Rig& rig = walker.creature.subject.rig;
  const auto before = kinematics::joint_matrices(rig, walker.walk), after = kinematics::joint_matrices(rig, mirrored);
  const auto joints = static_cast<std::size_t>(rig.joint_count());
  int pairs = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const PoseJoint& joint = walker.skeleton.joints[i % joints];
    const auto other = joint.partner < 0 ? i % joints : static_cast<std::size_t>(joint.partner);
    pairs += joint.partner < 0 ? 0 : 1;
    const Vec3 seen = before[i - i % joints + other].translation, shown = after[i].translation;
    EXPECT_LT(norm(shown - Vec3{-seen.x, seen.y, seen.z}), 1e-3f) << rig.joints()[i % joints].name << " " << i / joints;
  }
  EXPECT_GT(pairs, 0);
}

TEST(MirrorMotion, TwiceIsTheMotionItself) {
  const Walker walker;
  const kinematics::Motion twice = mirrored_motion(walker.skeleton, mirrored_motion(walker.skeleton, walker.walk));
  const rig::Rig& rig = walker.creature.subject.rig;
  const auto before = kinematics::joint_matrices(rig, walker.walk), after = kinematics::joint_matrices(rig, twice);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_LT(norm(before[i].translation - after[i].translation), 1e-4f);
  }
}

}  // namespace
}  // namespace limber::pose_space
