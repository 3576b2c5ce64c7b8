// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/joint_prior.h"

#include <gtest/gtest.h>

#include "limber/zoo/action.h"

namespace limber::animate {
namespace {

/// A walk whose knee was guessed wrong in every frame.
struct WrongKnee {
  WrongKnee() {
    zoo::CreatureSettings settings;
    settings.plan = zoo::Plan::kQuadruped, settings.seed = 970104, settings.resolution = 28;
    creature = zoo::make_creature(settings).value();
    zoo::ActionSettings action;
    action.frames = kFrames, action.fps = 12, action.in_place = true;
    truth = zoo::perform(*creature, action)->motion;
    knee = static_cast<std::size_t>(creature->legs[0].joints[1]);
    guessed = truth;
    for (int f = 0; f < kFrames; ++f) guessed.frame_angles(f)[knee].x += 0.4f;
    observed.frames = kFrames, observed.joints = truth.joint_count;
    observed.confidence.assign(truth.angles.size(), 1);
    for (int f = 0; f < kFrames; ++f) observed.confidence[observed.index(f, static_cast<int>(knee))] = 0;
  }

  /// Sum over the frames of how far the knee is off.
  double wrong(const kinematics::Motion& motion) const {
    double sum = 0;
    for (int f = 0; f < kFrames; ++f) sum += double{norm(motion.frame_angles(f)[knee] - truth.frame_angles(f)[knee])};
    return sum;
  }

  /// How far other joints have gone, at most.
  double others(const kinematics::Motion& motion) const {
    double most = 0;
    for (std::size_t i = 0; i < motion.angles.size(); ++i) {
      if (i % static_cast<std::size_t>(motion.joint_count) == knee) continue;
      most = std::max(most, double{norm(motion.angles[i] - guessed.angles[i])});
    }
    return most;
  }

  static constexpr int kFrames = 12;
  std::optional<zoo::Creature> creature;
  kinematics::Motion truth, guessed;
  std::size_t knee = 0;
  lift::Observability observed;
};

Request wish(bool poses, bool motions) {
  Request request;
  request.prompt = "a dog walks";
  request.pose_prior = poses, request.motion_prior = motions;
  return request;
}

TEST(JointPrior, MendsWhatWasNotSeenAndLeavesWhatWas) {
  const WrongKnee walk;
  for (const bool motions : {false, true}) {
    JointPriorSettings settings;
    settings.lean = 1;
    const auto prior = JointPrior::open(wish(!motions, motions), walk.creature->subject, settings).value();
    ASSERT_TRUE(prior);
    EXPECT_EQ(prior->is_of_poses(), !motions);
    const kinematics::Motion mended = prior->lean(walk.guessed, walk.observed);
    EXPECT_LT(walk.wrong(mended), walk.wrong(walk.guessed)) << motions;
    EXPECT_LT(walk.others(mended), 1e-4) << motions;
    settings.lean = 0;
    const auto none = JointPrior::open(wish(!motions, motions), walk.creature->subject, settings).value();
    const kinematics::Motion kept = none->lean(walk.guessed, walk.observed);
    for (std::size_t i = 0; i < kept.angles.size(); ++i) {
      EXPECT_LT(norm(kept.angles[i] - walk.guessed.angles[i]), 1e-4f);
    }
  }
}

/// A run that begins again where it was stopped asks as one that was not.
TEST(JointPrior, IsAskedAnewWhereARunMayBegin) {
  const WrongKnee walk;
  const auto prior = JointPrior::open(wish(false, true), walk.creature->subject).value();
  const kinematics::WeightedEnergy going = prior->energy(1, true), resumed = prior->energy(1, true);
  EXPECT_EQ(going.name, "motions");
  kinematics::MotionGradient unused;
  const double first = going.energy->add(walk.truth, 0, unused);
  EXPECT_NE(going.energy->add(walk.guessed, 0, unused), first);
  going.energy->renew();
  EXPECT_EQ(going.energy->add(walk.guessed, 0, unused), resumed.energy->add(walk.guessed, 0, unused));
}

TEST(JointPrior, IsNothingWhereNobodyWishesForOne) {
  const WrongKnee walk;
  EXPECT_FALSE(JointPrior::open(wish(false, false), walk.creature->subject).value());
}

}  // namespace
}  // namespace limber::animate
