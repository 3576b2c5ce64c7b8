// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/distill.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/distill/checkpoint.h"
#include "limber/distill/iterate.h"

namespace limber::distill {
namespace {

using kinematics::Motion;

void check_settings(const scene::Scene& scene, const DistillSettings& s, const Motion& motion) {
  LIMBER_EXPECT(motion.joint_count == scene.rig().joint_count() && motion.frame_count() > 0,
                fmt::format("{} frames of {} joints; the rig has {}", motion.frame_count(), motion.joint_count,
                            scene.rig().joint_count()));
  LIMBER_EXPECT(s.iterations >= 0 && s.max_skipped >= 1 && s.score.draws >= 1,
                fmt::format("{} iterations, {} skipped, {} draws", s.iterations, s.max_skipped, s.score.draws));
  LIMBER_EXPECT(s.angle_rate >= 0 && s.root_rate >= 0 && s.rate_end >= 0,
                fmt::format("{}, {}, {}", s.angle_rate, s.root_rate, s.rate_end));
  LIMBER_EXPECT(s.free.empty() || s.free.size() == static_cast<std::size_t>(motion.joint_count),
                fmt::format("{} of {} joints", s.free.size(), motion.joint_count));
  LIMBER_EXPECT(s.preview_every.value_or(1) >= 1, fmt::format("a preview every {} iterations", *s.preview_every));
  for (const kinematics::WeightedEnergy& energy : s.extra) LIMBER_EXPECT(energy.energy != nullptr, energy.name);
  if (s.mode != DistillMode::kDenoise) return;
  LIMBER_EXPECT(s.fits_per_denoise >= 1 && s.denoise_steps >= 1,
                fmt::format("{} fits, {} steps", s.fits_per_denoise, s.denoise_steps));
  LIMBER_EXPECT(s.score.weight == prior::NoiseWeight::kAkd, "only z - z_hat leads to a target");
  LIMBER_EXPECT(s.denoise_steps == 1 || s.score.residual == prior::Residual::kSds,
                "only whole predictions make a path");
}

/// Iterates until the run ends, and saves it now and then.
Result<DistillStop> iterate_all(const Run& run, RunState& state) {
  const DistillSettings& settings = run.settings;
  const Energies energies = make_energies(run.scene.rig(), settings);
  Shown shown;
  shown.device = make_device_fits(run, energies, state.motion);
  shown.there = stays_there(run, shown);
  Stopwatch since_saved;
  while (state.iteration < settings.iterations) {
    if (state.skipped_in_row >= settings.max_skipped) return DistillStop::kNotFinite;
    const double done = static_cast<double>(state.iteration) / settings.iterations;
    if (settings.progress && !settings.progress("distilling", done)) return DistillStop::kCancelled;
    if (Status status = iterate(run, energies, shown, state); !status.ok()) {
      (void)save_run(state, settings);  // what went wrong first is what counts
      return std::move(status).error();
    }
    if (since_saved.seconds() < settings.checkpoint_seconds) continue;
    since_saved.lap();
    LIMBER_CHECK_OK(save_run(state, settings));
  }
  return DistillStop::kDone;
}

}  // namespace

Result<DistillReport> distill(scene::Scene& scene, const CameraRule& cameras, prior::VideoPrior& prior,
                              const prior::Condition& condition, const DistillSettings& settings,
                              kinematics::Motion& motion) {
  check_settings(scene, settings, motion);
  const Stopwatch watch;
  const Run run{scene, cameras, prior, condition, settings};
  LIMBER_TRY(Beginning beginning, begin_run(run, motion));
  RunState& state = beginning.state;
  Result<DistillStop> stop = iterate_all(run, state);
  motion = state.motion;  // as far as it got, whatever happened
  if (!stop.ok()) return std::move(stop).error();
  LIMBER_CHECK_OK(save_run(state, settings));

  DistillReport report;
  report.iterations = state.iteration;
  report.resumed_from = beginning.resumed_from;
  report.skipped = static_cast<int>(
      std::count_if(state.history.begin(), state.history.end(), [](const DistillStep& step) { return step.skipped; }));
  report.stop = *stop;
  report.seconds = watch.seconds();
  report.history = std::move(state.history);
  return report;
}

kinematics::Motion forward_start(const rig::Rig& rig, int frames, double fps, double speed, Vec3 forward) {
  Motion motion = kinematics::rest_motion(rig, frames, fps);
  const Vec3d step = (speed / fps) * normalized(forward.cast<double>(), {0, 0, 1});
  for (int f = 0; f < frames; ++f) {
    motion.root_translations[static_cast<std::size_t>(f)] = (static_cast<double>(f) * step).cast<float>();
  }
  return motion;
}

std::int64_t latent_entries(const prior::PriorInfo& info, const Frames& frames) {
  const auto reduced = [](int size, int by) { return std::int64_t{std::max(size / std::max(by, 1), 1)}; };
  const std::int64_t latent_frames = (frames.frames - 1) / std::max(info.frame_step, 1) + 1;
  return std::int64_t{frames.views} * latent_frames * info.latent_channels *
         reduced(frames.height, info.latent_reduction) * reduced(frames.width, info.latent_reduction);
}

}  // namespace limber::distill
