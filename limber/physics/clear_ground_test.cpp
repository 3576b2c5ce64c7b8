// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/clear_ground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

TEST(EvenCover, IsNowhereBelowWhatIsNeeded) {
  std::vector<float> needs(40, 0);
  needs[3] = 1, needs[20] = 0.5f, needs[21] = 2, needs[39] = 0.7f;
  for (const bool loops : {false, true}) {
    const std::vector<float> cover = even_cover(needs, 3, loops);
    float step = 0;
    for (std::size_t f = 0; f < needs.size(); ++f) {
      EXPECT_GE(cover[f], needs[f] - 1e-6f) << f;
      if (f > 0) step = std::max(step, std::abs(cover[f] - cover[f - 1]));
    }
    EXPECT_EQ(cover[12], 0) << "nothing is near";
    EXPECT_LT(step, 0.8f) << "evenly";
    EXPECT_EQ(cover[0] >= 0.5f, true) << "around the corner, or the first";
  }
}

TEST(EvenCover, OfNothingIsNothing) { EXPECT_TRUE(even_cover({}, 3, true).empty()); }

float deepest(const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  std::vector<Vec3> posed(subject.points.size() * static_cast<std::size_t>(motion.frame_count()));
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.bone_count = subject.rig.bone_count(), input.frame_count = motion.frame_count();
  kinematics::SkinOutput output;
  output.points = posed;
  kinematics::skin_forward(input, output);
  float depth = 0;
  for (const Vec3& p : posed) depth = std::max(depth, -p.y);
  return depth;
}

float farthest(const std::vector<float>& lifts) { return *std::max_element(lifts.begin(), lifts.end()); }

TEST(ClearGround, RaisesWhatSinksAndNothingElse) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 5, 36}).value();
  kinematics::Motion motion = zoo::perform(creature, {}).value().motion;
  for (Vec3& root : motion.root_translations) root.y += 0.05f;
  const kinematics::Motion above = motion;
  EXPECT_EQ(farthest(clear_ground(creature.subject, 0.1f, motion)), 0);
  EXPECT_EQ(motion.root_translations, above.root_translations);

  motion.root_translations[2].y -= 0.08f;
  const float depth = deepest(creature.subject, motion);
  ASSERT_GT(depth, 0.01f);
  kinematics::Motion little = motion;
  EXPECT_GE(farthest(clear_ground(creature.subject, 0.1f, motion)), depth - 1e-6f);
  EXPECT_LT(deepest(creature.subject, motion), 1e-5f);
  EXPECT_LE(farthest(clear_ground(creature.subject, 0.01f, little)), 0.0101f) << "but no farther than may be";
}

}  // namespace
}  // namespace limber::physics
