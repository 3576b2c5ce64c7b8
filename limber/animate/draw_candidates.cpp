// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "limber/animate/kept_samples.h"
#include "limber/animate/part_task.h"
#include "limber/animate/progress_share.h"
#include "limber/base/stopwatch.h"

namespace limber::animate {
namespace {

/// Which candidate is drawn, and what share of the whole progress that is.
struct Turn {
  std::string name;  ///< "sample 1 of 3"
  double from = 0, to = 0;
};

Result<Candidate> draw_candidate(PartTask& task, const Turn& turn, Drawn& drawn) {
  const Sampling& asked = task.request.sampling;
  const double middle = turn.from + 0.75 * (turn.to - turn.from);
  Candidate candidate;
  candidate.seed = task.request.seed + static_cast<std::uint64_t>(1000003) * static_cast<std::uint64_t>(drawn.draws++);
  prior::SampleSettings sampling;
  sampling.seed = candidate.seed;
  sampling.guidance = asked.guidance, sampling.steps = asked.steps;
  sampling.progress = share_of(task.request.progress, "drawing " + turn.name, turn.from, middle);
  Stopwatch watch;
  LIMBER_TRY(candidate.video, task.prior.sample(task.condition, sampling));
  drawn.sample_seconds += watch.lap();
  SampleLiftSettings lifting;
  lifting.fps = task.prior.info().fps;
  lifting.fit.free = task.free;
  if (!asked.fit_stages.empty()) lifting.fit.stages = asked.fit_stages;
  lifting.fit.progress = share_of(task.request.progress, "lifting " + turn.name, middle, turn.to);
  LIMBER_TRY(candidate.lifted, lift_sample(task.view, candidate.video, lifting));
  drawn.lift_seconds += watch.lap();
  rate_candidate(task, candidate);
  return candidate;
}

/// A sample that can be followed, or of those that cannot the least bad one.
Result<Candidate> draw_until_it_fits(PartTask& task, const Turn& turn, Drawn& drawn) {
  std::optional<Candidate> kept;
  for (int draw = 0; draw <= task.request.sampling.redraws && !(kept && kept->fits); ++draw) {
    LIMBER_TRY(Candidate candidate, draw_candidate(task, turn, drawn));
    if (!kept || candidate.fits || candidate.score < kept->score) kept = std::move(candidate);
  }
  return std::move(*kept);
}

}  // namespace

void rate_candidate(const PartTask& task, Candidate& candidate) {
  candidate.gait = metrics::find_gait(task.subject.rig, candidate.lifted.motion, task.ends);
  // How much of the sample the joints cannot follow, and how unsteady the result is.
  candidate.score = candidate.lifted.fit.residual + 0.03 * (1 - candidate.gait.explained);
  candidate.fits = candidate.lifted.fit.residual <= task.request.sampling.most_residual;
}

Result<Drawn> draw_candidates(PartTask& task) {
  const int wanted = candidate_count(task.request);
  // Without a distillation to resume there is little to gain.
  const bool keeps = task.request.checkpoint.has_value() && task.distilling.iterations > 0;
  Drawn drawn;
  if (keeps) {
    LIMBER_TRY(drawn, resume_samples(task));
  }
  const double share = task.distilling.iterations == 0 ? 0.9 : 0.5;
  for (int i = static_cast<int>(drawn.candidates.size()); i < wanted; ++i) {
    const Turn turn{fmt::format("sample {} of {}", i + 1, wanted), share * i / wanted, share * (i + 1) / wanted};
    LIMBER_TRY(Candidate candidate, draw_until_it_fits(task, turn, drawn));
    drawn.candidates.push_back(std::move(candidate));
    if (keeps) LIMBER_CHECK_OK(keep_samples(task, drawn));
  }
  return drawn;
}

Drawn best_first(Drawn drawn, const Sampling& sampling) {
  std::stable_sort(drawn.candidates.begin(), drawn.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  const Candidate& best = drawn.candidates.front();
  if (!best.fits) {
    drawn.warnings.push_back(fmt::format("no sample could be followed well: the best misses by {:.3f} (bound {:.3f})",
                                         best.lifted.fit.residual, sampling.most_residual));
  }
  return drawn;
}

}  // namespace limber::animate
