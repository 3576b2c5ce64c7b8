// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "limber/kinematics/motion_adam.h"
#include "limber/kinematics/motion_energy.h"

namespace limber {
class CudaQueue;
}

/// A motion on a GPU while it is fitted: from angles to bone matrices and back, energies and Adam, as `forward`,
/// `motion_energy` and `motion_adam` have them, without a wait. Private to the stages that fit motions.
namespace limber::kinematics {

/// What is minimised beside the pictures, and how.
struct MotionCosts {
  struct Term {
    double weight = 1;
    EnergyForm form;
  };
  std::vector<Term> terms;
  AdamSettings adam;
  std::vector<bool> free;  ///< joints that may turn; empty: all
};

/// Adds an energy's form; false where it has none.
inline bool add_term(MotionCosts& costs, double weight, const MotionEnergy& energy) {
  std::optional<EnergyForm> form = energy.form();
  if (form) costs.terms.push_back({weight, std::move(*form)});
  return form.has_value();
}

/// One step of the optimiser.
struct MotionStep {
  double picture_scale = 1;  ///< of the gradient that bones bring
  double angle_rate = 0, root_rate = 0;
  bool note = false;  ///< keeps `MotionNotes`
  bool stop = false;  ///< a gradient that is not finite ends it all; else it only skips its own step
};

/// What the last step that noted found, before it moved anything.
struct MotionNotes {
  std::vector<double> values;                        ///< per term, without weights
  double picture_gradient = 0, energy_gradient = 0;  ///< Euclidean norms, scaled and weighted
};

/// Motions with overrides, and more than one smoothness, limit or ground term, are for the CPU.
class CudaMotion {
 public:
  static bool can(const Motion& motion, const MotionCosts& costs);

  /// Works on `queue`, and fails as it does. The rig may go.
  CudaMotion(std::shared_ptr<CudaQueue> queue, const rig::Rig& rig, MotionCosts costs);
  ~CudaMotion();

  /// Where the fit begins. The first call counts the unknowns; later ones have as many.
  void put(const Motion& motion, const MotionAdam::State& adam);
  struct Found {
    MotionAdam::State adam;
    int not_finite = 0;  ///< steps since `put` that were skipped, those after a stop not counted
    bool stopped = false;
  };
  /// Waits. Angles and root of `motion` become what they are there.
  Found get(Motion& motion);
  MotionNotes notes();  ///< waits

  /// Bone matrices of where it stands, frames x bones, on the GPU.
  const Affine* pose();
  /// Of the last `pose`, from a gradient on those: goes one step on.
  void step(const Affine* grad_bones, const MotionStep& step);
  /// What `step` went down, for tests: root and angles, three numbers a frame and three a joint. Waits.
  std::vector<float> gradient();

  /// Keeps where it stands in one of two places, and goes back there.
  void keep(int place);
  void go_back(int place);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::kinematics
