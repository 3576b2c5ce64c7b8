// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <span>
#include <utility>

#include "limber/animate/kept_samples.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/sketch_task.h"
#include "limber/animate/swept_wings.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"

namespace limber::animate {
namespace {

/// A sample helps that misses by a twentieth less than all before it.
constexpr double kHelps = 0.95;
/// Against the mean robust colour error of a pixel of the body (lift/view_fit.h).
constexpr double kHoldWeight = 2;
/// Candidates that are lifted at the same time, at most: each has a thread, and a scene of its own.
constexpr std::size_t kTogether = 8;

/// What a sample is taken to do beyond the frames that it passes through; every draw tries another guess.
const kinematics::Motion* guess_of(const SketchTask& task, int draw) {
  if (!task.known) return nullptr;
  return &task.known->guesses[static_cast<std::size_t>(draw) % task.known->guesses.size()];
}

/// Which candidate is drawn, and what share of the whole progress that is.
struct Turn {
  std::string name;  ///< "sample 1 of 3"
  double from = 0, to = 0;
  double middle() const { return from + 0.75 * (to - from); }
};

std::uint64_t seed_of(const SketchTask& task, int draw) {
  return task.sample.seed + static_cast<std::uint64_t>(1000003) * static_cast<std::uint64_t>(draw);
}

Result<prior::SampleSettings> sampling_of(SketchTask& task, const Turn& turn, int draw) {
  prior::SampleSettings sampling = sample_settings(task.sample, seed_of(task, draw));
  sampling.progress = share_of(task.listeners.progress, "drawing " + turn.name, turn.from, turn.middle());
  if (const kinematics::Motion* guess = guess_of(task, draw)) {
    prior::KnownFrames& given = sampling.known.emplace();
    given.known = task.known->known;
    task.view.scene().forward(*guess, task.view.cameras(*guess), given.frames);
    LIMBER_CHECK_OK(task.view.scene().status());
  }
  return sampling;
}

/// Lifts the video of a candidate, and rates it.
Status lift_candidate(const SketchTask& task, scene::SketchView& view, const Progress& progress, int draw,
                      Candidate& candidate) {
  const kinematics::Motion* guess = guess_of(task, draw);
  SampleLiftSettings lifting;
  lifting.fps = task.prior.info().fps;
  lifting.fit.free = task.free;
  if (task.joints) lifting.fit.energies = {task.joints->energy(8)};
  if (!task.study.fit_stages.empty()) lifting.fit.stages = task.study.fit_stages;
  lifting.fit.progress = progress;
  if (guess != nullptr) {
    lifting.fit.energies.push_back(
        {"known poses", kHoldWeight, std::make_shared<HoldEnergy>(*guess, task.known->holds)});
    LIMBER_TRY(candidate.lifted, lift_from_guess(view, candidate.video, *guess, lifting));
  } else {
    lifting.highest = task.highest;
    lifting.other_start = swept_wings(task.subject.rig, lifting.forward);
    LIMBER_TRY(candidate.lifted, lift_sample(view, candidate.video, lifting));
  }
  rate_candidate(task, candidate);
  return Done{};
}

Result<Candidate> draw_candidate(SketchTask& task, const Turn& turn, Drawn& drawn) {
  const int draw = drawn.draws++;
  Candidate candidate;
  candidate.seed = seed_of(task, draw);
  LIMBER_TRY(const prior::SampleSettings sampling, sampling_of(task, turn, draw));
  GpuTimeline::get().stage("sample");
  Stopwatch watch;
  LIMBER_TRY(candidate.video, task.prior.sample(task.condition, sampling));
  drawn.sample_seconds += watch.lap();
  GpuTimeline::get().stage("lift");
  const Progress progress = share_of(task.listeners.progress, "lifting " + turn.name, turn.middle(), turn.to);
  LIMBER_CHECK_OK(lift_candidate(task, task.view, progress, draw, candidate));
  drawn.lift_seconds += watch.lap();
  return candidate;
}

using Views = std::vector<scene::SketchView>;

/// Views of the body for other threads, which take some time to open on a GPU.
std::future<Views> make_views(const SketchTask& task, std::size_t count) {
  return std::async(std::launch::async, [&task, count] {
    Views views;
    views.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      views.push_back(task.view.another());
      scene::Scene& scene = views.back().scene();
      if (scene.device() == Device::kCuda) (void)scene.open_on_device();  // whoever draws is told
    }
    return views;
  });
}

/// Lifts candidates from `first` on at the same time, each on a thread of its own, and on a GPU on a queue of its own.
/// The calling thread has the last one, and alone tells of progress. The others take their `views`.
Status lift_together(SketchTask& task, const Turn& turn, int first, std::span<scene::SketchView> views,
                     std::span<Candidate> candidates) {
  const std::size_t others = candidates.size() - 1;
  const auto draw = [&](std::size_t i) { return first + static_cast<int>(i); };
  std::atomic<bool> goes_on = true;
  // Those that fail end the others, and so does whatever is thrown here: futures are waited for then.
  struct Ending {
    std::atomic<bool>& goes_on;
    bool done = false;
    ~Ending() {
      if (!done) goes_on = false;
    }
  };
  std::vector<std::future<Status>> found;
  Ending here{goes_on};
  for (std::size_t i = 0; i < others && !task.joints; ++i) {
    found.push_back(std::async(std::launch::async, [&, i] {
      Ending there{goes_on};
      scene::SketchView view = std::move(views[i]);
      const auto wait = [&](std::string_view, double) { return goes_on.load(); };
      Status lifted = lift_candidate(task, view, wait, draw(i), candidates[i]);
      there.done = lifted.ok();
      return lifted;
    }));
  }
  const Progress progress = share_of(task.listeners.progress, "lifting " + turn.name, turn.middle(), turn.to);
  const auto tell = [&](std::string_view stage, double share) {
    if (progress && !progress(stage, share)) goes_on = false;
    return goes_on.load();
  };
  // What a network says of joints is asked by one thread.
  for (std::size_t i = found.size(); i <= others; ++i) {
    LIMBER_CHECK_OK(lift_candidate(task, task.view, tell, draw(i), candidates[i]));
  }
  for (std::future<Status>& one : found) {
    while (one.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) tell("lifting", 1);
    LIMBER_CHECK_OK(one.get());
  }
  here.done = true;
  return Done{};
}

/// The candidates that are still missing, drawn in one batch and lifted at the same time. The batch has those that are
/// there already, too: bits may depend on who is in it.
Result<std::vector<Candidate>> draw_together(SketchTask& task, const Turn& turn, int wanted, Drawn& drawn) {
  const int first = static_cast<int>(drawn.candidates.size());
  std::vector<prior::SampleSettings> sampling;
  for (int draw = 0; draw < wanted; ++draw) {
    LIMBER_TRY(prior::SampleSettings one, sampling_of(task, turn, draw));
    sampling.push_back(std::move(one));
  }
  GpuTimeline::get().stage("sample");
  Stopwatch watch;
  // While the GPU draws, what will lift gets ready.
  const std::size_t missing = static_cast<std::size_t>(wanted - first);
  std::future<Views> opened = make_views(task, task.joints ? 0 : missing - 1);
  LIMBER_TRY(std::vector<Frames> videos, task.prior.sample_all(task.condition, sampling));
  drawn.sample_seconds += watch.lap();
  GpuTimeline::get().stage("lift");
  Views views = opened.get();
  std::vector<Candidate> candidates(missing);
  for (int draw = first; draw < wanted; ++draw) {
    Candidate& candidate = candidates[static_cast<std::size_t>(draw - first)];
    candidate.seed = seed_of(task, draw), candidate.video = std::move(videos[static_cast<std::size_t>(draw)]);
  }
  for (std::size_t at = 0; at < candidates.size(); at += kTogether) {
    const std::size_t count = std::min(kTogether, candidates.size() - at);
    const std::span<scene::SketchView> unused = std::span(views).subspan(std::min(at, views.size()));
    LIMBER_CHECK_OK(
        lift_together(task, turn, first + static_cast<int>(at), unused, std::span(candidates).subspan(at, count)));
  }
  drawn.lift_seconds += watch.lap();
  drawn.draws = wanted;
  return candidates;
}

/// To whoever wants to see samples as they come.
void show(const SketchTask& task, const Candidate& candidate, int number) {
  if (!task.listeners.on_lifted) return;
  Animation sample;
  sample.candidates = {candidate}, sample.ends = task.ends;
  task.listeners.on_lifted(sample, number);
}

bool by_score(const Candidate& a, const Candidate& b) { return a.score < b.score; }

/// Another sample instead of the worst one, if it is better.
Status redraw(SketchTask& task, const Turn& turn, Drawn& drawn) {
  std::vector<Candidate>& kept = drawn.candidates;
  const double best = std::min_element(kept.begin(), kept.end(), by_score)->score;
  LIMBER_TRY(Candidate candidate, draw_candidate(task, turn, drawn));
  const auto worst = std::max_element(kept.begin(), kept.end(), by_score);
  drawn.settled = candidate.fits || !(candidate.score < kHelps * best);
  if (candidate.fits || candidate.score < worst->score) *worst = std::move(candidate);
  return Done{};
}

}  // namespace

