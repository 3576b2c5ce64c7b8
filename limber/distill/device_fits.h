// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/distill/run_state.h"
#include "limber/kinematics/motion_cuda.h"
#include "limber/scene/scene.h"

/// Steps towards a target that a GPU takes by itself. Private to `distill`.
namespace limber::distill {

class CudaTarget;

class DeviceFits {
 public:
  explicit DeviceFits(scene::Scene& scene, kinematics::MotionCosts costs);
  ~DeviceFits();

  struct Steps {
    CudaTarget& target;
    int count = 0;
    double scale = 1;  ///< of the pictures' gradient
    double angle_rate = 0, root_rate = 0;
  };
  struct Taken {
    int steps = 0;                  ///< fewer than wanted where the CPU must take the rest
    bool skipped = false;           ///< a gradient was not finite: that step was the last
    double loss = 0;                ///< half the stiff squares, before the last step
    kinematics::MotionNotes first;  ///< of the first step
  };
  /// From where the state's motion, which the scene has just drawn, and its optimiser stand. What failed, the scene
  /// knows; the state is then as it was.
  Taken take(const Steps& steps, RunState& state);

 private:
  scene::Scene& scene_;
  kinematics::MotionCosts costs_;
  std::unique_ptr<kinematics::CudaMotion> motion_;  ///< once the scene has a queue
};

}  // namespace limber::distill
