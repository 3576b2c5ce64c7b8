// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "bench/bench.h"
#include "bench/timing.h"
#include "limber/base/checksum.h"
#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::bench {
namespace {

struct Sizes {
  int frames = 49, points = 50000, joints = 60, influences = 4;
  bool covariances = false;
  bool shuffled = false;  ///< points in random order: neighbours in memory hang on unrelated bones
};

/// A body of five limbs with points around their bones, each on its nearest bones, and a random motion.
class Workload {
 public:
  Workload(const Sizes& sizes, std::uint64_t seed)
      : sizes_(sizes), rig_(make_rig(sizes)), motion_(kinematics::rest_motion(rig_, sizes.frames, 24)) {
    Rng rng(seed);
    for (Vec3& v : motion_.root_translations) v = random_vector(rng, 0.2);
    for (Vec3& v : motion_.angles) v = random_vector(rng, 0.3);
    make_points(rng);
    out_points_.resize(outputs());
    if (sizes.covariances) out_covariances_.resize(outputs());
  }

  /// Angles to points.
  void forward() {
    bones_ = kinematics::bone_matrices(rig_, motion_);
    kinematics::skin_forward(input(), {out_points_, {}, out_covariances_});
  }

  /// Back to angles, for the loss |output|^2 / 2: its gradient is the output.
  void backward() {
    grad_bones_.assign(bones_.size(), Affine{Mat3{}, {}});
    kinematics::skin_backward(input(), {out_points_, {}, out_covariances_}, {grad_bones_, {}, {}, {}});
    gradient_ = {};
    kinematics::motion_backward(rig_, motion_, grad_bones_, gradient_);
  }

  /// Over every number that forward and backward made.
  std::uint64_t checksum() const {
    Checksum sum;
    sum.add(out_points_).add(out_covariances_).add(grad_bones_);
    return sum.add(gradient_.root_translations).add(gradient_.angles).value();
  }

 private:
  static Vec3 random_vector(Rng& rng, double size) {
    Vec3 v;
    for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(size * rng.normal());
    return v;
  }

  static rig::Rig make_rig(const Sizes& sizes) {
    constexpr int kLimbs = 5;
    rig::RigDraft draft;
    for (int j = 0; j < sizes.joints; ++j) {
      rig::Joint joint;
      joint.name = fmt::format("joint {}", j);
      joint.parent = j == 0 ? -1 : std::max(0, j - kLimbs);
      const double angle = 2 * kPi * j / kLimbs;
      joint.rest.translation = {static_cast<float>(0.08 * std::cos(angle)), static_cast<float>(0.08 * std::sin(angle)),
                                0.02f};
      draft.joints.push_back(joint);
    }
    return rig::build_rig(std::move(draft)).value();
  }

  void make_points(Rng& rng) {
    const auto joints = static_cast<std::size_t>(sizes_.joints), count = static_cast<std::size_t>(sizes_.points);
    std::vector<std::vector<rig::Influence>> rows;
    for (std::size_t p = 0; p < count; ++p) {
      const std::size_t home = sizes_.shuffled ? rng.below(static_cast<std::uint32_t>(joints)) : p * joints / count;
      const Vec3 point = rig_.world_from_rest()[home].translation + random_vector(rng, 0.03);
      std::vector<rig::Influence>& row = rows.emplace_back();
      for (std::size_t j = 0; j < joints; ++j) {
        const float distance = squared_norm(point - rig_.world_from_rest()[j].translation);
        row.push_back({static_cast<std::uint16_t>(j), 1 / (1e-4f + distance)});
      }
      points_.push_back(point);
      if (sizes_.covariances) {
        covariances_.push_back({1e-4f, 1e-5f, 2e-5f, 2e-4f, 3e-5f, 3e-4f});
      }
    }
    weights_ = rig::make_skin_weights(rows, sizes_.influences);
  }

  std::size_t outputs() const {
    return static_cast<std::size_t>(sizes_.frames) * static_cast<std::size_t>(sizes_.points);
  }
  kinematics::SkinInput input() const {
    return {&weights_, points_, {}, covariances_, rig_.bone_count(), sizes_.frames, bones_};
  }

  Sizes sizes_;
  rig::Rig rig_;
  kinematics::Motion motion_;
  rig::SkinWeights weights_;
  std::vector<Vec3> points_, out_points_;
  std::vector<kinematics::Symmetric> covariances_, out_covariances_;
  std::vector<Affine> bones_, grad_bones_;
  kinematics::MotionGradient gradient_;
};

/// Rows for forward and forward+backward. `variant` says how the sizes differ from the usual: "/frames:24".
void add_rows(const TimedSettings& settings, const Sizes& sizes, const std::string& variant, Report& report) {
  Workload work(sizes, settings.seed);
  const std::string what = sizes.covariances ? "positions+covariances" : "positions";
  const bool has_aim = !sizes.covariances && variant.empty();
  const Timing forward = time_runs(settings.repetitions, [&] { work.forward(); });
  const Timing both = time_runs(settings.repetitions, [&] { work.forward(), work.backward(); });
  report.rows.push_back(make_row(what + " forward" + variant, forward, has_aim ? "<= 40" : ""));
  report.rows.push_back(make_row(what + " forward+backward" + variant, both, has_aim ? "<= 110" : ""));
}

/// The same work on one, two and four threads: the checksums must agree.
void add_thread_rows(const TimedSettings& settings, Report& report) {
  const int threads_before = thread_count();
  Sizes sizes;
  sizes.covariances = true;
  Workload work(sizes, settings.seed);
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const Timing both = time_runs(settings.repetitions, [&] { work.forward(), work.backward(); });
    const std::uint64_t hash = work.checksum();
    if (threads == 1) first = hash;
    Row row = make_row(fmt::format("positions+covariances forward+backward/threads:{}", threads), both);
    row.note += fmt::format(", checksum {:016x}{}", hash, hash == first ? "" : " DIFFERS");
    report.rows.push_back(row);
  }
  set_thread_count(threads_before);
}

Report bench_kinematics(const TimedSettings& settings) {
  const SimdLevel best = simd_level();
  const Sizes usual;
  Report report;
  report.title = fmt::format("kinematics: {} frames x {} points x {} joints x {} influences, {}", usual.frames,
                             usual.points, usual.joints, usual.influences, simd_level_name(best));
  add_rows(settings, usual, "", report);
  Sizes shapes = usual;
  shapes.covariances = true;
  add_rows(settings, shapes, "", report);

  // Linear in frames, points and influences; and what an unkind order of points costs.
  Sizes half_frames, half_points, eight, shuffled;
  half_frames.frames = 24;
  half_points.points = 25000;
  eight.influences = 8;
  shuffled.shuffled = true;
  add_rows(settings, half_frames, "/frames:24", report);
  add_rows(settings, half_points, "/points:25000", report);
  add_rows(settings, eight, "/influences:8", report);
  add_rows(settings, shuffled, "/shuffled", report);

  for (const SimdLevel level : available_simd_levels()) {
    if (level == best) continue;
    set_simd_level(level);
    add_rows(settings, usual, fmt::format("/{}", simd_level_name(level)), report);
  }
  set_simd_level(best);
  add_thread_rows(settings, report);
  return report;
}

}  // namespace

void add_kinematics_bench(CLI::App& bench, cli::Terminal& terminal) {
  add_plain_subject(
      bench, terminal,
      {"kinematics", "Skinning, angles to points and back", "  limber-lab bench kinematics --repetitions 3"},
      bench_kinematics);
}

}  // namespace limber::bench
