// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "limber/physics/trajectory.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

/// A quadruped that stands still and leans back, so that its fore feet are a little above the ground, as of a motion
/// that pictures tell.
kinematics::Motion leaning(const zoo::Creature& creature) {
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, 20, 30);
  for (int f = 0; f < motion.frame_count(); ++f) motion.frame_angles(f)[0].x = -0.04f;
  return motion;
}

/// Bodies with planted points in the middle of the motion, and how high the highest of these points is, in heights.
struct Standing {
  std::set<int> bodies;
  double highest = 0;
};

Standing standing(const zoo::Creature& creature, double touch) {
  const kinematics::Motion motion = leaning(creature);
  const Puppet puppet = make_puppet(creature.subject, motion).value();
  ReferenceSettings settings;
  settings.habitat = Habitat::kGround, settings.touch = touch;
  const std::vector<double> given = positions_from_motion(puppet, creature.subject, motion);
  const Reference reference = make_reference(puppet, creature.subject, motion, given, settings);
  const std::vector<Vec3d> points = contact_points(puppet.model, reference.positions);
  const int frame = reference.first + reference.count / 2;
  Standing result;
  for (int b = 1; b < puppet.model.body_count(); ++b) {
    const BodyT<double>& body = puppet.model.bodies[static_cast<std::size_t>(b)];
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      const auto index = static_cast<std::size_t>(p);
      if (!reference.planted[index][static_cast<std::size_t>(frame)]) continue;
      result.bodies.insert(b);
      const Vec3d place = points[static_cast<std::size_t>(frame) * puppet.model.points.size() + index];
      result.highest = std::max(result.highest, place.y / puppet.metres);
    }
  }
  return result;
}

TEST(Reference, PutsFeetOnTheGroundThatHoverWherePicturesTellHeights) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 5, 36}).value();
  const Standing exact = standing(creature, 0.012), lenient = standing(creature, 0.08);
  EXPECT_GT(lenient.bodies.size(), exact.bodies.size()) << "the fore feet, too";
  EXPECT_TRUE(std::includes(lenient.bodies.begin(), lenient.bodies.end(), exact.bodies.begin(), exact.bodies.end()));
  EXPECT_LT(lenient.highest, 0.02) << "and they were put there";
}

}  // namespace
}  // namespace limber::physics
