// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/pose_prior.h"

#include <gtest/gtest.h>

#include "limber/pose_space/pose_motion.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"

namespace limber::animate {
namespace {

/// A walk whose knee was guessed wrong in every frame.
TEST(PosePrior, MendsWhatWasNotSeenAndLeavesWhatWas) {
  zoo::CreatureSettings settings;
  settings.plan = zoo::Plan::kQuadruped, settings.seed = 970104, settings.resolution = 28;
  const zoo::Creature creature = zoo::make_creature(settings).value();
  const pose_space::PoseSpace space =
      pose_space::open_pose_space(creature.subject, testing::source_dir() / "models" / "pose_space").value();
  zoo::ActionSettings action;
  action.frames = 4, action.fps = 6, action.in_place = true;
  const kinematics::Motion truth = zoo::perform(creature, action)->motion;
  const auto knee = static_cast<std::size_t>(creature.legs[0].joints[1]);
  kinematics::Motion guessed = truth;
  for (int f = 0; f < 4; ++f) guessed.frame_angles(f)[knee].x += 0.4f;

  lift::Observability observed;
  observed.frames = 4, observed.joints = truth.joint_count;
  observed.confidence.assign(truth.angles.size(), 1);
  for (int f = 0; f < 4; ++f) observed.confidence[observed.index(f, static_cast<int>(knee))] = 0;
  PosePrior prior;
  prior.lean = 1;
  const kinematics::Motion mended = lean_on_poses(space, prior, guessed, observed);
  double before = 0, after = 0, others = 0;
  for (int f = 0; f < 4; ++f) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(truth.joint_count); ++j) {
      if (j != knee) others = std::max(others, double{norm(mended.frame_angles(f)[j] - guessed.frame_angles(f)[j])});
    }
    before += double{norm(guessed.frame_angles(f)[knee] - truth.frame_angles(f)[knee])};
    after += double{norm(mended.frame_angles(f)[knee] - truth.frame_angles(f)[knee])};
  }
  EXPECT_LT(after, before);
  EXPECT_LT(others, 1e-4);
  prior.lean = 0;
  const kinematics::Motion kept = lean_on_poses(space, prior, guessed, observed);
  for (std::size_t i = 0; i < kept.angles.size(); ++i) EXPECT_LT(norm(kept.angles[i] - guessed.angles[i]), 1e-4f);
}

}  // namespace
}  // namespace limber::animate
