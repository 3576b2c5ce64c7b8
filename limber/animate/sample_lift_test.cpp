// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_lift.h"

#include <gtest/gtest.h>

#include "limber/animate/animate_testing.h"
#include "limber/animate/sketch_task.h"
#include "limber/lift/leading_joints.h"

namespace limber::animate {
namespace {

struct Lifted {
  LiftedSample sample;
  metrics::Gait gait;
};

Lifted lift_of(const Frames& video, std::vector<lift::FitStage> stages = {}) {
  const rig::Subject& subject = stage().creature.subject;
  scene::SketchView view(subject.rig, scene::part_gaussians(subject), stage_view());
  SampleLiftSettings settings;
  settings.fps = kStageFps;
  settings.fit.free = lift::leading_joints(subject);
  if (!stages.empty()) settings.fit.stages = std::move(stages);
  Lifted lifted;
  lifted.sample = lift_sample(view, video, settings).value();
  lifted.gait = metrics::find_gait(subject.rig, lifted.sample.motion, metrics::limb_ends(subject));
  return lifted;
}

TEST(SampleLift, RecoversTheWalkThatWasDrawn) {
  const Lifted lifted = lift_of(stage().video);
  EXPECT_LT(metrics::phase_error(lifted.gait, stage().gait), 0.03);
  EXPECT_NEAR(lifted.gait.velocity.z, stage().gait.velocity.z, 0.1 * stage().gait.velocity.z);
  EXPECT_NEAR(lifted.gait.frequency, stage().gait.frequency, 0.1 * stage().gait.frequency);
  EXPECT_NEAR(lifted.gait.movement, stage().gait.movement, 0.3 * stage().gait.movement);
  EXPECT_LT(lifted.sample.fit.residual, 0.1);
}

TEST(SampleLift, OfARestingBodyHardlyMoves) {
  const rig::Subject& subject = stage().creature.subject;
  scene::SketchView view(subject.rig, scene::part_gaussians(subject), stage_view());
  const Lifted lifted = lift_of(view.draw(kinematics::rest_motion(subject.rig, kStageFrames, kStageFps)), short_fit());
  EXPECT_LT(lifted.gait.movement, 0.02);
  EXPECT_LT(norm(lifted.gait.velocity), 0.05);
}

TEST(SampleLift, FindsHowHighABodyFliesWhereItMay) {
  const rig::Subject& subject = stage().creature.subject;
  EXPECT_GT(highest_of(subject.rig, "a dragon flies"), 1);
  EXPECT_EQ(highest_of(subject.rig, "a dragon walks"), 0);
  EXPECT_EQ(highest_of(subject.rig, "a dragon sits down"), 0);
  EXPECT_EQ(highest_of(subject.rig, "a dragon flies, then walks"), 0) << "it would have to land";
  const zoo::Creature fish = zoo::make_creature({zoo::Plan::kFish, 5, 36}).value();
  EXPECT_GT(highest_of(fish.subject.rig, "it turns around"), 1) << "by its fins";
  scene::SketchView view(subject.rig, scene::part_gaussians(subject), stage_view());
  kinematics::Motion flight = stage().walk;
  for (Vec3& place : flight.root_translations) place.y += 0.7f;
  const Frames video = view.draw(flight);
  SampleLiftSettings settings;
  settings.fps = kStageFps, settings.fit.stages = short_fit();
  for (const double highest : {0.0, 1.5}) {
    settings.highest = highest;
    const LiftedSample lifted = lift_sample(view, video, settings).value();
    EXPECT_NEAR(lifted.motion.root_translations[8].y, highest > 0 ? 0.7 : 0, 0.1);
  }
}

TEST(SampleLift, DoesNotFitNoise) {
  EXPECT_GT(lift_of(disturbed(stage().video, 1, 3), short_fit()).sample.fit.residual, 0.15);
}

TEST(SampleLift, CanBeCancelled) {
  const rig::Subject& subject = stage().creature.subject;
  scene::SketchView view(subject.rig, scene::part_gaussians(subject), stage_view());
  SampleLiftSettings settings;
  settings.fit.stages = short_fit();
  settings.fit.progress = [](std::string_view, double fraction) { return fraction < 0.2; };
  const Result<LiftedSample> lifted = lift_sample(view, stage().video, settings);
  ASSERT_FALSE(lifted.ok());
  EXPECT_EQ(lifted.error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace limber::animate
