// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_motion.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "limber/animate/progress_share.h"
#include "limber/animate/sketch_task.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/playing.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

void add(std::vector<Warning>& to, std::vector<Warning> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// What the chunks are made with, and what they have become so far.
struct Work {
  const BySample& plan;
  const Context& context;
  prior::VideoPrior& prior;
  const MotionPlan& cut;
  Motion motion;
  Made made;
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
  bool last_of_segment = true;
};

/// The plan of this chunk alone: it follows from that of the whole.
BySample plan_of_chunk(const Work& work, const Order& order, Pace pace) {
  BySample plan = work.plan;
  plan.sample.prompt = work.cut.segments[static_cast<std::size_t>(order.chunk.segment)].prompt;
  // Far from those that the chunk's own candidates take.
  plan.sample.seed += static_cast<std::uint64_t>(order.index) * 0x9e3779b97f4a7c15ull;
  if (!plan.keep.file.empty()) plan.keep.file = chunk_checkpoint(plan.keep.file, static_cast<int>(order.index));
  if (order.chunk.kept > 0 && pace == Pace::kSame) plan.sample.candidates = plan.span.candidates_going_on;
  return plan;
}

/// Whether the chunk does what the one before did.
Pace pace_of(const Work& work, const Order& order) {
  const int segment = order.chunk.segment;
  const int begins = order.chunk.first + order.chunk.kept;
  const int segment_begins = segment == 0 ? work.cut.before : work.cut.ends[static_cast<std::size_t>(segment) - 1];
  return begins == segment_begins ? Pace::kNew : Pace::kSame;
}

void note_distilled(std::optional<Distilled> distilled, Made& made) {
  if (!distilled) return;
  if (!made.distilled) {
    made.distilled = std::move(distilled);
    return;
  }
  // Chunk after chunk, as one run.
  distill::DistillReport &all = made.distilled->report, &more = distilled->report;
  for (distill::DistillStep step : more.history) {
    step.iteration += all.iterations;
    all.history.push_back(step);
  }
  all.iterations += more.iterations, all.skipped += more.skipped, all.seconds += more.seconds;
  all.stop = more.stop, all.resumed_from = all.resumed_from ? all.resumed_from : more.resumed_from;
}

/// Draws, lifts, refines and assesses one chunk.
Result<Motion> draw_chunk(Work& work, const Order& order) {
  const Pace pace = pace_of(work, order);
  // A task counts up to `kSampled` by itself.
  const Context context = with_progress(work.context, share_of(work.context.listeners.progress, kSampled * order.from,
                                                               kSampled * order.from + order.to - order.from));
  LIMBER_TRY(SketchTask task, make_sketch_task(context, work.prior, plan_of_chunk(work, order, pace)));
  task.known = known_poses(work.motion, order.chunk, work.prior.info().native.frames, order.keys, pace, order.loop);
  // What comes to the ground later begins there: samples that go on from a flight stay in the air.
  task.highest = highest_of(work.context.subject.rig, work.plan.sample.prompt);
  task.keeps = task.keeps || work.cut.chunks.size() > 1;
  LIMBER_TRY(Drawn drawn, draw_candidates(task));
  drawn = best_first(std::move(drawn));
  Made& made = work.made;
  made.seconds.sample += drawn.sample_seconds, made.seconds.lift += drawn.lift_seconds;
  made.resumed_candidates += drawn.resumed;
  add(made.warnings, std::move(drawn.warnings));
  const bool alone = work.cut.chunks.size() == 1;
  if (alone) made.candidates = std::move(drawn.candidates);
  if (!alone) made.candidates.push_back(std::move(drawn.candidates.front()));
  const Candidate& chosen = alone ? made.candidates.front() : made.candidates.back();

  Stopwatch watch;
  LIMBER_TRY(Refined refined, refine(task, chosen.lifted.motion));
  made.seconds.distill += watch.lap();
  note_distilled(std::move(refined.distilled), made);
  add(made.warnings, std::move(refined.warnings));
  LIMBER_TRY(Assessed assessed, assess(task, refined.motion, order.last_of_segment));
  made.segments[static_cast<std::size_t>(order.chunk.segment)].told = std::move(assessed.told);
  work.scores.push_back(assessed.prior_score), work.observed.push_back(std::move(assessed.observed));
  note_joint_prior(task.joints, made);
  if (made.ends.empty()) made.ends = std::move(task.ends);
  return std::move(refined.motion);
}

/// Draws a motion that does not close by itself once more, so that it does.
Status redraw_as_loop(Work& work) {
  const int frames = work.motion.frame_count(), tube = chunk_maker(work.prior.info()).rule.least;
  const std::optional<LoopPlan> loop = plan_loop(work.context.subject.rig, work.motion, work.made.ends, tube);
  if (!loop) return Done{};
  Order order;
  order.index = 1, order.chunk = {0, 0, tube, frames}, order.keys = loop->again, order.from = order.to = 1;
  work.observed.clear(), work.scores.clear();
  LIMBER_TRY(work.motion, draw_chunk(work, order));
  kinematics::cut_motion(work.motion, loop->period + tube);
  join_ends(work.motion, loop->period);
  return Done{};
}

/// All chunks one after the other.
Status draw_chunks(Work& work) {
  const std::vector<Chunk>& chunks = work.cut.chunks;
  const auto count = static_cast<double>(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Order order;
    order.index = i, order.chunk = chunks[i], order.keys = work.cut.keys;
    order.from = static_cast<double>(i) / count, order.to = static_cast<double>(i + 1) / count;
    order.last_of_segment = i + 1 == chunks.size() || chunks[i + 1].segment != chunks[i].segment;
    if (i + 1 == chunks.size()) order.loop = work.cut.period;
    LIMBER_TRY(const Motion next, draw_chunk(work, order));
    const int used = chunks[i].end - chunks[i].first;
    if (i > 0) work.made.seams.push_back(chunks[i].first + chunks[i].kept - work.cut.start);
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
    const Chunk& chunk = work.cut.chunks[i];
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

Result<Made> sample_motion(const BySample& plan, const Context& context, prior::VideoPrior& prior,
                           const Anchors& anchors) {
  const double fps = prior.info().fps;
  const MotionPlan cut = plan_motion(plan.sample.prompt, plan.span, chunk_maker(prior.info()), anchors);
  Work work{plan, context, prior, cut, anchors.before.value_or(Motion{}), {}, {}, {}};
  work.motion.fps = fps, work.motion.joint_count = context.subject.rig.joint_count();
  work.made.segments = segments_of(cut, fps);
  work.made.warnings = warnings_of(cut.segments, prior.info().actions, context.subject.rig);
  LIMBER_CHECK_OK(draw_chunks(work));
  if (plan.span.loop && !cut.period) LIMBER_CHECK_OK(redraw_as_loop(work));
  if (cut.period) join_ends(work.motion, *cut.period);

  Made made = std::move(work.made);
  made.observed = joined(work);
  drop_frames(work.motion, cut.start);
  cut_rows(made.observed, cut.start, work.motion.frame_count());
  made.motion = std::move(work.motion);
  double score = 0;
  for (const double s : work.scores) score += s / static_cast<double>(work.scores.size());
  made.prior_score = score;
  made.keys = keys_of(anchors), made.continues = anchors.before.has_value();
  return made;
}

}  // namespace limber::animate
