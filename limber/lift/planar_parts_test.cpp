// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "limber/lift/part_tracks.h"
#include "limber/zoo/action.h"

namespace limber::lift {
namespace {

/// A creature that walks, as the built-in prior draws it.
struct Walk {
  zoo::Creature creature;
  kinematics::Motion truth;
  scene::PartView view;
  Frames video;
};

Walk make_walk() {
  zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 5, 36}).value();
  zoo::ActionSettings action;
  action.fps = 12, action.frames = 24;
  kinematics::Motion truth = zoo::perform(creature, action).value().motion;
  scene::PartView view(creature.subject.rig, scene::part_gaussians(creature.subject), {});
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
  std::fill(empty.values.begin(), empty.values.end(), scene::PartView::ground().sky.x);
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