void rate_candidate(const SketchTask& task, Candidate& candidate) {
  candidate.gait = metrics::find_gait(task.subject.rig, candidate.lifted.motion, task.ends);
  // How much of the sample the joints cannot follow, and how unsteady the result is.
  candidate.score = candidate.lifted.fit.residual + 0.03 * (1 - candidate.gait.explained);
  candidate.fits = candidate.lifted.fit.residual <= task.study.most_residual;
}

Result<Drawn> draw_candidates(SketchTask& task) {
  const int wanted = candidate_count(task);
  const bool keeps = !task.keep.file.empty() && task.keeps;
  Drawn drawn;
  if (keeps) {
    LIMBER_TRY(drawn, resume_samples(task));
  }
  const double share = task.distilling.iterations == 0 ? 0.9 : 0.5;
  // A GPU has room for all of them at once. Those that are missing were never drawn: draws and candidates agree.
  if (task.prior.draws_together() && static_cast<int>(drawn.candidates.size()) < wanted) {
    const Turn turn{fmt::format("{} samples", wanted), 0, share};
    LIMBER_TRY(std::vector<Candidate> candidates, draw_together(task, turn, wanted, drawn));
    for (Candidate& candidate : candidates) {
      drawn.candidates.push_back(std::move(candidate));
      show(task, drawn.candidates.back(), static_cast<int>(drawn.candidates.size()));
    }
    if (keeps) LIMBER_CHECK_OK(keep_samples(task, drawn));
  }
  for (int i = static_cast<int>(drawn.candidates.size()); i < wanted; ++i) {
    const Turn turn{fmt::format("sample {} of {}", i + 1, wanted), share * i / wanted, share * (i + 1) / wanted};
    LIMBER_TRY(Candidate candidate, draw_candidate(task, turn, drawn));
    show(task, candidate, i + 1);
    drawn.candidates.push_back(std::move(candidate));
    if (keeps) LIMBER_CHECK_OK(keep_samples(task, drawn));
  }
  const auto fits = [](const Candidate& candidate) { return candidate.fits; };
  drawn.settled = drawn.settled || std::any_of(drawn.candidates.begin(), drawn.candidates.end(), fits);
  while (!drawn.settled && drawn.draws < most_draws(task)) {
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
