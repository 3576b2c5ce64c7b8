// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "limber/base/device.h"
#include "limber/base/result.h"
#include "limber/base/warning.h"
#include "limber/scene/scene.h"

/// Where scenes are drawn and compared: on a GPU only where it has just been seen to do what the CPU does.
namespace limber::lift {

/// What a device made of a clip.
struct DeviceTrial {
  std::vector<float> pixels;
  std::vector<float> gradient;  ///< on the motion
  std::vector<float> compared;  ///< the gradient of `fit_views` on the motion, and after it its loss
};
using TryDevice = std::function<Result<DeviceTrial>(Device)>;

/// How far a GPU may be from the CPU; the bounds of the GPU's tests.
inline constexpr float kPixelTolerance = 2e-5f;         ///< but for one pixel in `kOddPixels`, and one more ...
inline constexpr float kOddPixelTolerance = 1 / 255.f;  ///< ... where a faint Gaussian is cut off by rounding
inline constexpr std::size_t kOddPixels = 2000;
inline constexpr double kGradientTolerance = 2e-4;  ///< relative, Euclidean

struct ProvenDevice {
  Device device = Device::kCpu;
  std::optional<Warning> warning;  ///< where a GPU was asked for and is not to be used
};

/// `wanted`, where both devices make the same of a trial; the CPU otherwise. In builds without CUDA that is the CPU,
/// and no warning (`scene::has_cuda`).
ProvenDevice proven_device(Device wanted, const TryDevice& attempt);

/// The trial: four frames of a body that moves and sinks into the ground, two views of 64 x 64 with ground and shadow,
/// there and back, and compared with the body at rest as a lift does. Takes as long as one step of a lift.
ProvenDevice proven_device(Device wanted, const rig::Rig& rig, const splat::Gaussians& gaussians);

}  // namespace limber::lift
