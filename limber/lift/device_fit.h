// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "limber/kinematics/motion_adam.h"
#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss.h"

namespace limber::kinematics {
class CudaMotion;
struct MotionCosts;
}  // namespace limber::kinematics

/// Steps of `fit_views` that a GPU takes by itself, from angles to pictures and back to angles. Private to `lift`.
namespace limber::lift {

/// Second differences below this, in radians and heights, count as squares.
inline constexpr double kSmoothCorner = 1e-3;

struct StepRates {
  double angles = 0, root = 0;
};

class DeviceFit {
 public:
  /// Null where the scene draws on the CPU, or something can only be computed there: an energy without a form, a motion
  /// with overrides.
  static std::unique_ptr<DeviceFit> make(scene::Scene& scene, const ViewFitSettings& settings,
                                         const kinematics::Motion& motion);
  ~DeviceFit();

  struct Steps {
    int count = 0;
    float blur = 0;
    std::function<StepRates(int step)> rates;
    std::function<bool(int step)> go_on;
  };
  struct Taken {
    int steps = 0;  ///< fewer than wanted where the CPU must take the rest
    int not_finite = 0;
    PixelLoss loss;   ///< before the last step,
    double cost = 0;  ///< and with energies
  };
  /// Motion and optimiser go on from where they stand.
  Result<Taken> take(ViewLoss& pictures, const Steps& steps, kinematics::Motion& motion, kinematics::MotionAdam& adam);

 private:
  DeviceFit(scene::Scene& scene, std::unique_ptr<kinematics::MotionCosts> costs);

  scene::Scene& scene_;
  std::unique_ptr<kinematics::MotionCosts> costs_;
  std::unique_ptr<kinematics::CudaMotion> motion_;  ///< once the scene has a queue
};

}  // namespace limber::lift
