// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/scene_on_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/draw_sizes.h"
#include "bench/median.h"
#include "limber/base/checksum.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/scene.h"
#include "limber/scene/scene_cuda.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::bench {
namespace {

using Rows = std::vector<DeviceRow>;

/// The quadruped of `bench splat`, on the spot. The loss is half the squared picture, whose gradient is the picture:
/// nothing but bones and their gradient goes between the GPU and here.
class DeviceWork {
 public:
  DeviceWork(const DrawSizes& sizes, bool ground, std::uint64_t seed)
      : creature_(zoo::make_creature({.seed = seed}).value()), sizes_(sizes) {
    zoo::ActionSettings action;
    action.frames = sizes.frames;
    action.in_place = true;
    motion = zoo::perform(creature_, action).value().motion;
    const asset::Asset asset = zoo::static_asset(creature_);
    splat::SampleSettings sampling;
    sampling.count = static_cast<std::size_t>(sizes.gaussians);
    cloud_ = scene::subject_gaussians(creature_.subject, &asset, sampling);
    cameras = fitted_cameras(creature_.subject.points, sizes, {.rise = 0.2f, .turn = 0.25f});
    settings_.ground.visible = ground;
    if (!ground) settings_.ground.shadow = 0, settings_.hide_depth = -1;
  }

  scene::Scene scene(Device device) const {
    scene::SceneSettings settings = settings_;
    settings.raster.device = device;
    return {creature_.subject.rig, cloud_, settings};
  }
  std::string name() const {
    return fmt::format("{}{}", sizes_.name(), settings_.ground.visible ? "/ground+hide+shadow" : "");
  }

  kinematics::Motion motion;
  std::vector<splat::Camera> cameras;

 private:
  zoo::Creature creature_;
  DrawSizes sizes_;
  splat::Gaussians cloud_;
  scene::SceneSettings settings_;
};

double milliseconds(const Stopwatch& watch) { return 1000 * watch.seconds(); }

DeviceRow time_row(const std::string& name, std::vector<double> times, const std::string& aim,
                   const std::string& note) {
  const double fastest = *std::min_element(times.begin(), times.end());
  return {name, median(std::move(times)), "ms", aim, fmt::format("fastest {:.3f}{}", fastest, note)};
}

double largest_difference(const Frames& a, const Frames& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(double(a.values[i]) - double(b.values[i])));
  }
  return largest;
}

std::vector<Vec3> numbers(const kinematics::MotionGradient& gradient) {
  std::vector<Vec3> all = gradient.angles;
  all.insert(all.end(), gradient.root_translations.begin(), gradient.root_translations.end());
  return all;
}

double relative(const kinematics::MotionGradient& found, const kinematics::MotionGradient& expected) {
  const std::vector<Vec3> a = numbers(found), b = numbers(expected);
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += squared_norm((a[i] - b[i]).cast<double>()), length += squared_norm(b[i].cast<double>());
  }
  return std::sqrt(difference / std::max(length, 1e-300));
}

/// Frames and the gradient on the motion, with frames as the gradient on frames.
Status draw(const DeviceWork& work, Device device, Frames& frames, kinematics::MotionGradient& gradient) {
  scene::Scene scene = work.scene(device);
  scene.forward(work.motion, work.cameras, frames);
  scene.backward(work.motion, work.cameras, frames, gradient);
  return scene.status();
}

