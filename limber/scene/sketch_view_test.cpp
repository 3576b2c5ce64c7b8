// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/sketch_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::scene {
namespace {

constexpr int kSize = 32;
constexpr double kFps = 12;

const rig::Subject& quadruped() {
  static const zoo::Creature made = zoo::make_creature({zoo::Plan::kQuadruped, 5, 36}).value();
  return made.subject;
}

SketchView view(bool draw_ground = true) {
  SketchViewSettings settings;
  settings.size = kSize, settings.draw_ground = draw_ground;
  return SketchView(quadruped().rig, part_gaussians(quadruped()), settings);
}

/// Parts are painted in colours, the ground in greys. Pictures are counted through all views.
bool is_body(const Frames& frames, int picture, int row, int column) {
  const std::size_t area = kSize * kSize, at = static_cast<std::size_t>(row * kSize + column);
  const float* image = frames.values.data() + static_cast<std::size_t>(picture) * 3 * area;
  const auto [least, most] = std::minmax({image[at], image[area + at], image[2 * area + at]});
  return most - least > 0.1f;
}
bool shows_body(const Frames& frames, int view, int row, int column) {
  return is_body(frames, view * frames.frames, row, column);
}

float distance(const rig::Subject& subject, Framing framing) {
  SketchViewSettings settings;
  settings.framing = framing;
  const SketchView seen(subject.rig, part_gaussians(subject), settings);
  return norm(splat::camera_center(seen.cameras(Course{}, 1).front()));
}

TEST(SketchView, ShowsWideBodiesLargerWhereReachCounts) {
  const zoo::Creature bird = zoo::make_creature({zoo::Plan::kBird, 5, 36}).value();
  const SketchView seen(bird.subject.rig, part_gaussians(bird.subject));
  const Vec3 size = seen.rest_box().size();
  ASSERT_GT(size.x, 1.5f * std::max(size.y, size.z)) << "its wings are spread";
  EXPECT_LT(distance(bird.subject, Framing::kReach), 0.9f * distance(bird.subject, Framing::kRest));
  // A body that is longer than wide looks as before.
  EXPECT_NEAR(distance(quadruped(), Framing::kReach), distance(quadruped(), Framing::kRest), 1e-3f);
}

TEST(SketchView, KeepsFlappingWingsInThePicture) {
  const zoo::Creature bird = zoo::make_creature({zoo::Plan::kBird, 5, 36}).value();
  zoo::ActionSettings action;
  action.action = zoo::Action::kFly, action.fps = kFps, action.frames = 24, action.in_place = true;
  const kinematics::Motion flight = zoo::perform(bird, action).value().motion;
  SketchViewSettings settings;
  settings.size = kSize, settings.framing = Framing::kReach;
  SketchView seen(bird.subject.rig, part_gaussians(bird.subject), settings);
  const Frames frames = seen.draw(flight);
  int shown = 0, cut = 0;
  for (int i = 0; i < frames.views * frames.frames; ++i) {
    for (int k = 0; k < kSize * kSize; ++k) {
      const int row = k / kSize, column = k % kSize;
      if (!is_body(frames, i, row, column)) continue;
      ++shown;
      cut += row == 0 || row == kSize - 1 || column == 0 || column == kSize - 1 ? 1 : 0;
    }
  }
  EXPECT_GT(shown, frames.views * frames.frames * kSize * kSize / 25);
  EXPECT_LT(cut, shown / 100);
}

TEST(SketchView, FollowsTheStraightLineThatTheBodyGoes) {
  kinematics::Motion motion = kinematics::rest_motion(quadruped().rig, 7, kFps);
  for (int i = 0; i < 7; ++i)
    motion.root_translations[static_cast<std::size_t>(i)] = {0.02f * float(i), 0, 0.1f * float(i)};
  const SketchView sketch_view = view();
  const Course course = sketch_view.course(motion);
  EXPECT_LT(norm(course.velocity - Vec3{0.02f, 0, 0.1f}), 1e-5f);
  EXPECT_LT(norm(course.middle - (sketch_view.rest_box().center() + Vec3{0.06f, 0, 0.3f})), 1e-5f);
}

TEST(SketchView, OfABodyThatSlidesOnlyTheGroundMoves) {
  kinematics::Motion motion = kinematics::rest_motion(quadruped().rig, 3, kFps);
  motion.root_translations[1].z = 0.1f, motion.root_translations[2].z = 0.2f;
  const auto change = [&](SketchView sketch_view) {
    const Frames frames = sketch_view.draw(motion);
    const std::size_t frame = static_cast<std::size_t>(3 * kSize * kSize);
    double sum = 0;
    for (std::size_t i = 0; i < frame; ++i)
      sum += std::abs(double(frames.values[i]) - double(frames.values[2 * frame + i]));
    return sum / static_cast<double>(frame);
  };
  EXPECT_GT(change(view(true)), 0.005);
  EXPECT_LT(change(view(false)), 1e-4);
}

TEST(SketchView, ShowsTheRestingBodyFromBothSides) {
  SketchView sketch_view = view();
  const Frames rest = sketch_view.rest();
  EXPECT_EQ(rest.views, 2);
  EXPECT_EQ(rest.frames, 1);
  EXPECT_EQ(rest.width, kSize);
  EXPECT_EQ(rest.height, kSize);
  // It faces +Z: left in one picture, right in the other.
  const auto middle_column = [&](int shown) {
    double sum = 0, count = 0;
    for (int row = 0; row < kSize / 2; ++row) {
      for (int column = 0; column < kSize; ++column) {
        if (shows_body(rest, shown, row, column)) sum += column, ++count;
      }
    }
    // Of the upper half of the picture.
    EXPECT_GT(count, 0.03 * kSize * kSize);
    EXPECT_LT(count, 0.5 * kSize * kSize);
    return sum / count - 0.5 * (kSize - 1);
  };
  EXPECT_LT(middle_column(0) * middle_column(1), 0) << "the upper half, with the head, is on opposite sides";
}

}  // namespace
}  // namespace limber::scene
