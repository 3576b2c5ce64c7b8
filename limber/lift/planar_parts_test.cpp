// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "limber/kinematics/forward.h"
#include "limber/lift/part_tracks.h"
#include "limber/zoo/action.h"

namespace limber::lift {
namespace {

/// A creature that walks, as the built-in prior draws it.
struct Walk {
  zoo::Creature creature;
  kinematics::Motion truth;
  scene::SketchView view;
  Frames video;
};

Walk make_walk(zoo::Plan plan = zoo::Plan::kQuadruped, std::uint64_t seed = 5) {
  zoo::Creature creature = zoo::make_creature({plan, seed, 36}).value();
  zoo::ActionSettings action;
  action.fps = 12, action.frames = 24;
  kinematics::Motion truth = zoo::perform(creature, action).value().motion;
  scene::SketchView view(creature.subject.rig, scene::part_gaussians(creature.subject), {});
  Frames video = view.draw(truth);
  return {std::move(creature), std::move(truth), std::move(view), std::move(video)};
}

/// Mean distance of the angle of joints that lead legs from the truth, and from rest.
struct Error {
  double lifted = 0, rest = 0;
};
Error leg_error(const Walk& walk, const kinematics::Motion& motion) {
  Error error;
  for (const zoo::Leg& leg : walk.creature.legs) {
    const auto joint = static_cast<std::size_t>(leg.joints.front());
    for (int f = 0; f < motion.frame_count(); ++f) {
      const Vec3 truth = walk.truth.frame_angles(f)[joint];
      error.lifted += double(norm(motion.frame_angles(f)[joint] - truth)), error.rest += double(norm(truth));
    }
  }
  return error;
}

/// How far feet swing around where they are in the mean, seen from the root.
double foot_swing(const zoo::Creature& creature, const kinematics::Motion& motion) {
  const std::vector<Affine> joints = kinematics::joint_matrices(creature.subject.rig, motion);
  const auto stride = static_cast<std::size_t>(motion.joint_count);
  double squares = 0;
  for (const zoo::Leg& leg : creature.legs) {
    std::vector<Vec3> places;
    Vec3 mean;
    for (std::size_t f = 0; f < motion.root_translations.size(); ++f) {
      places.push_back(joints[f * stride + static_cast<std::size_t>(leg.joints.back())] * leg.tip -
                       joints[f * stride].translation);
      mean += (1.0f / static_cast<float>(motion.frame_count())) * places.back();
    }
    for (const Vec3& place : places) squares += double(squared_norm(place - mean));
  }
  return std::sqrt(squares);
}

TEST(LabelParts, ShowsMostPartsAndNoGround) {
  Walk walk = make_walk();
  const scene::Parts parts = scene::find_parts(walk.creature.subject);
  const std::vector<int> labels = label_parts(walk.video, 0, 0, parts);
  std::set<int> shown(labels.begin(), labels.end());
  EXPECT_GT(shown.size(), parts.joints.size() / 2);
  const auto ground = std::count(labels.begin(), labels.end(), -1);
  EXPECT_GT(ground, static_cast<std::ptrdiff_t>(labels.size() / 2)) << "a body is less than half of the picture";
  EXPECT_LT(ground, static_cast<std::ptrdiff_t>(labels.size() * 98 / 100));
  Frames empty(1, 1, 8, 8);
  std::fill(empty.values.begin(), empty.values.end(), scene::SketchView::ground().sky.x);
  for (const int label : label_parts(empty, 0, 0, parts)) EXPECT_EQ(label, -1);
}

TEST(LiftPlanar, FollowsTheLegsOfAWalk) {
  Walk walk = make_walk();
  const PlanarParts lifted = lift_planar(walk.creature.subject, walk.view, walk.video);
  ASSERT_EQ(lifted.motion.frame_count(), 24);
  EXPECT_GT(lifted.seen, 0.3);
  const Error error = leg_error(walk, lifted.motion);
  EXPECT_LT(error.lifted, 0.8 * error.rest) << "nearer to the truth than a body at rest";
  const auto& roots = lifted.motion.root_translations;
  const auto& true_roots = walk.truth.root_translations;
  EXPECT_NEAR(roots.back().z - roots.front().z, true_roots.back().z - true_roots.front().z, 0.15);
}

TEST(LiftPlanar, MovesAsMuchAsWhatItSees) {
  // Many short bones that hide each other: noise once made twice as much of them.
  for (const zoo::Plan plan : {zoo::Plan::kQuadruped, zoo::Plan::kTheropod, zoo::Plan::kBird}) {
    Walk walk = make_walk(plan, 970001);
    const PlanarParts lifted = lift_planar(walk.creature.subject, walk.view, walk.video);
    const double ratio = foot_swing(walk.creature, lifted.motion) / foot_swing(walk.creature, walk.truth);
    EXPECT_GT(ratio, 0.6) << zoo::name(plan);
    EXPECT_LT(ratio, 1.4) << zoo::name(plan);
  }
}

TEST(LiftPlanar, KeepsJointsWithinTheirLimits) {
  Walk walk = make_walk(zoo::Plan::kOctopod, 970004);
  const rig::Rig& rig = walk.creature.subject.rig;
  const PlanarParts lifted = lift_planar(walk.creature.subject, walk.view, walk.video);
  for (int f = 0; f < lifted.motion.frame_count(); ++f) {
    for (std::size_t j = 1; j < rig.joints().size(); ++j) {
      const rig::JointLimits& limits = rig.joints()[j].limits;
      for (int k = 0; k < 3; ++k) {
        EXPECT_LE(lifted.motion.frame_angles(f)[j][k], std::max(limits.upper[k], 0.0f) + 1e-5f);
        EXPECT_GE(lifted.motion.frame_angles(f)[j][k], std::min(limits.lower[k], 0.0f) - 1e-5f);
      }
    }
  }
}

TEST(LiftPlanar, OfABodyAtRestIsRest) {
  Walk walk = make_walk();
  const Frames still = walk.view.draw(kinematics::rest_motion(walk.creature.subject.rig, 24, 12));
  const PlanarParts lifted = lift_planar(walk.creature.subject, walk.view, still);
  for (const Vec3& angle : lifted.motion.angles) EXPECT_LT(norm(angle), 0.02f);
}

TEST(LiftPlanar, OfPicturesWithoutABodyIsRest) {
  Walk walk = make_walk();
  Frames empty = walk.video;
  std::fill(empty.values.begin(), empty.values.end(), 0.8f);
  const PlanarParts lifted = lift_planar(walk.creature.subject, walk.view, empty);
  EXPECT_EQ(lifted.seen, 0);
  for (const Vec3& angle : lifted.motion.angles) EXPECT_EQ(norm(angle), 0);
}

}  // namespace
}  // namespace limber::lift
