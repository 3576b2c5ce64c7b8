// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/motion_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/animate/able.h"
#include "limber/kinematics/playing.h"
#include "limber/kinematics/resample.h"
#include "limber/prior/sketch_model.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

constexpr double kOpenLoop = 0.2;  // radians that a loop may miss by before it is drawn so that it closes

/// What a body does after something else: it takes a while to stop, or to get going.
Motion under_way(Motion motion) {
  drop_frames(motion, std::min(static_cast<int>(std::lround(motion.fps)), motion.frame_count() / 2));
  return motion;
}

}  // namespace

MotionPlan plan_motion(const std::string& prompt, const SpanPlan& span, const ChunkMaker& maker,
                       const Anchors& anchors) {
  MotionPlan plan;
  plan.segments = split_prompt(prompt, maker.actions);
  const int before = anchors.before ? anchors.before->frame_count() : 0, native = maker.rule.frames;
  const auto segments = static_cast<int>(plan.segments.size());
  plan.before = before, plan.start = std::max(before - 1, 0);
  plan.keys = anchors.keys;
  for (Key& key : plan.keys) key.seconds += plan.start / maker.fps;

  // Frames to come, and the first one where there is none yet.
  int frames = segments == 1 ? native - before : segments * native;
  if (!plan.keys.empty() && span.seconds == 0) {
    frames = std::max(frames, static_cast<int>(std::lround(plan.keys.back().seconds * maker.fps)) + 1 - before);
  }
  if (span.seconds > 0) frames = static_cast<int>(std::lround(span.seconds * maker.fps)) + (before > 0 ? 0 : 1);
  // What a sample lasts is told as whole seconds: no chunk more for the last frame.
  if (frames == native + 1 && segments == 1) frames = native;
  frames = std::max(frames, segments);
  if (span.loop && (frames > native || segments > 1)) {
    plan.period = frames - 1;
    frames = *plan.period + maker.rule.least;
  }
  // The very first frame is nobody's: what is shared is the time after it.
  const int first = before > 0 ? 0 : 1;
  std::vector<int> shares = share_frames(std::max(frames - first, 1), segments);
  shares.front() += first;
  // One frame more than a sample has is not worth a chunk of its own.
  if (segments > 1 && before == 0 && shares.front() == native + 1) --shares[0], ++shares[1];
  int end = before;
  for (const int share : shares) plan.ends.push_back(end += share);
  plan.chunks = plan_chunks(shares, before, maker.rule);
  return plan;
}

std::vector<Segment> segments_of(const MotionPlan& plan, double fps) {
  std::vector<Segment> segments;
  int from = plan.start;
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    const int to = std::min(plan.ends[i] - 1, plan.period.value_or(plan.ends[i]));
    segments.push_back({plan.segments[i], (from - plan.start) / fps, (to - plan.start) / fps, 0, {}, {}});
    from = to;
  }
  return segments;
}

std::vector<Warning> warnings_of(std::span<const PromptSegment> segments, std::span<const prior::ActionWords> actions,
                                 const rig::Rig& rig) {
  std::vector<Warning> said;
  for (const PromptSegment& segment : segments) {
    for (auto& warning :
         {prior::warn_of_prompt(actions, segment.prompt), warn_of_limbs(segment, rig), warn_of_unread(segment)}) {
      if (warning && std::find(said.begin(), said.end(), *warning) == said.end()) said.push_back(*warning);
    }
  }
  return said;
}

std::vector<Key> keys_of(const Anchors& anchors) {
  std::vector<Key> keys = anchors.keys;
  if (!anchors.before || (!keys.empty() && keys.front().seconds <= 0)) return keys;
  const int last = anchors.before->frame_count() - 1;
  const auto angles = anchors.before->frame_angles(last);
  keys.insert(keys.begin(), Key{0, {anchors.before->root_translations.back(), {angles.begin(), angles.end()}}});
  return keys;
}

std::optional<LoopPlan> plan_loop(const rig::Rig& rig, const Motion& motion, std::span<const metrics::LimbEnd> ends,
                                  int known) {
  const double fps = motion.fps;
  const int frames = motion.frame_count();
  const metrics::Gait gait = metrics::find_gait(rig, motion, ends);
  const bool cyclic = gait.frequency > 0 && gait.explained > 0.5;
  const std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(motion, cyclic ? 1 / gait.frequency : 0);
  if (cut && cut->gap <= kOpenLoop) return std::nullopt;
  const double cycle = cyclic ? fps / gait.frequency : frames - known;
  LoopPlan plan;
  plan.period = static_cast<int>(std::lround(std::max(1.0, std::floor((frames - known) / cycle)) * cycle));
  if (plan.period > frames - known || plan.period < 2 * known) return std::nullopt;
  for (int f = 0; f < known; ++f) {
    const auto angles = motion.frame_angles(f);
    Key key{(plan.period + f) / fps, {motion.root_translations[static_cast<std::size_t>(f)], {}}};
    const Vec3d lap = (plan.period / fps) * gait.velocity;
    key.pose.root_translation += Vec3{static_cast<float>(lap.x), 0, static_cast<float>(lap.z)};
    key.pose.angles.assign(angles.begin(), angles.end());
    plan.again.push_back(std::move(key));
  }
  return plan;
}

void drop_frames(Motion& motion, int first) {
  const auto joints = static_cast<std::ptrdiff_t>(motion.joint_count);
  motion.root_translations.erase(motion.root_translations.begin(), motion.root_translations.begin() + first);
  motion.angles.erase(motion.angles.begin(), motion.angles.begin() + first * joints);
}

void measure_segments(const rig::Subject& subject, bool continues, Animation& animation) {
  for (Segment& segment : animation.segments) {
    const bool after = continues || &segment != &animation.segments.front();
    if (animation.segments.size() == 1) {
      segment.movement = animation.gait.movement, segment.to = animation.motion.frame_count() / animation.motion.fps;
      segment.travel = metrics::measure_travel(subject, after ? under_way(animation.motion) : animation.motion);
      continue;
    }
    Motion piece = animation.motion;
    piece.loops = false;
    const int last = std::min(piece.frame_count(), static_cast<int>(std::lround(segment.to * piece.fps)) + 1);
    kinematics::cut_motion(piece, last);
    drop_frames(piece, std::min(last, static_cast<int>(std::lround(segment.from * piece.fps))));
    segment.movement = metrics::find_gait(subject.rig, piece, animation.ends).movement;
    segment.travel = metrics::measure_travel(subject, after ? under_way(std::move(piece)) : piece);
  }
}

}  // namespace limber::animate
