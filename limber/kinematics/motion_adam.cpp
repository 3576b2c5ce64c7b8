// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/motion_adam.h"

#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::kinematics {

void MotionAdam::step(Motion& motion, const MotionGradient& gradient, double angle_rate, double root_rate,
                      const std::vector<bool>& free) {
  LIMBER_EXPECT(gradient.angles.size() == motion.angles.size() &&
                    gradient.root_translations.size() == motion.root_translations.size(),
                "a gradient of another motion");
  LIMBER_EXPECT(free.empty() || free.size() == static_cast<std::size_t>(motion.joint_count),
                std::to_string(free.size()) + " of " + std::to_string(motion.joint_count) + " joints");
  const std::size_t roots = motion.root_translations.size(), count = 3 * (roots + motion.angles.size());
  if (state_.first.size() != count) state_ = {0, std::vector<float>(count), std::vector<float>(count)};
  ++state_.steps;
  const double bias_1 = 1 - std::pow(settings_.beta_1, static_cast<double>(state_.steps));
  const double bias_2 = 1 - std::pow(settings_.beta_2, static_cast<double>(state_.steps));

  const auto move = [&](float& value, float slope, std::size_t at, double rate) {
    if (!std::isfinite(slope)) return;
    float& m = state_.first[at];
    float& v = state_.second[at];
    m = static_cast<float>(settings_.beta_1 * m + (1 - settings_.beta_1) * slope);
    v = static_cast<float>(settings_.beta_2 * v + (1 - settings_.beta_2) * slope * slope);
    value -= static_cast<float>(rate * (m / bias_1) / (std::sqrt(v / bias_2) + settings_.epsilon));
  };
  const auto move_all = [&](Vec3& value, const Vec3& slope, std::size_t at, double rate) {
    move(value.x, slope.x, at, rate), move(value.y, slope.y, at + 1, rate), move(value.z, slope.z, at + 2, rate);
  };
  for (std::size_t i = 0; i < roots; ++i) {
    move_all(motion.root_translations[i], gradient.root_translations[i], 3 * i, root_rate);
  }
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    if (!free.empty() && !free[i % static_cast<std::size_t>(motion.joint_count)]) continue;
    move_all(motion.angles[i], gradient.angles[i], 3 * (roots + i), angle_rate);
  }
}

}  // namespace limber::kinematics
