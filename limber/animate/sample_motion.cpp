// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_motion.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "limber/animate/finish.h"
#include "limber/animate/part_task.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/playing.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

constexpr double kFinishing = 0.9;  // of the progress: from there on it is put on the ground

void add(std::vector<Warning>& to, std::vector<Warning> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// What the chunks are made with, and what they have become so far.
struct Work {
  const rig::Subject& subject;
  prior::VideoPrior& prior;
  const Request& request;
  const MotionPlan& plan;
  Motion motion;
  Animation animation;
  std::vector<lift::Observability> observed;  ///< per chunk
  std::vector<double> scores;                 ///< per chunk
};

/// A chunk to be drawn, and how.
struct Order {
  std::size_t index = 0;  ///< of samples: seed and checkpoint follow from it
  Chunk chunk;
  std::span<const Key> keys;
  std::optional<int> loop;  ///< the frame that shows the beginning again
  double from = 0, to = 1;  ///< share of the work
  bool last_of_part = true;
};

/// The request as one for this chunk alone.
Request chunk_request(const Work& work, const Order& order, Pace pace) {
  Request request = work.request;
  request.prompt = work.plan.parts[static_cast<std::size_t>(order.chunk.part)].prompt;
  // Far from those that the chunk's own candidates take.
  request.seed += static_cast<std::uint64_t>(order.index) * 0x9e3779b97f4a7c15ull;
  if (request.checkpoint) {
    request.checkpoint->file = chunk_checkpoint(request.checkpoint->file, static_cast<int>(order.index));
  }
  // What goes on as before is settled by the frames that are known.
  const int usual = sample_plan(request).candidates;
  if (order.chunk.kept > 0 && pace == Pace::kSame) {
    request.sampling.candidates = request.sampling.candidates.value_or(std::max(1, usual / 2));
  }
  // A task counts up to `kFinishing` by itself.
  request.progress =
      share_of(work.request.progress, kFinishing * order.from, kFinishing * order.from + order.to - order.from);
  return request;
}

/// Whether the chunk does what the one before did.
Pace pace_of(const Work& work, const Order& order) {
  const int part = order.chunk.part;
  const int begins = order.chunk.first + order.chunk.kept;
  const int part_begins = part == 0 ? work.plan.before : work.plan.ends[static_cast<std::size_t>(part) - 1];
  return begins == part_begins ? Pace::kNew : Pace::kSame;
}

void note_distilled(std::optional<Distilled> distilled, Animation& animation) {
  if (!distilled) return;
  if (!animation.distilled) {
    animation.distilled = std::move(distilled);
    return;
  }
  // Chunk after chunk, as one run.
  distill::DistillReport &all = animation.distilled->report, &more = distilled->report;
  for (distill::DistillStep step : more.history) {
    step.iteration += all.iterations;
    all.history.push_back(step);
  }
  all.iterations += more.iterations, all.skipped += more.skipped, all.seconds += more.seconds;
  all.stop = more.stop, all.resumed_from = all.resumed_from ? all.resumed_from : more.resumed_from;
}

/// Draws, lifts, refines and judges one chunk.
Result<Motion> draw_chunk(Work& work, const Order& order) {
  const Pace pace = pace_of(work, order);
  const Request request = chunk_request(work, order, pace);
  LIMBER_TRY(PartTask task, make_part_task(work.subject, work.prior, request));
  task.known = known_poses(work.motion, order.chunk, work.prior.info().native.frames, order.keys, pace, order.loop);
  // What comes to the ground later begins there: samples that go on from a flight stay in the air.
  task.highest = highest_of(work.subject.rig, work.request.prompt);
  task.keeps = task.keeps || work.plan.chunks.size() > 1;
  LIMBER_TRY(Drawn drawn, draw_candidates(task));
  drawn = best_first(std::move(drawn));
  Animation& animation = work.animation;
  animation.seconds.sample += drawn.sample_seconds, animation.seconds.lift += drawn.lift_seconds;
  animation.resumed_candidates += drawn.resumed;
  add(animation.warnings, std::move(drawn.warnings));
  const bool alone = work.plan.chunks.size() == 1;
  if (alone) animation.candidates = std::move(drawn.candidates);
  if (!alone) animation.candidates.push_back(std::move(drawn.candidates.front()));
  const Candidate& chosen = alone ? animation.candidates.front() : animation.candidates.back();

  Stopwatch watch;
  LIMBER_TRY(Refined refined, refine(task, chosen.lifted.motion));
  animation.seconds.distill += watch.lap();
  note_distilled(std::move(refined.distilled), animation);
  add(animation.warnings, std::move(refined.warnings));
  LIMBER_TRY(Judged judged, judge(task, refined.motion, order.last_of_part));
  animation.segments[static_cast<std::size_t>(order.chunk.part)].told = std::move(judged.told);
  work.scores.push_back(judged.prior_score), work.observed.push_back(std::move(judged.observed));
  note_joint_prior(task.joints, animation);
  if (animation.ends.empty()) animation.ends = std::move(task.ends);
  return std::move(refined.motion);
}

/// Draws a motion that does not close by itself once more, so that it does.
Status redraw_as_loop(Work& work) {
  const int frames = work.motion.frame_count(), tube = chunk_maker(work.prior.info()).rule.least;
  const std::optional<LoopPlan> loop = plan_loop(work.subject.rig, work.motion, work.animation.ends, tube);
  if (!loop) return Done{};
  Order order;
  order.index = 1, order.chunk = {0, 0, tube, frames}, order.keys = loop->again, order.from = order.to = 1;
  work.observed.clear(), work.scores.clear();
  LIMBER_TRY(work.motion, draw_chunk(work, order));
  kinematics::cut_motion(work.motion, loop->period + tube);
  close_loop(work.motion, loop->period);
  return Done{};
}

/// All chunks one after the other.
Status draw_chunks(Work& work) {
  const std::vector<Chunk>& chunks = work.plan.chunks;
  const auto count = static_cast<double>(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Order order;
    order.index = i, order.chunk = chunks[i], order.keys = work.plan.keys;
    order.from = static_cast<double>(i) / count, order.to = static_cast<double>(i + 1) / count;
    order.last_of_part = i + 1 == chunks.size() || chunks[i + 1].part != chunks[i].part;
    if (i + 1 == chunks.size()) order.loop = work.plan.period;
    LIMBER_TRY(const Motion next, draw_chunk(work, order));
    const int used = chunks[i].end - chunks[i].first;
    if (i > 0) work.animation.seams.push_back(chunks[i].first + chunks[i].kept - work.plan.start);
    append_motion(work.motion, next, chunks[i].kept, used);
  }
  return Done{};
}

/// Rows of the chunks' observations as those of the whole motion.
lift::Observability joined(const Work& work) {
  lift::Observability all;
  all.joints = work.motion.joint_count;
  for (std::size_t i = 0; i < work.observed.size(); ++i) {
    const lift::Observability& part = work.observed[i];
    const Chunk& chunk = work.plan.chunks[i];
    // Frames of a continued clip that were not shown count as the first one that was.
    for (int f = i == 0 ? -chunk.first : chunk.kept; f < chunk.end - chunk.first; ++f) {
      const auto row = static_cast<std::ptrdiff_t>(part.index(std::max(f, 0), 0)), next = row + part.joints;
      all.confidence.insert(all.confidence.end(), part.confidence.begin() + row, part.confidence.begin() + next);
      all.sigma.insert(all.sigma.end(), part.sigma.begin() + row, part.sigma.begin() + next);
      all.sources.insert(all.sources.end(), part.sources.begin() + row, part.sources.begin() + next);
      ++all.frames;
    }
  }
  return all;
}

/// From `first` on, `frames` frames.
void cut_rows(lift::Observability& observed, int first, int frames) {
  const auto cut = [&](auto& values) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(observed.index(first, 0));
    const auto to = values.begin() + static_cast<std::ptrdiff_t>(observed.index(first + frames, 0));
    values = std::decay_t<decltype(values)>(from, to);
  };
  cut(observed.confidence), cut(observed.sigma), cut(observed.sources);
  observed.frames = frames;
}

}  // namespace

