// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/splat.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>

#include "bench/scene_on_device.h"
#include "bench/timing.h"
#include "limber/base/checksum.h"
#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/scene/body_splats.h"
#include "limber/splat/rasterize.h"
#include "limber/splat/reference.h"
#include "limber/splat/surface.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::bench {
namespace {

/// What is differentiated by what.
enum class Backward { kGaussians, kPose };

struct Task {
  DrawSizes sizes;
  Backward backward = Backward::kGaussians;

  std::string name() const {
    return (backward == Backward::kPose ? "forward+pose-backward/" : "forward+backward/") + sizes.name();
  }
};

/// A zoo quadruped that walks on the spot, seen by cameras that orbit it; its height fills 80 % of the image's.
class Workload {
 public:
  Workload(const Task& task, std::uint64_t seed) : task_(task) {
    const DrawSizes& sizes = task.sizes;
    zoo::CreatureSettings creature_settings;
    creature_settings.seed = seed;
    const zoo::Creature creature = zoo::make_creature(creature_settings).value();
    zoo::ActionSettings action;
    action.frames = std::max(sizes.frames, 2);
    action.in_place = true;
    const kinematics::Motion motion = zoo::perform(creature, action).value().motion;
    bone_count_ = creature.subject.rig.bone_count();
    bones_ = kinematics::bone_matrices(creature.subject.rig, motion);
    bones_.resize(static_cast<std::size_t>(sizes.frames * bone_count_));
    make_gaussians(creature);
    cameras_ = fitted_cameras(creature.subject.points, sizes, {.rise = 0.2f, .turn = 0.25f});

    Rng rng(seed);
    const auto draw = [&] { return static_cast<float>(rng.normal()); };
    const std::size_t pixels = cameras_.size() * static_cast<std::size_t>(sizes.width * sizes.height);
    images_.resize(pixels), alphas_.resize(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
      grad_images_.push_back({draw(), draw(), draw()});
      grad_alphas_.push_back(draw());
    }
  }

  void run() {
    splat::rasterize_forward(input(), {images_, alphas_}, workspace_);
    splat::RasterGradient gradient;
    if (task_.backward == Backward::kPose) {
      grad_bones_.assign(bones_.size(), {Mat3{}, Vec3{}});
      gradient.bones = grad_bones_;
    } else {
      const std::size_t count = cloud_.size();
      grad_means_.assign(count, {}), grad_colors_.assign(count, {});
      grad_covariances_.assign(count, {}), grad_opacities_.assign(count, 0);
      gradient = {grad_means_, grad_covariances_, grad_opacities_, grad_colors_, {}, {}};
    }
    splat::rasterize_backward(input(), {images_, alphas_}, {grad_images_, grad_alphas_}, gradient, workspace_);
  }

  /// The first image by the reference, forward and backward.
  void run_reference() const {
    splat::ReferenceGaussians rest;
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      rest.means.push_back(cloud_.means[i].cast<double>());
      rest.covariances.push_back(covariances_[i].cast<double>());
      rest.opacities.push_back(double(cloud_.opacities[i]));
      rest.colors.push_back(colors_[i].cast<double>());
    }
    const splat::ReferenceSkin skin{cloud_.influences, cloud_.bones, {cloud_.weights.begin(), cloud_.weights.end()}};
    std::vector<Affined> bones;
    for (int b = 0; b < bone_count_; ++b) bones.push_back(bones_[static_cast<std::size_t>(b)].cast<double>());
    std::vector<Vec3d> grad_color;
    for (const Vec3& g : grad_images_) grad_color.push_back(g.cast<double>());
    const splat::ReferenceGaussians posed = splat::reference_pose_forward(rest, skin, bones);
    const splat::ReferenceImage image = splat::reference_forward(posed, cameras_[0]);
    const splat::ReferenceGradient grad = splat::reference_backward(
        posed, cameras_[0], image, grad_color, std::vector<double>(grad_alphas_.begin(), grad_alphas_.end()));
    splat::reference_pose_backward(rest, skin, bones, grad);
  }

  double megabytes() const { return static_cast<double>(workspace_.bytes()) / 1e6; }

  /// Over images and gradients.
  std::uint64_t checksum() const {
    Checksum sum;
    sum.add(images_).add(alphas_).add(grad_bones_).add(grad_means_).add(grad_covariances_).add(grad_colors_);
    return sum.value();
  }

