// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/motion.h"

namespace limber::kinematics {

struct AdamSettings {
  double beta_1 = 0.9, beta_2 = 0.99;
  double epsilon = 1e-12;  ///< of a gradient; entries that stay below it do not move
};

/// Adam on a motion's unknowns (Kingma and Ba 2015). All state is plain data, so that a run can be kept and resume with
/// the same bits.
class MotionAdam {
 public:
  explicit MotionAdam(const AdamSettings& settings = {}) : settings_(settings) {}

  /// One step down the gradient. Rates are in radians and heights. Entries that are not finite do not move, nor do the
  /// angles of joints with `free[joint]` false (empty: all are free).
  void step(Motion& motion, const MotionGradient& gradient, double angle_rate, double root_rate,
            const std::vector<bool>& free = {});

  /// What a checkpoint keeps.
  struct State {
    long long steps = 0;
    std::vector<float> first, second;  ///< moments: three per frame for the root, then the angles
  };
  const State& state() const { return state_; }
  void set_state(State state) { state_ = std::move(state); }

 private:
  AdamSettings settings_;
  State state_;
};

}  // namespace limber::kinematics