ChunkMaker chunk_maker(const prior::PriorInfo& info) {
  // A third is known, of 24 frames 8; a sixth, one tube of four, is enough to go on from.
  const int frames = info.native.frames;
  return {info.actions, info.fps, {frames, std::max(frames / 3, 2), std::max(frames / 6, 1)}};
}

Result<Animation> sample_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request,
                                const Anchors& anchors) {
  const double fps = prior.info().fps;
  const MotionPlan plan = plan_motion(request, chunk_maker(prior.info()), anchors);
  Work work{subject, prior, request, plan, anchors.before.value_or(Motion{}), {}, {}, {}};
  work.motion.fps = fps, work.motion.joint_count = subject.rig.joint_count();
  work.animation.segments = segments_of(plan, fps);
  work.animation.warnings = warnings_of(plan.parts, prior.info().actions, subject.rig);
  LIMBER_CHECK_OK(draw_chunks(work));
  if (request.finishing.loop && !plan.period) LIMBER_CHECK_OK(redraw_as_loop(work));
  if (plan.period) close_loop(work.motion, *plan.period);

  Animation& animation = work.animation;
  animation.observed = joined(work);
  drop_frames(work.motion, plan.start);
  cut_rows(animation.observed, plan.start, work.motion.frame_count());
  animation.lifted = std::move(work.motion);
  double score = 0;
  for (const double s : work.scores) score += s / static_cast<double>(work.scores.size());
  animation.prior_score = score;

  Stopwatch watch;
  LIMBER_TRY(Finished finished,
             finish(subject, animation.lifted, animation.ends, request,
                    share_of(request.progress, "putting it on the ground", kFinishing, 1), keys_of(anchors)));
  take_finished(std::move(finished), animation);
  animation.seconds.ground = watch.lap();
  animation.own_way = has_own_way(request);
  measure_segments(subject, anchors.before.has_value(), animation);
  return std::move(animation);
}

}  // namespace limber::animate
