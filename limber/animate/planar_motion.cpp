// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/planar_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "limber/animate/kept_samples.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/sketch_task.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/planar_parts.h"

namespace limber::animate {
namespace {

/// One sample; its motion takes no time beside it.
Result<Candidate> draw_planar(SketchTask& task, int draw, int wanted, StageSeconds& seconds) {
  Candidate candidate;
  candidate.seed = task.sample.seed + static_cast<std::uint64_t>(1000003) * static_cast<std::uint64_t>(draw);
  prior::SampleSettings sampling = sample_settings(task.sample, candidate.seed);
  sampling.progress = share_of(task.listeners.progress, fmt::format("drawing sample {} of {}", draw + 1, wanted),
                               0.9 * draw / wanted, 0.9 * (draw + 1) / wanted);
  Stopwatch watch;
  LIMBER_TRY(candidate.video, task.prior.sample(task.condition, sampling));
  seconds.sample += watch.lap();
  lift::PlanarPartsSettings settings;
  settings.fps = task.prior.info().fps, settings.highest = task.highest;
  lift::PlanarParts lifted = lift::lift_planar(task.subject, task.view, candidate.video, settings);
  candidate.lifted.motion = std::move(lifted.motion), candidate.lifted.ground = lifted.ground;
  candidate.gait = metrics::find_gait(task.subject.rig, candidate.lifted.motion, task.ends);
  candidate.score = (1 - lifted.seen) + 0.3 * (1 - candidate.gait.explained);
  seconds.lift += watch.lap();
  return candidate;
}

}  // namespace

Result<Made> planar_motion(const ByPlanar& plan, const Context& context, prior::VideoPrior& prior) {
  const std::string& prompt = plan.sample.prompt;
  Made made;
  made.method = Method::kPlanar;
  LIMBER_TRY(SketchTask task, make_sketch_task(context, prior, {plan.sample, {}, {}, {}, plan.prior, {}, {}}));
  if (auto warning = prior::warn_of_prompt(prior.info().actions, prompt)) made.warnings.push_back(std::move(*warning));
  const int wanted = candidate_count(task);
  for (int draw = 0; draw < wanted; ++draw) {
    LIMBER_TRY(Candidate candidate, draw_planar(task, draw, wanted, made.seconds));
    made.candidates.push_back(std::move(candidate));
  }
  std::stable_sort(made.candidates.begin(), made.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  made.motion = made.candidates.front().lifted.motion;
  LIMBER_TRY(Assessed assessed, assess(task, made.motion, true));
  made.prior_score = assessed.prior_score, made.observed = std::move(assessed.observed);
  made.segments.push_back({split_prompt(prompt, prior.info().actions).front(), 0, 0, 0, assessed.told, {}});
  made.ends = std::move(task.ends);
  return made;
}

}  // namespace limber::animate