 private:
  void make_gaussians(const zoo::Creature& creature) {
    const asset::Asset asset = zoo::static_asset(creature);
    splat::SampleSettings settings;
    settings.count = static_cast<std::size_t>(task_.sizes.gaussians);
    cloud_ = scene::subject_gaussians(creature.subject, &asset, settings);
    covariances_ = splat::covariances(cloud_);
    colors_ = splat::base_colors(cloud_);
  }

  splat::RasterInput input() const {
    splat::RasterInput in;
    in.means = cloud_.means;
    in.covariances = covariances_;
    in.opacities = cloud_.opacities;
    in.colors = colors_;
    in.influences = cloud_.influences;
    in.bone_indices = cloud_.bones;
    in.bone_weights = cloud_.weights;
    in.bone_count = bone_count_;
    in.bones = bones_;
    in.frame_count = task_.sizes.frames;
    in.cameras = cameras_;
    return in;
  }

  Task task_;
  int bone_count_ = 0;
  splat::Gaussians cloud_;
  std::vector<Symmetric> covariances_, grad_covariances_;
  std::vector<Vec3> colors_, images_, grad_images_, grad_means_, grad_colors_;
  std::vector<float> alphas_, grad_alphas_, grad_opacities_;
  std::vector<Affine> bones_, grad_bones_;
  std::vector<splat::Camera> cameras_;
  splat::RasterWorkspace workspace_;
};

/// The frame of the first aim on 1, 2 and 4 threads: the checksums must agree. On one thread also the reference.
void add_thread_rows(const TimedSettings& settings, Workload& work, const std::string& name, Report& report) {
  const int threads_before = thread_count();
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const Timing timing = time_runs(settings.repetitions, [&] { work.run(); });
    const std::uint64_t hash = work.checksum();
    if (threads == 1) first = hash;
    Row row = make_row(fmt::format("{}/threads:{}", name, threads), timing);
    row.note += fmt::format(", checksum {:016x}{}", hash, hash == first ? "" : " DIFFERS");
    report.rows.push_back(row);
    if (threads > 1) continue;
    const Timing reference = time_runs(1, [&] { work.run_reference(); });
    report.rows.push_back({"reference in double, one thread", reference.median, "ms", "", ""});
    report.rows.push_back(
        {"times faster than the reference, one thread", reference.median / timing.median, "x", ">= 5", ""});
  }
  set_thread_count(threads_before);
}

Report bench_splat(const TimedSettings& settings) {
  const SimdLevel best = simd_level();
  Report report;
  report.title = fmt::format("splat: zoo quadruped {} walking, {}", settings.seed, simd_level_name(best));
  const Task frame{{50000, 720, 480, 1, 1}, Backward::kGaussians}, clip{{20000, 256, 384, 49, 1}, Backward::kPose},
      prior{{4000, 64, 64, 24, 2}, Backward::kPose};
  const std::pair<Task, std::string> aims[] = {{frame, "<= 12"}, {clip, "<= 350"}, {prior, "<= 40"}};
  for (const auto& [task, aim] : aims) {
    Workload work(task, settings.seed);
    for (const SimdLevel level : available_simd_levels()) {
      set_simd_level(level);
      const Timing timing = time_runs(settings.repetitions, [&] { work.run(); });
      const bool is_best = level == best;
      const std::string suffix = is_best ? "" : fmt::format("/{}", simd_level_name(level));
      Row row = make_row(task.name() + suffix, timing, is_best ? aim : "");
      row.note += fmt::format(", {:.1f} MB", work.megabytes());
      report.rows.push_back(row);
    }
    set_simd_level(best);
    if (task.sizes.gaussians == frame.sizes.gaussians)
      add_thread_rows(settings, work, "forward+backward/720x480", report);
  }
  add_scene_rows(settings, report);
  return report;
}

}  // namespace

void add_splat_bench(CLI::App& bench, cli::Terminal& terminal) {
  struct Settings : TimedSettings {
    std::string device = "cpu";
  };
  auto settings = std::make_shared<Settings>();
  CLI::App& command = add_timed_subject(
      bench, terminal,
      {"splat", "Gaussians and scenes, forward and backward",
       "  limber-lab bench splat --markdown\n  limber-lab bench splat --device cuda"},
      *settings, [settings]() -> Result<Report> {
        if (settings->device == "cpu") return bench_splat(*settings);
        LIMBER_TRY(std::vector<DeviceRow> rows, measure_on_device({settings->repetitions, settings->seed}));
        Report report{"scenes on a GPU", {}};
        for (DeviceRow& row : rows) report.rows.push_back({row.name, row.value, row.unit, row.aim, row.note});
        return report;
      });
  command.add_option("--device", settings->device, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
}

}  // namespace limber::bench
