// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/moving_parts.h"

#include <gtest/gtest.h>

#include <string>

namespace limber::parts {
namespace {

/// A chain of joints along +Y, each of which moves one triangle; the areas are given.
struct Chain {
  rig::Rig rig;
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  rig::SkinWeights weights;

  explicit Chain(const std::vector<float>& areas) : rig(make_rig(areas.size())) {
    for (std::size_t j = 0; j < areas.size(); ++j) {
      const auto first = static_cast<std::uint32_t>(points.size());
      const auto y = static_cast<float>(j);
      points.insert(points.end(), {{0, y, 0}, {2 * areas[j], y, 0}, {0, y + 1, 0}});
      triangles.push_back({first, first + 1, first + 2});
      for (int corner = 0; corner < 3; ++corner) {
        weights.bones.insert(weights.bones.end(), {static_cast<std::uint16_t>(j), 0, 0, 0});
        weights.weights.insert(weights.weights.end(), {1, 0, 0, 0});
      }
    }
  }

  static rig::Rig make_rig(std::size_t joints) {
    rig::RigDraft draft;
    for (std::size_t j = 0; j < joints; ++j) {
      rig::Joint joint;
      joint.name = "joint" + std::to_string(j), joint.parent = static_cast<int>(j) - 1;
      joint.rest.translation = {0, 1, 0};
      draft.joints.push_back(joint);
    }
    return rig::build_rig(draft).value();
  }

  /// A motion in which joint `j` swings by `angle`.
  kinematics::Motion swing(int j, float angle) const {
    kinematics::Motion motion = kinematics::rest_motion(rig, 3, 24);
    motion.frame_angles(1)[static_cast<std::size_t>(j)] = {angle, 0, 0};
    return motion;
  }

  MovingParts find(const std::vector<const kinematics::Motion*>& motions,
                   const MovingPartSettings& settings = {}) const {
    return find_moving_parts(rig, points, triangles, weights, motions, settings);
  }
};

TEST(MovingParts, AreAllJointsWhereNoMotionTellsMore) {
  const MovingParts parts = Chain({1, 1, 1}).find({});
  EXPECT_EQ(parts.count, 3);
  EXPECT_EQ(parts.part_of_triangle, (std::vector<std::uint8_t>{0, 1, 2}));
}

TEST(MovingParts, JoinWhatNeverMovesApart) {
  const Chain chain({1, 1, 1, 1});
  const kinematics::Motion bend = chain.swing(2, 0.4f), tremble = chain.swing(1, 0.02f);
  const MovingParts parts = chain.find({&bend, &tremble});
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.part_of_joint, (std::vector<int>{0, 0, 1, 1}));
  // A joint that is bent alike in all frames does not move.
  kinematics::Motion bent = chain.swing(3, 0.0f);
  for (int f = 0; f < 3; ++f) bent.frame_angles(f)[3] = {1, 0, 0};
  EXPECT_EQ(chain.find({&bent}).count, 1);
  kinematics::Motion slides = chain.swing(1, 0.0f);
  slides.overrides.push_back({1, {{0, 1, 0}, {0, 1.1f, 0}, {0, 1, 0}}, {}});
  EXPECT_EQ(chain.find({&slides}).part_of_joint, (std::vector<int>{0, 1, 1, 1}));
}

TEST(MovingParts, LeadEnoughOfTheSurface) {
  EXPECT_EQ(Chain({1, 1, 0.001f}).find({}).part_of_joint, (std::vector<int>{0, 1, 1}));
  // A root without skin goes with what is large.
  EXPECT_EQ(Chain({0, 0.0005f, 1, 2}).find({}).part_of_joint, (std::vector<int>{0, 0, 1, 0}));
  MovingPartSettings few;
  few.most_parts = 2;
  EXPECT_LE(Chain({3, 2, 1, 1, 1}).find({}, few).count, 2);
}

TEST(MovingParts, AreOneWhereThereIsNoSurface) {
  const MovingParts parts = Chain({0, 0}).find({});
  EXPECT_EQ(parts.count, 1);
  EXPECT_EQ(parts.part_of_triangle, (std::vector<std::uint8_t>{0, 0}));
}

}  // namespace
}  // namespace limber::parts
