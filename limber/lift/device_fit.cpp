// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/device_fit.h"

#include <algorithm>
#include <utility>

#include "limber/kinematics/motion_cuda.h"
#include "limber/scene/device_steps.h"

namespace limber::lift {
namespace {

/// As `add_rest` has it: the mean squared angle, the root's turn not counted.
kinematics::EnergyForm rest_form(const kinematics::Motion& motion) {
  kinematics::EnergyForm form;
  form.kind = kinematics::EnergyForm::Kind::kPull;
  form.roots.resize(motion.root_translations.size()), form.angles.resize(motion.angles.size());
  form.root_weights.resize(form.roots.size());
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  for (std::size_t i = 0; i < form.angles.size(); ++i) {
    form.angle_weights.push_back(i % joints == 0 ? 0.0 : 1 / static_cast<double>(form.angles.size()));
  }
  return form;
}

}  // namespace

DeviceFit::DeviceFit(scene::Scene& scene, std::unique_ptr<kinematics::MotionCosts> costs)
    : scene_(scene), costs_(std::move(costs)) {}
DeviceFit::~DeviceFit() = default;

std::unique_ptr<DeviceFit> DeviceFit::make(scene::Scene& scene, const ViewFitSettings& settings,
                                           const kinematics::Motion& motion) {
  if (scene.device() != Device::kCuda) return nullptr;
  auto costs = std::make_unique<kinematics::MotionCosts>();
  costs->free = settings.free;
  costs->terms.push_back({settings.rest_weight, rest_form(motion)});
  add_term(*costs, settings.smooth_weight, kinematics::SmoothnessEnergy(kSmoothCorner));
  add_term(*costs, settings.limit_weight, kinematics::LimitEnergy(scene.rig()));
  for (const kinematics::WeightedEnergy& term : settings.energies) {
    if (!add_term(*costs, term.weight, *term.energy)) return nullptr;
  }
  if (!kinematics::CudaMotion::can(motion, *costs)) return nullptr;
  return std::unique_ptr<DeviceFit>(new DeviceFit(scene, std::move(costs)));
}

Result<DeviceFit::Taken> DeviceFit::take(ViewLoss& pictures, const Steps& steps, kinematics::Motion& motion,
                                         kinematics::MotionAdam& adam) {
  LIMBER_CHECK_OK(pictures.start_on_device(motion));
  scene::CudaScene& cuda = *scene_.cuda();
  if (!motion_) motion_ = std::make_unique<kinematics::CudaMotion>(cuda.queue(), scene_.rig(), *costs_);
  motion_->put(motion, adam.state());
  scene::DeviceSteps device;
  device.count = steps.count, device.go_on = steps.go_on;
  device.compare = [&] { return pictures.compare_on_device(steps.blur); };
  device.how = [&](int step) {
    const StepRates rates = steps.rates(step);
    kinematics::MotionStep how;
    how.angle_rate = rates.angles, how.root_rate = rates.root;
    how.note = step + 1 == steps.count;
    return how;
  };
  Taken taken;
  const Result<int> made = take_steps(cuda, *motion_, device);
  if (!made.ok()) {
    // What is drawn there refers to a motion that may go now; why it stopped counts more than what else fails.
    (void)scene_.finish_on_device();
    return made.error();
  }
  taken.steps = *made;
  const kinematics::CudaMotion::Found found = motion_->get(motion);
  if (taken.steps == steps.count) {
    taken.loss = pictures.loss_on_device();
    const kinematics::MotionNotes notes = motion_->notes();
    taken.cost = taken.loss.value;
    for (std::size_t k = 0; k < notes.values.size(); ++k) taken.cost += costs_->terms[k].weight * notes.values[k];
  }
  LIMBER_CHECK_OK(scene_.finish_on_device());
  taken.not_finite = found.not_finite;
  adam.set_state(found.adam);
  return taken;
}

}  // namespace limber::lift
