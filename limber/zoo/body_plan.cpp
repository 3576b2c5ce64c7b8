// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_plan.h"

#include <cmath>

namespace limber::zoo {
namespace {

Quatd axes_of(JointAxes axes) {
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (axes) {
    case JointAxes::kTrunk:
      return to_quat(Mat3d::from_columns(y, z, x));
    case JointAxes::kWing:
      return to_quat(Mat3d::from_columns(z, x, y));
    case JointAxes::kLimb:
      break;
  }
  return {};
}

}  // namespace

std::string sided(std::string_view name, int side) { return std::string(name) + (side > 0 ? ".L" : ".R"); }

std::string numbered(std::string_view name, int number) { return std::string(name) + "." + std::to_string(number); }

int BodyPlan::joint(std::string name, int parent, Vec3d position, JointAxes axes, Vec3d lower, Vec3d upper) {
  joints.push_back({std::move(name), parent, position, axes_of(axes), lower, upper});
  return static_cast<int>(joints.size()) - 1;
}

int BodyPlan::limb(Vec3d attach, double blend, double reach, double melt) {
  limbs.push_back({attach, blend, reach, melt});
  return static_cast<int>(limbs.size()) - 1;
}

void BodyPlan::flesh(int joint_index, int limb_index, Vec3d a, double radius_a, Vec3d b, double radius_b,
                     Vec3d squash) {
  cones.push_back({joint_index, limb_index, a, b, radius_a, radius_b, squash});
}

void BodyPlan::eye(int joint_index, int limb_index, Vec3d centre, double radius) {
  ball(joint_index, limb_index, centre, radius);
  spots.push_back({centre, 1.25 * radius, {0.015, 0.012, 0.01}});
}

Coat draw_coat(Rng& rng) {
  struct Palette {
    Vec3d back, belly, accent;
  };
  static constexpr Palette kPalettes[] = {
      {{0.42, 0.20, 0.07}, {0.80, 0.62, 0.40}, {0.08, 0.04, 0.02}},  // fox
      {{0.20, 0.19, 0.18}, {0.55, 0.52, 0.48}, {0.04, 0.04, 0.05}},  // wolf
      {{0.62, 0.42, 0.18}, {0.86, 0.76, 0.58}, {0.20, 0.10, 0.03}},  // lion
      {{0.10, 0.06, 0.04}, {0.28, 0.17, 0.10}, {0.70, 0.60, 0.46}},  // bear
      {{0.72, 0.68, 0.62}, {0.90, 0.88, 0.84}, {0.10, 0.09, 0.09}},  // sheep
      {{0.14, 0.24, 0.10}, {0.55, 0.60, 0.30}, {0.05, 0.09, 0.04}},  // lizard
      {{0.08, 0.20, 0.34}, {0.62, 0.72, 0.76}, {0.80, 0.34, 0.05}},  // kingfisher
      {{0.52, 0.07, 0.05}, {0.84, 0.50, 0.26}, {0.10, 0.03, 0.03}},  // red
      {{0.30, 0.30, 0.34}, {0.46, 0.46, 0.50}, {0.14, 0.14, 0.17}},  // elephant
      {{0.74, 0.50, 0.06}, {0.88, 0.78, 0.40}, {0.10, 0.07, 0.02}},  // yellow
  };
  const Palette& palette = kPalettes[rng.below(std::size(kPalettes))];
  Coat coat;
  const double shade = rng.uniform(0.8, 1.2);
  coat.back = shade * palette.back, coat.belly = shade * palette.belly, coat.accent = palette.accent;
  static constexpr CoatPattern kPatterns[] = {CoatPattern::kPlain,   CoatPattern::kPlain,   CoatPattern::kSpots,
                                              CoatPattern::kStripes, CoatPattern::kPatches, CoatPattern::kSaddle};
  coat.pattern = kPatterns[rng.below(std::size(kPatterns))];
  coat.pattern_size = rng.uniform(0.07, 0.14);
  coat.socks = rng.chance(0.35) ? rng.uniform(0.12, 0.25) : 0;
  return coat;
}

}  // namespace limber::zoo
