// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/fit_scans.h"

#include <gtest/gtest.h>

#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"

namespace limber::pose_space {
namespace {

PoseSpace space_of(const rig::Subject& subject) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(PoseFiles().write(folder.path()).ok());
  return open_pose_space(subject, folder.path()).value();
}

/// Of a network that was never taught nothing is asked.
ScanFitSettings by_scans_alone() {
  ScanFitSettings settings;
  settings.drawn = 0, settings.prior_weight = 0, settings.starts = 2, settings.body_points = 300;
  return settings;
}

/// Frames of a walk, somewhere else and facing elsewhere.
kinematics::Motion walk(const zoo::Creature& creature, int frames) {
  zoo::ActionSettings action;
  action.frames = 12, action.fps = 12, action.in_place = true;
  const kinematics::Motion whole = zoo::perform(creature, action)->motion;
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, frames, 12);
  const PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);
  for (int f = 0; f < frames; ++f) {
    EncodedPose pose = encode_pose(skeleton, pose_at(whole, f));
    pose.place.heading += 2.2, pose.place.translation += Vec3{0.7f, 0.1f, -0.4f};
    const kinematics::Pose turned = decode_pose(skeleton, pose.state, pose.place);
    std::copy(turned.angles.begin(), turned.angles.end(), motion.frame_angles(f).begin());
    motion.root_translations[static_cast<std::size_t>(f)] = turned.root_translation;
  }
  return motion;
}

/// The surfaces of a motion; with `damage`, noise of 0.3 % of the height and a ball cut out.
std::vector<Scan> scans_of(const rig::Subject& subject, const kinematics::Motion& motion, bool damage) {
  const std::vector<Vec3> posed = posed_points(subject, motion);
  std::vector<Scan> scans;
  Rng rng(4, 4);
  for (int f = 0; f < motion.frame_count(); ++f) {
    const auto first = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(f) * subject.points.size());
    std::vector<Vec3> points(posed.begin() + first,
                             posed.begin() + first + static_cast<std::ptrdiff_t>(subject.points.size()));
    std::vector<body::Triangle> triangles;
    const Vec3 hole = points[points.size() / 3];
    for (const auto& t : subject.triangles)
      if (!damage || norm(points[t[0]] - hole) > 0.08f) triangles.push_back(t);
    for (Vec3& p : points) {
      for (int k = 0; damage && k < 3; ++k) p[k] += static_cast<float>(0.003 * rng.normal());
    }
    scans.push_back(Scan::make(points, triangles, 600).value());
  }
  return scans;
}

/// Mean distance of joints, in heights.
double joint_error(const rig::Rig& rig, const kinematics::Motion& a, const kinematics::Motion& b) {
  const std::vector<Affine> p = kinematics::joint_matrices(rig, a), q = kinematics::joint_matrices(rig, b);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += double{norm(p[i].translation - q[i].translation)};
  return sum / static_cast<double>(p.size());
}

TEST(FitScans, FindsPosesOfABodyThatStandsAndFacesElsewhere) {
  const zoo::Creature creature = test_creature();
  const kinematics::Motion truth = walk(creature, 2);
  const PoseSpace space = space_of(creature.subject);
  for (const bool damage : {false, true}) {
    const auto fitted = fit_scans(creature.subject, space, scans_of(creature.subject, truth, damage), by_scans_alone());
    ASSERT_TRUE(fitted.ok());
    ASSERT_EQ(fitted->motion.frame_count(), 2);
    EXPECT_LT(joint_error(creature.subject.rig, fitted->motion, truth), 0.02);
    for (const FrameFit& frame : fitted->frames) {
      EXPECT_LT(frame.distance.scan_to_body, 0.01);
      EXPECT_EQ(frame.doubt, "");
    }
  }
}

TEST(FitScans, SaysWhereTheBodyDoesNotExplainAScan) {
  const zoo::Creature quadruped = test_creature(), bird = test_creature(zoo::Plan::kBird, 5);
  const std::vector<Scan> scans = scans_of(bird.subject, kinematics::rest_motion(bird.subject.rig, 1, 24), false);
  ScanFitSettings settings = by_scans_alone();
  settings.stages = {{0.2, 12, 0.05, 0.02, false}};
  const auto fitted = fit_scans(quadruped.subject, space_of(quadruped.subject), scans, settings);
  ASSERT_TRUE(fitted.ok());
  EXPECT_NE(fitted->frames[0].doubt, "");
}

TEST(FitScans, GivesTheSameForAnyNumberOfThreadsAndStopsWhenAsked) {
  const zoo::Creature creature = test_creature();
  const PoseSpace space = space_of(creature.subject);
  const std::vector<Scan> scans = scans_of(creature.subject, walk(creature, 3), false);
  ScanFitSettings settings;
  settings.drawn = 1, settings.starts = 2, settings.headings = 2, settings.body_points = 100;
  settings.stages = {{0.2, 8, 0.05, 0.02, false}};
  const auto fit = [&](int threads) {
    set_thread_count(threads);
    const auto fitted = fit_scans(creature.subject, space, scans, settings);
    set_thread_count(0);
    return fitted->motion.angles;
  };
  EXPECT_EQ(fit(1), fit(3));
  settings.progress = [](std::string_view, double done) { return done < 0.5; };
  const auto stopped = fit_scans(creature.subject, space, scans, settings);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

TEST(FitScans, NeedsASurface) {
  zoo::Creature creature = test_creature();
  const std::vector<Scan> scans = scans_of(creature.subject, walk(creature, 1), false);
  const PoseSpace space = space_of(creature.subject);
  creature.subject.triangles.clear();
  EXPECT_FALSE(fit_scans(creature.subject, space, scans).ok());
}

}  // namespace
}  // namespace limber::pose_space
