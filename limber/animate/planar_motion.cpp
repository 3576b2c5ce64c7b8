// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/planar_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "limber/animate/finish.h"
#include "limber/animate/kept_samples.h"
#include "limber/animate/part_task.h"
#include "limber/animate/progress_share.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/planar_parts.h"

namespace limber::animate {
namespace {

/// One sample; its motion takes no time beside it.
Result<Candidate> draw_planar(PartTask& task, int draw, int wanted, StageSeconds& seconds) {
  Candidate candidate;
  candidate.seed = task.request.seed + static_cast<std::uint64_t>(1000003) * static_cast<std::uint64_t>(draw);
  prior::SampleSettings sampling = sample_settings(task.request, candidate.seed);
  sampling.progress = share_of(task.request.progress, fmt::format("drawing sample {} of {}", draw + 1, wanted),
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

Result<Animation> planar_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request) {
  Animation animation;
  animation.method = Method::kPlanar;
  LIMBER_TRY(PartTask task, make_part_task(subject, prior, request));
  if (auto warning = prior::warn_of_prompt(prior.info().actions, request.prompt)) {
    animation.warnings.push_back(std::move(*warning));
  }
  const int wanted = candidate_count(request);
  for (int draw = 0; draw < wanted; ++draw) {
    LIMBER_TRY(Candidate candidate, draw_planar(task, draw, wanted, animation.seconds));
    animation.candidates.push_back(std::move(candidate));
  }
  std::stable_sort(animation.candidates.begin(), animation.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  animation.lifted = animation.candidates.front().lifted.motion;
  LIMBER_TRY(Judged judged, judge(task, animation.lifted, true));
  animation.prior_score = judged.prior_score, animation.observed = std::move(judged.observed);
  animation.segments.push_back({split_prompt(request.prompt, prior.info().actions).front(), 0, 0, 0, judged.told, {}});
  animation.ends = std::move(task.ends);

  LIMBER_CHECK_OK(finish_whole(subject, request, 0.9, animation));
  return animation;
}

}  // namespace limber::animate
