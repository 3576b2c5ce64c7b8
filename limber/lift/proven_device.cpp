// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/proven_device.h"

#include <cmath>
#include <cstdio>

#include "limber/lift/view_loss.h"

namespace limber::lift {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.2g", value);
  return buffer;
}

/// What speaks against it; empty: nothing. Written so that what is not a number speaks against it, too.
std::string pixel_doubt(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return "another number of pixels";
  std::size_t odd = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float off = std::abs(found[i] - expected[i]);
    if (!(off <= kOddPixelTolerance)) return "a pixel is off by " + text(static_cast<double>(off));
    odd += !(off <= kPixelTolerance);
  }
  if (odd <= 1 + found.size() / kOddPixels) return "";
  return std::to_string(odd) + " of " + std::to_string(found.size()) + " pixels are off";
}

std::string gradient_doubt(const char* name, const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return std::string(name) + " of another length";
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto a = static_cast<double>(found[i]), b = static_cast<double>(expected[i]);
    difference += (a - b) * (a - b), length += b * b;
  }
  if (difference <= kGradientTolerance * kGradientTolerance * length) return "";
  return std::string(name) + " off by " + text(std::sqrt(difference / length)) + " of its length";
}

std::string doubt(const DeviceTrial& found, const DeviceTrial& expected) {
  if (std::string pixels = pixel_doubt(found.pixels, expected.pixels); !pixels.empty()) return pixels;
  if (std::string drawn = gradient_doubt("a gradient", found.gradient, expected.gradient); !drawn.empty()) return drawn;
  return gradient_doubt("a comparison", found.compared, expected.compared);
}

std::vector<float> flat(const kinematics::MotionGradient& gradient) {
  std::vector<float> numbers;
  for (const auto* part : {&gradient.angles, &gradient.root_translations}) {
    for (const Vec3& v : *part) numbers.insert(numbers.end(), {v.x, v.y, v.z});
  }
  return numbers;
}

constexpr int kFrames = 4, kViews = 2, kSize = 64;
constexpr float kSink = 0.03f;  // heights: the feet are below the ground by the end

/// Every joint turns a little, each its own way.
kinematics::Motion trial_motion(const rig::Rig& rig) {
  kinematics::Motion motion = kinematics::rest_motion(rig, kFrames, 12);
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    const auto x = static_cast<float>(i);
    motion.angles[i] = {0.15f * std::sin(x), 0.1f * std::sin(1.7f * x), 0.1f * std::cos(2.3f * x)};
  }
  for (std::size_t f = 0; f < kFrames; ++f) motion.root_translations[f].y -= kSink * static_cast<float>(f) / kFrames;
  return motion;
}

Result<DeviceTrial> try_on(Device device, const rig::Rig& rig, const splat::Gaussians& gaussians) {
  scene::SceneSettings settings;
  settings.raster.device = device;
  scene::Scene scene(rig, gaussians, settings);
  const kinematics::Motion motion = trial_motion(rig), rest = kinematics::rest_motion(rig, kFrames, motion.fps);
  scene::OrbitSettings orbit;
  orbit.views = kViews, orbit.width = orbit.height = kSize;
  const std::vector<scene::Camera> cameras = scene::orbit_cameras(scene.frame_boxes(rest), rest.fps, orbit);
  Frames drawn, target;
  kinematics::MotionGradient gradient, compared;
  scene.forward(rest, cameras, target);
  scene.forward(motion, cameras, drawn);
  scene.backward(motion, cameras, drawn, gradient);
  // The target is the device's own: its pixels are compared, too.
  const double loss = ViewLoss(scene, cameras, target, 0.15f, 0.3).add(motion, 1, compared).value;
  LIMBER_CHECK_OK(scene.status());
  DeviceTrial trial{std::move(drawn.values), flat(gradient), flat(compared)};
  trial.pixels.insert(trial.pixels.end(), target.values.begin(), target.values.end());
  trial.compared.push_back(static_cast<float>(loss));
  return trial;
}

}  // namespace

ProvenDevice proven_device(Device wanted, const TryDevice& attempt) {
  if (wanted == Device::kCpu || !scene::has_cuda()) return {};
  std::string reason;
  if (const Result<DeviceTrial> gpu = attempt(Device::kCuda); !gpu.ok()) {
    reason = gpu.error().message();
  } else if (const Result<DeviceTrial> cpu = attempt(Device::kCpu); !cpu.ok()) {
    reason = cpu.error().message();
  } else {
    reason = doubt(*gpu, *cpu);
    if (reason.empty()) return {wanted, std::nullopt};
    reason = "the GPU draws otherwise than the CPU: " + reason;
  }
  return {Device::kCpu, Warning{"gpu_left", {}, {{"why", reason}}, {{"device"}}}};
}

ProvenDevice proven_device(Device wanted, const rig::Rig& rig, const splat::Gaussians& gaussians) {
  return proven_device(wanted, [&](Device device) { return try_on(device, rig, gaussians); });
}

}  // namespace limber::lift
