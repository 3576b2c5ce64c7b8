// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/part_view.h"

#include <gtest/gtest.h>

#include "limber/animate/animate_testing.h"
#include "limber/lift/view_fit.h"

namespace limber::animate {
namespace {

scene::PartView view(bool draw_ground = true) {
  const rig::Subject& subject = stage().creature.subject;
  scene::PartViewSettings settings = stage_view();
  settings.draw_ground = draw_ground;
  return scene::PartView(subject.rig, scene::part_gaussians(subject), settings);
}

TEST(PartView, FollowsTheStraightLineThatTheBodyGoes) {
  kinematics::Motion motion = kinematics::rest_motion(stage().creature.subject.rig, 7, kStageFps);
  for (int i = 0; i < 7; ++i)
    motion.root_translations[static_cast<std::size_t>(i)] = {0.02f * float(i), 0, 0.1f * float(i)};
  const scene::PartView part_view = view();
  const scene::Course course = part_view.course(motion);
  EXPECT_LT(norm(course.velocity - Vec3{0.02f, 0, 0.1f}), 1e-5f);
  EXPECT_LT(norm(course.middle - (part_view.rest_box().center() + Vec3{0.06f, 0, 0.3f})), 1e-5f);
}

TEST(PartView, OfABodyThatSlidesOnlyTheGroundMoves) {
  kinematics::Motion motion = kinematics::rest_motion(stage().creature.subject.rig, 3, kStageFps);
  motion.root_translations[1].z = 0.1f, motion.root_translations[2].z = 0.2f;
  const auto change = [&](scene::PartView part_view) {
    const Frames frames = part_view.draw(motion);
    const std::size_t frame = static_cast<std::size_t>(3 * kStageSize * kStageSize);
    double sum = 0;
    for (std::size_t i = 0; i < frame; ++i)
      sum += std::abs(double(frames.values[i]) - double(frames.values[2 * frame + i]));
    return sum / static_cast<double>(frame);
  };
  EXPECT_GT(change(view(true)), 0.005);
  EXPECT_LT(change(view(false)), 1e-4);
}

TEST(PartView, ShowsTheRestingBodyFromBothSides) {
  scene::PartView part_view = view();
  const Frames rest = part_view.rest();
  EXPECT_EQ(rest.views, 2);
  EXPECT_EQ(rest.frames, 1);
  EXPECT_EQ(rest.width, kStageSize);
  EXPECT_EQ(rest.height, kStageSize);
  const double share = lift::body_share(rest);
  EXPECT_GT(share, 0.03);
  EXPECT_LT(share, 0.6);
  // It faces +Z: left in one picture, right in the other.
  const auto middle_column = [&](int shown) {
    double sum = 0, count = 0;
    for (int row = 0; row < kStageSize / 2; ++row) {
      for (int column = 0; column < kStageSize; ++column) {
        if (lift::colourfulness(rest, shown, 0, row, column) > lift::kBodyColour) sum += column, ++count;
      }
    }
    return sum / count - 0.5 * (kStageSize - 1);
  };
  EXPECT_LT(middle_column(0) * middle_column(1), 0) << "the upper half, with the head, is on opposite sides";
}

}  // namespace
}  // namespace limber::animate
