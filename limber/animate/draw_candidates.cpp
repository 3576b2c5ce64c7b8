// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "limber/animate/kept_samples.h"
#include "limber/animate/part_task.h"
#include "limber/animate/pose_prior.h"
#include "limber/animate/progress_share.h"
#include "limber/base/stopwatch.h"

namespace limber::animate {
namespace {

/// A sample helps that misses by a twentieth less than all before it.
constexpr double kHelps = 0.95;
/// Against the mean robust colour error of a pixel of the body (lift/view_fit.h).
constexpr double kHoldWeight = 2;

/// What a sample is taken to do beyond the frames that it passes through; every draw tries another guess.
const kinematics::Motion* guess_of(const PartTask& task, int draw) {
  if (!task.known) return nullptr;
  return &task.known->guesses[static_cast<std::size_t>(draw) % task.known->guesses.size()];
}

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
  prior::SampleSettings sampling = sample_settings(task.request, candidate.seed);
  sampling.progress = share_of(task.request.progress, "drawing " + turn.name, turn.from, middle);
  const kinematics::Motion* guess = guess_of(task, drawn.draws - 1);
  if (guess != nullptr) {
    prior::KnownFrames& given = sampling.known.emplace();
    given.known = task.known->known;
    task.view.scene().forward(*guess, task.view.cameras(*guess), given.frames);
    LIMBER_CHECK_OK(task.view.scene().status());
  }
  Stopwatch watch;
  LIMBER_TRY(candidate.video, task.prior.sample(task.condition, sampling));
  drawn.sample_seconds += watch.lap();
  SampleLiftSettings lifting;
  lifting.fps = task.prior.info().fps;
  lifting.fit.free = task.free;
  if (task.poses) lifting.fit.energies = {pose_energy(*task.poses, {}, 8)};
  if (!asked.fit_stages.empty()) lifting.fit.stages = asked.fit_stages;
  lifting.fit.progress = share_of(task.request.progress, "lifting " + turn.name, middle, turn.to);
  if (guess != nullptr) {
    lifting.fit.energies.push_back(
        {"known poses", kHoldWeight, std::make_shared<HoldEnergy>(*guess, task.known->holds)});
    LIMBER_TRY(candidate.lifted, lift_from_guess(task.view, candidate.video, *guess, lifting));
  } else {
    LIMBER_TRY(candidate.lifted, lift_sample(task.view, candidate.video, lifting));
  }
  drawn.lift_seconds += watch.lap();
  rate_candidate(task, candidate);
  return candidate;
}

/// To whoever wants to see samples as they come.
void show(const PartTask& task, const Candidate& candidate, int number) {
  if (!task.request.sampling.on_lifted) return;
  Animation sample;
  sample.candidates = {candidate}, sample.ends = task.ends;
  task.request.sampling.on_lifted(sample, number);
}

bool by_score(const Candidate& a, const Candidate& b) { return a.score < b.score; }

/// Another sample instead of the worst one, if it is better.
Status redraw(PartTask& task, const Turn& turn, Drawn& drawn) {
  std::vector<Candidate>& kept = drawn.candidates;
  const double best = std::min_element(kept.begin(), kept.end(), by_score)->score;
  LIMBER_TRY(Candidate candidate, draw_candidate(task, turn, drawn));
  const auto worst = std::max_element(kept.begin(), kept.end(), by_score);
  drawn.settled = candidate.fits || !(candidate.score < kHelps * best);
  if (candidate.fits || candidate.score < worst->score) *worst = std::move(candidate);
  return Done{};
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
  const bool keeps = task.request.checkpoint.has_value() && task.keeps;
  Drawn drawn;
  if (keeps) {
    LIMBER_TRY(drawn, resume_samples(task));
  }
  const double share = task.distilling.iterations == 0 ? 0.9 : 0.5;
  for (int i = static_cast<int>(drawn.candidates.size()); i < wanted; ++i) {
    const Turn turn{fmt::format("sample {} of {}", i + 1, wanted), share * i / wanted, share * (i + 1) / wanted};
    LIMBER_TRY(Candidate candidate, draw_candidate(task, turn, drawn));
    show(task, candidate, i + 1);
    drawn.candidates.push_back(std::move(candidate));
    if (keeps) LIMBER_CHECK_OK(keep_samples(task, drawn));
  }
  const auto fits = [](const Candidate& candidate) { return candidate.fits; };
  drawn.settled = drawn.settled || std::any_of(drawn.candidates.begin(), drawn.candidates.end(), fits);
  while (!drawn.settled && drawn.draws < most_draws(task.request)) {
    const Turn turn{fmt::format("another sample ({} so far)", drawn.draws), share, share};
    LIMBER_CHECK_OK(redraw(task, turn, drawn));
    if (keeps) LIMBER_CHECK_OK(keep_samples(task, drawn));
  }
  return drawn;
}

Drawn best_first(Drawn drawn) {
  std::stable_sort(drawn.candidates.begin(), drawn.candidates.end(), by_score);
  return drawn;
}

}  // namespace limber::animate
