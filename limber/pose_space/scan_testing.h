// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "limber/base/rng.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/testing/gradient_check.h"

/// Energies of motions against differences, for the tests of `pose_space`.
namespace limber::pose_space {

inline constexpr double kExactStep = 0x1.0p-8;  ///< of differences

/// Random multiples of 2^-10: with a step added or taken away floats still hold them exactly.
inline kinematics::Motion exact_motion(const rig::Rig& rig, int frames, double size, std::uint64_t seed) {
  Rng rng(seed, 12);
  kinematics::Motion motion = kinematics::rest_motion(rig, frames, 24);
  for (auto* part : {&motion.root_translations, &motion.angles}) {
    for (Vec3& v : *part) {
      for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(std::round(rng.normal() * size * 1024) / 1024);
    }
  }
  return motion;
}

/// `tolerance`: how far what is computed in floats may be off.
inline void expect_exact_gradient(const kinematics::MotionEnergy& energy, const kinematics::Motion& motion,
                                  double tolerance = 1e-5) {
  kinematics::MotionGradient gradient;
  EXPECT_GT(energy.add(motion, 3.5, gradient), 0);
  std::vector<double> x, analytic;
  for (const auto* part : {&motion.root_translations, &motion.angles}) {
    for (const Vec3& v : *part) x.insert(x.end(), {double{v.x}, double{v.y}, double{v.z}});
  }
  for (const auto* part : {&gradient.root_translations, &gradient.angles}) {
    for (const Vec3& v : *part) analytic.insert(analytic.end(), {double{v.x}, double{v.y}, double{v.z}});
  }
  const auto value = [&](std::span<const double> at) {
    kinematics::Motion moved = motion;
    std::size_t next = 0;
    for (auto* part : {&moved.root_translations, &moved.angles}) {
      for (Vec3& v : *part) {
        for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(at[next++]);
      }
    }
    kinematics::MotionGradient unused;
    return 3.5 * energy.add(moved, 0, unused);
  };
  const std::vector<double> steps(x.size(), kExactStep);
  testing::GradientCheckSettings settings;
  settings.steps = steps, settings.floor = 0.05;
  const testing::GradientCheck check = testing::check_gradient(value, x, analytic, settings);
  EXPECT_LT(check.error, tolerance) << check.summary();
}

}  // namespace limber::pose_space
