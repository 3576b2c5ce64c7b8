// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_motion.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "limber/animate/able.h"
#include "limber/animate/finish.h"
#include "limber/animate/part_task.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/playing.h"
#include "limber/kinematics/resample.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

constexpr double kFinishing = 0.9;  // of the progress: from there on it is put on the ground
constexpr double kOpenLoop = 0.2;   // radians that a loop may miss by before it is drawn so that it closes

void add(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

ChunkRule rule_of(const prior::PriorInfo& info) {
  // A third is known, of 24 frames 8; a sixth, one tube of four, is enough to go on from.
  const int frames = info.native.frames;
  return {frames, std::max(frames / 3, 2), std::max(frames / 6, 1)};
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
  animation.pose_prior = task.poses.has_value();
  if (animation.ends.empty()) animation.ends = std::move(task.ends);
  return std::move(refined.motion);
}

/// Draws a motion that does not close by itself once more, so that it does: the first frames are known, and come again
/// after whole cycles.
Status redraw_as_loop(Work& work) {
  const double fps = work.motion.fps;
  const int frames = work.motion.frame_count(), tube = rule_of(work.prior.info()).least;
  const metrics::Gait gait = metrics::find_gait(work.subject.rig, work.motion, work.animation.ends);
  const bool cyclic = gait.frequency > 0 && gait.explained > 0.5;
  const std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(work.motion, cyclic ? 1 / gait.frequency : 0);
  if (cut && cut->gap <= kOpenLoop) return Done{};
  const double cycle = cyclic ? fps / gait.frequency : frames - tube;
  const int period = static_cast<int>(std::lround(std::max(1.0, std::floor((frames - tube) / cycle)) * cycle));
  if (period > frames - tube || period < 2 * tube) return Done{};

  std::vector<Key> keys;
  for (int f = 0; f < tube; ++f) {
    const auto angles = work.motion.frame_angles(f);
    Key key{(period + f) / fps, {work.motion.root_translations[static_cast<std::size_t>(f)], {}}};
    const Vec3d lap = (period / fps) * gait.velocity;
    key.pose.root_translation += Vec3{static_cast<float>(lap.x), 0, static_cast<float>(lap.z)};
    key.pose.angles.assign(angles.begin(), angles.end());
    keys.push_back(std::move(key));
  }
  Order order;
  order.index = 1, order.chunk = {0, 0, tube, frames}, order.keys = keys, order.from = order.to = 1;
  work.observed.clear(), work.scores.clear();
  LIMBER_TRY(work.motion, draw_chunk(work, order));
  kinematics::cut_motion(work.motion, period + tube);
  close_loop(work.motion, period);
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

/// Drops the frames before `first`, and the way there stays.
void drop_frames(Motion& motion, int first) {
  const auto joints = static_cast<std::ptrdiff_t>(motion.joint_count);
  motion.root_translations.erase(motion.root_translations.begin(), motion.root_translations.begin() + first);
  motion.angles.erase(motion.angles.begin(), motion.angles.begin() + first * joints);
}

/// What a body does after something else: it takes a while to stop, or to get going.
Motion under_way(Motion motion) {
  drop_frames(motion, std::min(static_cast<int>(std::lround(motion.fps)), motion.frame_count() / 2));
  return motion;
}

/// How much limbs move in each segment of the finished motion, and how far the body gets.
void measure_segments(const rig::Subject& subject, bool continues, Animation& animation) {
  for (Segment& segment : animation.segments) {
    const bool after = continues || &segment != &animation.segments.front();
    if (animation.segments.size() == 1) {
      segment.movement = animation.gait.movement, segment.to = animation.motion.frame_count() / animation.motion.fps;
      segment.travel = metrics::measure_travel(subject, after ? under_way(animation.motion) : animation.motion);
      continue;
    }
    Motion part = animation.motion;
    part.loops = false;
    const int last = std::min(part.frame_count(), static_cast<int>(std::lround(segment.to * part.fps)) + 1);
    kinematics::cut_motion(part, last);
    drop_frames(part, std::min(last, static_cast<int>(std::lround(segment.from * part.fps))));
    segment.movement = metrics::find_gait(subject.rig, part, animation.ends).movement;
    segment.travel = metrics::measure_travel(subject, after ? under_way(std::move(part)) : part);
  }
}

/// Poses that the result has exactly: the keyframes, and first of all where the clip ended.
std::vector<Key> keys_of(const Anchors& anchors) {
  std::vector<Key> keys = anchors.keys;
  if (!anchors.before || (!keys.empty() && keys.front().seconds <= 0)) return keys;
  const int last = anchors.before->frame_count() - 1;
  const auto angles = anchors.before->frame_angles(last);
  keys.insert(keys.begin(), Key{0, {anchors.before->root_translations.back(), {angles.begin(), angles.end()}}});
  return keys;
}

std::vector<Segment> segments_of(const MotionPlan& plan, double fps) {
  std::vector<Segment> segments;
  int from = plan.start;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const int to = std::min(plan.ends[i] - 1, plan.period.value_or(plan.ends[i]));
    segments.push_back({plan.parts[i], (from - plan.start) / fps, (to - plan.start) / fps, 0, {}, {}});
    from = to;
  }
  return segments;
}

}  // namespace

