// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "limber/base/result.h"
#include "limber/kinematics/motion_cuda.h"
#include "limber/scene/scene_cuda.h"

/// A fit that stays on the GPU: draw, compare, differentiate, step, without a wait. Private to the stages that fit
/// motions to pictures.
namespace limber::scene {

/// Steps between questions whether there was room for all that was drawn, of which two are on their way: the GPU has
/// something to do while the answer is awaited.
inline constexpr int kStepsAtOnce = 8;

struct DeviceSteps {
  int count = 0;
  std::function<const float*()> compare;                ///< what was drawn: the gradient on frames, on the GPU
  std::function<kinematics::MotionStep(int step)> how;  ///< the step goes
  std::function<bool(int step)> go_on = [](int) { return true; };  ///< asked now and then; false: stops
};

/// From where `motion` stands, near to what `scene` drew last. Returns how many steps were taken: all, or fewer where
/// the rest cannot be drawn without waiting; `motion` stands there. What had too little room is done again, so that
/// nobody can tell. Cancelled is the only error; what a GPU fails at, `scene` knows.
Result<int> take_steps(CudaScene& scene, kinematics::CudaMotion& motion, const DeviceSteps& steps);

}  // namespace limber::scene
