// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/device_fits.h"

#include <utility>

#include "limber/distill/target_cuda.h"
#include "limber/scene/device_steps.h"

namespace limber::distill {

DeviceFits::DeviceFits(scene::Scene& scene, kinematics::MotionCosts costs) : scene_(scene), costs_(std::move(costs)) {}
DeviceFits::~DeviceFits() = default;

DeviceFits::Taken DeviceFits::take(const Steps& steps, RunState& state) {
  Taken taken;
  if (scene_.cuda() == nullptr) return taken;
  scene::CudaScene& cuda = *scene_.cuda();
  if (!motion_) motion_ = std::make_unique<kinematics::CudaMotion>(cuda.queue(), scene_.rig(), costs_);
  motion_->put(state.motion, state.adam);
  scene::DeviceSteps device;
  device.count = steps.count;
  device.compare = [&] { return steps.target.compare(cuda); };
  device.how = [&](int step) {
    return kinematics::MotionStep{steps.scale, steps.angle_rate, steps.root_rate, step == 0, true};
  };
  // Nobody cancels it.
  taken.steps = take_steps(cuda, *motion_, device).value();
  if (taken.steps > 0) {
    taken.first = motion_->notes();
    taken.loss = steps.target.loss();
  }
  const kinematics::Motion before = state.motion;
  const kinematics::CudaMotion::Found found = motion_->get(state.motion);
  if (scene_.finish_on_device().ok()) {
    taken.skipped = found.stopped;
    state.adam = found.adam;
  } else {
    state.motion = before;
  }
  return taken;
}

}  // namespace limber::distill