MotionPlan plan_motion(const Request& request, const prior::PriorInfo& info, const Anchors& anchors) {
  MotionPlan plan;
  plan.parts = split_prompt(request.prompt, info.actions);
  const int before = anchors.before ? anchors.before->frame_count() : 0, native = info.native.frames;
  const auto parts = static_cast<int>(plan.parts.size());
  plan.before = before, plan.start = std::max(before - 1, 0);
  plan.keys = anchors.keys;
  for (Key& key : plan.keys) key.seconds += plan.start / info.fps;

  // Frames to come, and the first one where there is none yet.
  int frames = parts == 1 ? native - before : parts * native;
  if (!plan.keys.empty() && !request.seconds) {
    frames = std::max(frames, static_cast<int>(std::lround(plan.keys.back().seconds * info.fps)) + 1 - before);
  }
  if (request.seconds) frames = static_cast<int>(std::lround(*request.seconds * info.fps)) + (before > 0 ? 0 : 1);
  // What a sample lasts is told as whole seconds: no chunk more for the last frame.
  if (frames == native + 1 && parts == 1) frames = native;
  frames = std::max(frames, parts);
  const ChunkRule rule = rule_of(info);
  if (request.finishing.loop && (frames > native || parts > 1)) {
    plan.period = frames - 1;
    frames = *plan.period + rule.least;
  }
  // The very first frame is nobody's: what is shared is the time after it.
  const int first = before > 0 ? 0 : 1;
  std::vector<int> shares = share_frames(std::max(frames - first, 1), parts);
  shares.front() += first;
  // One frame more than a sample has is not worth a chunk of its own.
  if (parts > 1 && before == 0 && shares.front() == native + 1) --shares[0], ++shares[1];
  int end = before;
  for (const int share : shares) plan.ends.push_back(end += share);
  plan.chunks = plan_chunks(shares, before, rule);
  return plan;
}

Result<Animation> sample_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request,
                                const Anchors& anchors) {
  const double fps = prior.info().fps;
  const MotionPlan plan = plan_motion(request, prior.info(), anchors);
  Work work{subject, prior, request, plan, anchors.before.value_or(Motion{}), {}, {}, {}};
  work.motion.fps = fps, work.motion.joint_count = subject.rig.joint_count();
  work.animation.segments = segments_of(plan, fps);
  for (const PromptPart& part : plan.parts) {
    for (auto& warning : {prior::warn_of_prompt(prior.info().actions, part.prompt), warn_of_limbs(part, subject.rig),
                          warn_of_unread(part)}) {
      std::vector<std::string>& said = work.animation.warnings;
      if (warning && std::find(said.begin(), said.end(), *warning) == said.end()) said.push_back(*warning);
    }
  }
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