/// Bones up, pictures drawn, gradients on bones down; forward kinematics is not counted.
Status add_drawing(const DeviceWork& work, const DeviceSettings& settings, const std::string& aim, bool timeline,
                   Rows& rows) {
  scene::Scene scene = work.scene(Device::kCuda);
  LIMBER_CHECK_OK(scene.forward_on_device(work.motion, work.cameras));
  scene::CudaScene& gpu = *scene.cuda();
  const std::vector<Affine> bones = kinematics::bone_matrices(scene.rig(), work.motion);
  const std::size_t frames = work.motion.root_translations.size();
  std::vector<Affine> grad_bones;
  std::uint64_t first = 0;
  bool same = true;
  const auto run = [&]() -> Status {
    grad_bones.assign(bones.size(), {Mat3{}, {}});
    LIMBER_CHECK_OK(gpu.forward(bones, frames, work.cameras));
    LIMBER_CHECK_OK(gpu.backward(gpu.frames(), grad_bones));
    Checksum sum;
    sum.add(grad_bones);
    if (first == 0) first = sum.value();
    same = same && sum.value() == first;
    return Done{};
  };
  std::vector<double> times;
  for (int i = -3; i < settings.repetitions; ++i) {  // the first ones grow buffers
    const Stopwatch watch;
    LIMBER_CHECK_OK(run());
    if (i >= 0) times.push_back(milliseconds(watch));
  }
  rows.push_back(time_row(
      "gpu forward+pose-backward/" + work.name(), times, aim,
      fmt::format(", {:.0f} MB, {}", static_cast<double>(gpu.bytes()) / 1e6, same ? "same bits" : "BITS DIFFER")));
  if (!timeline) return Done{};
  gpu.start_timeline();
  LIMBER_CHECK_OK(run());
  for (const auto& [step, took] : gpu.take_timeline()) rows.push_back({"  " + step, took, "ms", "", ""});
  return Done{};
}

/// How far the GPU is from the CPU, and what the CPU takes.
Status add_distance(const DeviceWork& work, Rows& rows) {
  Frames frames[2];
  kinematics::MotionGradient gradients[2];
  LIMBER_CHECK_OK(draw(work, Device::kCuda, frames[1], gradients[1]));
  const Stopwatch watch;
  LIMBER_CHECK_OK(draw(work, Device::kCpu, frames[0], gradients[0]));
  rows.push_back({"cpu forward+backward/" + work.name(), milliseconds(watch), "ms", "", "first call"});
  rows.push_back({"  largest difference of pixels", largest_difference(frames[1], frames[0]), "", "<= 0.004", ""});
  rows.push_back({"  relative difference of gradients", relative(gradients[1], gradients[0]), "", "<= 2e-4", ""});
  return Done{};
}

/// One step of render and compare, forward kinematics and its adjoint included, on both devices.
Status add_comparing(const DeviceWork& work, const DeviceSettings& settings, Rows& rows) {
  Frames target;
  scene::Scene painter = work.scene(Device::kCpu);
  painter.forward(work.motion, work.cameras, target);
  kinematics::Motion motion = work.motion;
  for (Vec3& angles : motion.angles) angles += Vec3{0.05f, -0.04f, 0.03f};
  double values[2] = {};
  kinematics::MotionGradient gradients[2];
  for (const Device device : {Device::kCuda, Device::kCpu}) {
    const int k = device == Device::kCuda;
    scene::Scene scene = work.scene(device);
    lift::ViewLoss loss(scene, work.cameras, target, 0.15f, 0.3);
    std::vector<double> times;
    for (int i = -3; i < settings.repetitions; ++i) {
      const Stopwatch watch;
      gradients[k] = {};
      values[k] = loss.add(motion, 2, gradients[k]).value;
      LIMBER_CHECK_OK(scene.status());
      if (i >= 0) times.push_back(milliseconds(watch));
    }
    rows.push_back(time_row(fmt::format("{} render-and-compare/{}", k ? "gpu" : "cpu", work.name()), times, "", ""));
    if (!k) continue;
    scene.cuda()->start_timeline();
    kinematics::MotionGradient unused;
    loss.add(motion, 2, unused);
    LIMBER_CHECK_OK(scene.status());
    for (const auto& [step, took] : scene.cuda()->take_timeline()) rows.push_back({"  " + step, took, "ms", "", ""});
  }
  rows.push_back({"  relative difference of losses", std::abs(values[1] / values[0] - 1), "", "<= 1e-5", ""});
  rows.push_back({"  relative difference of gradients", relative(gradients[1], gradients[0]), "", "<= 2e-4", ""});
  return Done{};
}

