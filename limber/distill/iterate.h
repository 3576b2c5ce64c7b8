// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/distill/device_fits.h"
#include "limber/distill/distill.h"
#include "limber/distill/run_state.h"
#include "limber/distill/target_cuda.h"

/// One iteration of a distillation, from a state to the next. Private to `distill`.
namespace limber::distill {

/// What a run works with and no iteration changes (the scene and the prior have buffers of their own).
struct Run {
  scene::Scene& scene;
  const CameraRule& cameras;
  prior::VideoPrior& prior;
  const prior::Condition& condition;
  const DistillSettings& settings;
};

/// AKD's energies, made once for a run.
struct Energies {
  kinematics::SmoothnessEnergy smooth;
  kinematics::LimitEnergy limits;
  kinematics::GroundEnergy ground;
};
Energies make_energies(const rig::Rig& rig, const DistillSettings& settings);

/// What takes kDenoise's steps on a GPU; null where the CPU does, or must: an energy without a form, overrides.
std::unique_ptr<DeviceFits> make_device_fits(const Run& run, const Energies& energies,
                                             const kinematics::Motion& motion);

/// What an iteration draws. Handed from one to the next for its memory only.
struct Shown {
  std::vector<scene::Camera> cameras;
  Frames frames;                                 ///< their shape alone where `there`
  bool there = false;                            ///< they stay on the GPU, where the prior looks at them
  std::unique_ptr<DeviceFits> device = nullptr;  ///< where a GPU takes steps by itself
  std::unique_ptr<CudaTarget> answer = nullptr;  ///< what the prior says, on the GPU, once it is needed there
};

/// Whether frames can stay on the GPU from the scene to the prior and back.
bool stays_there(const Run& run, const Shown& shown);

/// Random numbers for an iteration's cameras, apart from the prior's.
Rng camera_rng(const DistillSettings& settings, int iteration);

/// Asks the prior about what the scene shows, and steps where it points. An error leaves the state as it was.
Status iterate(const Run& run, const Energies& energies, Shown& shown, RunState& state);

}  // namespace limber::distill