/// A fit that stays on the GPU: what a step takes by the clock, how much of that the GPU ran kernels, and which.
Status add_fitting(const DeviceWork& work, const DeviceSettings& settings, Rows& rows) {
  Frames target;
  scene::Scene painter = work.scene(Device::kCpu), scene = work.scene(Device::kCuda);
  painter.forward(work.motion, work.cameras, target);
  lift::ViewFitSettings fit;
  fit.stages = {{2, 64, 0.02, 0.005}};
  const auto run = [&]() -> Result<kinematics::Motion> {
    kinematics::Motion motion = work.motion;
    for (Vec3& angles : motion.angles) angles += Vec3{0.05f, -0.04f, 0.03f};
    LIMBER_TRY(const lift::ViewFitReport report, lift::fit_views(scene, work.cameras, target, fit, motion));
    (void)report;
    return motion;
  };
  LIMBER_TRY(const kinematics::Motion first, run());
  const int steps = fit.stages.front().iterations;
  std::vector<double> times;
  bool same = true;
  for (int i = 0; i < std::min(settings.repetitions, 7); ++i) {
    const Stopwatch watch;
    LIMBER_TRY(const kinematics::Motion again, run());
    times.push_back(milliseconds(watch) / steps);
    same = same && again.angles == first.angles;
  }
  GpuTimeline::get().start("fit");
  LIMBER_CHECK_OK(run());
  const GpuTimeline::Stage seen = GpuTimeline::get().take().front();
  rows.push_back(time_row("gpu fit, a step/" + work.name(), times, "",
                          fmt::format(", kernels {:.0f} % of {:.3f} ms, {}", 100 * seen.busy / (seen.to - seen.from),
                                      1000 * (seen.to - seen.from) / steps, same ? "same bits" : "BITS DIFFER")));
  scene.cuda()->start_timeline();
  LIMBER_CHECK_OK(run());
  Rows kernels;
  for (const auto& [name, took] : scene.cuda()->take_timeline()) {
    const auto found =
        std::find_if(kernels.begin(), kernels.end(), [&](const DeviceRow& row) { return row.name == "  " + name; });
    DeviceRow& row = found == kernels.end() ? kernels.emplace_back(DeviceRow{"  " + name, 0, "ms", "", ""}) : *found;
    row.value += took / steps;
  }
  rows.insert(rows.end(), kernels.begin(), kernels.end());
  return Done{};
}

}  // namespace

Result<Rows> measure_on_device(const DeviceSettings& settings) {
  Rows rows;
  const std::pair<DrawSizes, const char*> aims[] = {
      {{20000, 720, 480, 49, 1}, "<= 2.1"}, {{60000, 720, 480, 49, 1}, "<= 3.6"}, {{4000, 64, 64, 24, 2}, "<= 0.4"}};
  for (const bool ground : {false, true}) {
    for (const auto& [sizes, aim] : aims) {
      const DeviceWork work(sizes, ground, settings.seed);
      LIMBER_CHECK_OK(add_drawing(work, settings, ground ? "" : aim, true, rows));
      if (sizes.gaussians != 60000) LIMBER_CHECK_OK(add_distance(work, rows));
    }
  }
  LIMBER_CHECK_OK(add_comparing(DeviceWork({4000, 64, 64, 24, 2}, true, settings.seed), settings, rows));
  for (const int gaussians : {1000, 4000}) {  // 1,000 are what the built-in prior's bodies have
    LIMBER_CHECK_OK(add_fitting(DeviceWork({gaussians, 64, 64, 24, 2}, true, settings.seed), settings, rows));
  }
  return rows;
}

}  // namespace limber::bench
