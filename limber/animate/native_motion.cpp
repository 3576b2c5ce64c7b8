// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/native_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/animate/native_facts.h"
#include "limber/animate/native_rating.h"
#include "limber/animate/progress_share.h"
#include "limber/base/at.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/playing.h"
#include "limber/motion_space/motion_contacts.h"

namespace limber::animate {
namespace {

using kinematics::Motion;
using motion_space::kBodyNumbers;
using motion_space::kFrames;
using motion_space::kJointNumbers;
using motion_space::MotionState;
using motion_space::Start;
using physics::ToldContact;
using pose_space::PoseSkeleton;

constexpr int kKept = 16, kLeastKept = 12;        // frames at a seam: about half a step
constexpr double kOpenRound = 0.2;                // radians by which two seconds may miss their beginning
constexpr double kLowPose = 0.15;                 // of the leg's length: feet of a pose that stand are not higher
constexpr double kSlideShare = 0.5;               // feet and way are drawn alike well: each gives way by half
constexpr int kShortSwing = 3, kShortStance = 4;  // frames: nobody lifts a foot, or stands, for less
constexpr double kTrend = 0.7;                    // seconds that a steady turn takes to change
constexpr double kDoubted = 3;                    // what a judge does not believe at all, in units of `rate_native`
constexpr double kTrusted = 0.5;                  // share of stances that have to look like some

/// What the chunks are made with, and what they have become so far.
struct Work {
  const ByNative& asked;
  const Context& context;
  const motion_space::MotionSpace& space;
  const MotionPlan& plan;
  std::vector<bool> feet;  ///< per joint that the network sees
  const MotionDoubt* doubt = nullptr;
  NativeTake all;  ///< of the whole motion, so far
  Made made;
};

/// A chunk to be drawn.
struct Order {
  std::size_t index = 0;
  Chunk chunk;
  std::span<const Key> keys;
  std::optional<int> loop;  ///< the frame that shows the beginning again
  double from = 0, to = 1;  ///< share of the work
};

/// Frames that are known before a chunk is drawn, as the network is told them.
struct Given {
  motion_space::KnownFrames known;
  Start start;
  int alone = -1;              ///< the only frame that is known, if nothing tells where the first one is
  std::vector<Vec3> previous;  ///< angles that those of the first frame are near to
};

Given find_given(const Work& work, const Order& order) {
  Given given;
  const std::optional<KnownPoses> poses =
      known_poses(work.all.motion, order.chunk, kFrames, order.keys, Pace::kSame, order.loop);
  if (!poses) return given;
  const PoseSkeleton& skeleton = work.space.skeleton();
  const Motion& guess = poses->guesses.front();
  MotionState state = motion_space::encode_motion(skeleton, guess, 0, &given.start);
  motion_space::put_standing(skeleton, work.feet, state, true, kLowPose);
  const auto count = std::count(poses->known.begin(), poses->known.end(), 1);
  const bool placed = poses->known[0] != 0 || count > 1;
  given.known.slots.reserve(at(kFrames * (1 + state.joints)));
  for (int f = 0; f < kFrames; ++f) {
    const bool known = poses->known[at(f)] != 0;
    if (known && !placed) given.alone = f;
    given.known.slots.push_back(known && placed);
    given.known.slots.insert(given.known.slots.end(), at(state.joints), known);
  }
  given.known.state = std::move(state);
  const auto angles = guess.frame_angles(0);
  given.previous.assign(angles.begin(), angles.end());
  return given;
}

/// Where a motion starts that is where it should be in one frame.
Start start_through(const PoseSkeleton& skeleton, const MotionState& state, const Given& given) {
  const double* told = given.known.state.body.data() + given.alone * kBodyNumbers;
  const double* drawn = state.body.data() + given.alone * kBodyNumbers;
  Start start = given.start;
  start.heading += told[0] - drawn[0];
  const auto turned = [](double angle, double x, double z) {
    return Vec3d{std::cos(angle) * x + std::sin(angle) * z, 0, std::cos(angle) * z - std::sin(angle) * x};
  };
  const Vec3d way = turned(given.start.heading, told[1], told[2]) - turned(start.heading, drawn[1], drawn[2]);
  start.translation += (transposed(skeleton.from_world) * (skeleton.radius * way)).cast<float>();
  return start;
}

std::vector<ToldContact> contacts_of(const PoseSkeleton& skeleton, const std::vector<bool>& feet,
                                     const MotionState& state) {
  std::vector<ToldContact> contacts;
  for (int j = 0; j < state.joints; ++j) {
    if (!feet[at(j)]) continue;
    ToldContact& contact = contacts.emplace_back();
    contact.joint = skeleton.joints[at(j)].joint;
    for (int f = 0; f < kFrames; ++f)
      contact.stands.push_back(state.frame(f)[at(j * kJointNumbers + pose_space::kStateSize)] > 0);
  }
  return contacts;
}

/// Draws a chunk once.
Result<NativeTake> draw_take(const Work& work, const Order& order, const Given& given, int candidate) {
  const PoseSkeleton& skeleton = work.space.skeleton();
  const double share = (order.to - order.from) / work.asked.sample.candidates;
  motion_space::DrawSettings drawing;
  drawing.facts = native_facts(work.space.model(), work.plan.segments[at(order.chunk.segment)], candidate);
  drawing.seed = work.asked.sample.seed + order.index * std::uint64_t{0x9e3779b97f4a7c15} +
                 static_cast<std::uint64_t>(candidate) * std::uint64_t{1000003};
  drawing.steps = work.asked.sample.steps, drawing.guidance = work.asked.sample.guidance;
  drawing.known = given.known;
  drawing.progress = share_of(work.context.listeners.progress, kDrawnByJoints * (order.from + candidate * share),
                              kDrawnByJoints * (order.from + (candidate + 1) * share));
  LIMBER_TRY(const MotionState state, work.space.draw(drawing));
  const Start start = given.alone >= 0 ? start_through(skeleton, state, given) : given.start;
  return NativeTake{motion_space::decode_motion(skeleton, state, start, given.previous),
                    contacts_of(skeleton, work.feet, state), drawing.seed};
}

/// All candidates of a chunk, the best one first. Those of the only chunk are kept.
Result<NativeTake> draw_chunk(Work& work, const Order& order) {
  const Given given = find_given(work, order);
  const PromptSegment& segment = work.plan.segments[at(order.chunk.segment)];
  const bool alone = work.plan.chunks.size() == 1, loops = alone && work.asked.span.loop;
  std::vector<std::pair<double, NativeTake>> takes;
  for (int i = 0; i < work.asked.sample.candidates; ++i) {
    LIMBER_TRY(NativeTake take, draw_take(work, order, given, i));
    double rating = rate_native(work.context.subject, take, segment, loops);
    if (work.doubt != nullptr && work.asked.sample.candidates > 1)
      rating += kDoubted * work.doubt->of(take.motion, segment.actions).value_or(0);
    takes.emplace_back(rating, std::move(take));
  }
  std::stable_sort(takes.begin(), takes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (alone) work.made.candidates.clear();
  for (const auto& [rating, take] : takes) {
    Candidate& candidate = work.made.candidates.emplace_back();
    candidate.seed = take.seed, candidate.lifted.motion = take.motion, candidate.score = rating;
    candidate.gait = metrics::find_gait(work.context.subject.rig, take.motion, work.made.ends);
    if (!alone) break;
  }
  return std::move(takes.front().second);
}

/// The same pose by angles that are near to others: a joint then does not take another way round between the two.
void come_near(std::span<Vec3> pose, std::span<const Vec3> near) {
  for (std::size_t j = 0; j < pose.size(); ++j) {
    const Vec3 found =
        kinematics::euler_angles(kinematics::euler_matrix(pose[j].cast<double>()), near[j].cast<double>())
            .cast<float>();
    // What is the same but for rounding stays as it is told, to the last bit.
    if (norm(found - pose[j]) > 1e-4f) pose[j] = found;
  }
}

/// The frames of a chunk behind those that it keeps.
void append(NativeTake& all, NativeTake next, int kept, int end) {
  const Motion& so_far = all.motion;
  for (int f = 0; f < end && so_far.frame_count() > 0; ++f) {
    const Motion& drawn = next.motion;
    come_near(next.motion.frame_angles(f),
              f < kept ? so_far.frame_angles(so_far.frame_count() - kept + f) : drawn.frame_angles(std::max(f - 1, 0)));
  }
  append_motion(all.motion, next.motion, kept, end);
  if (all.stands.empty()) {
    for (const ToldContact& contact : next.stands) all.stands.push_back({contact.joint, {}});
  }
  for (std::size_t i = 0; i < all.stands.size(); ++i) {
    std::vector<bool>& stands = all.stands[i].stands;
    // Of a clip that goes on nobody said when its feet stand: what the chunk was told of it.
    const std::vector<bool>& more = next.stands[i].stands;
    if (stands.empty() && all.motion.frame_count() > end)
      stands.assign(at(all.motion.frame_count() - end), !more.empty() && more.front());
    const int known = end - (all.motion.frame_count() - static_cast<int>(stands.size()));
    stands.insert(stands.end(), more.begin() + known, more.begin() + end);
  }
}

Status draw_chunks(Work& work) {
  const std::vector<Chunk>& chunks = work.plan.chunks;
  const auto count = static_cast<double>(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Order order;
    order.index = i, order.chunk = chunks[i], order.keys = work.plan.keys;
    order.from = static_cast<double>(i) / count, order.to = static_cast<double>(i + 1) / count;
    if (i + 1 == chunks.size()) order.loop = work.plan.period;
    LIMBER_TRY(NativeTake next, draw_chunk(work, order));
    if (i > 0) work.made.seams.push_back(chunks[i].first + chunks[i].kept - work.plan.start);
    append(work.all, std::move(next), chunks[i].kept, chunks[i].end - chunks[i].first);
  }
  return Done{};
}

/// One who only goes does so along the front.
void straighten(Work& work) {
  const std::vector<PromptSegment>& segments = work.plan.segments;
  if (!work.asked.span.is_free() || !std::all_of(segments.begin(), segments.end(), goes_straight)) return;
  go_straight(work.space.skeleton(), work.all.motion);
  for (Candidate& candidate : work.made.candidates) go_straight(work.space.skeleton(), candidate.lifted.motion);
}

void cut(NativeTake& take, int frames) {
  kinematics::cut_motion(take.motion, frames);
  for (ToldContact& contact : take.stands) contact.stands.resize(at(frames));
}

/// What is done over and over was drawn so that two seconds are whole cycles; what does not close by itself is drawn
/// once more, so that it does.
Status close_as_loop(Work& work) {
  const int frames = work.all.motion.frame_count();
  if (frames == kFrames && round_gap(work.all.motion) < kOpenRound) {
    close_round(work.all.motion, kLeastKept);
    return Done{};
  }
  const std::optional<LoopPlan> loop = plan_loop(work.context.subject.rig, work.all.motion, work.made.ends, kLeastKept);
  if (!loop) return Done{};
  Order order;
  order.index = 1, order.chunk = {0, 0, kLeastKept, frames}, order.keys = loop->again, order.from = order.to = 1;
  LIMBER_TRY(work.all, draw_chunk(work, order));
  straighten(work);
  cut(work.all, loop->period + kLeastKept);
  join_ends(work.all.motion, loop->period);
  cut(work.all, loop->period);
  return Done{};
}

/// A straight line through the values around each of them.
std::vector<double> trend_of(const std::vector<double>& values, double fps) {
  const int count = static_cast<int>(values.size());
  const double width = kTrend * fps;
  std::vector<double> trend(values.size());
  for (int f = 0; f < count; ++f) {
    double total = 0, mean = 0, when = 0, spread = 0, slope = 0;
    const auto weight = [&](int k) { return std::exp(-0.5 * (k - f) * (k - f) / (width * width)); };
    for (int k = 0; k < count; ++k) total += weight(k), mean += weight(k) * values[at(k)], when += weight(k) * k;
    mean /= total, when /= total;
    for (int k = 0; k < count; ++k) {
      slope += weight(k) * (k - when) * (values[at(k)] - mean), spread += weight(k) * (k - when) * (k - when);
    }
    trend[at(f)] = mean + (spread > 0 ? slope / spread * (f - when) : 0);
  }
  return trend;
}

/// The same poses, told by angles near to those of the motion at their times, so that a joint does not take another way
/// round between them.
std::vector<Key> near_keys(std::vector<Key> keys, const Motion& motion) {
  for (Key& key : keys) {
    const long frame = std::clamp<long>(std::lround(key.seconds * motion.fps), 0, motion.frame_count() - 1);
    come_near(key.pose.angles, motion.frame_angles(static_cast<int>(frame)));
  }
  return keys;
}

/// What lasts for less than so many frames, but for the first and the last of all, is as what is around it.
void drop_short(std::vector<bool>& stands, bool what, int least) {
  const int count = static_cast<int>(stands.size());
  for (int f = 0, end = 0; f < count; f = end) {
    for (end = f; end < count && stands[at(end)] == stands[at(f)];) ++end;
    if (stands[at(f)] != what || end - f >= least || f == 0 || end == count) continue;
    std::fill(stands.begin() + f, stands.begin() + end, !what);
  }
}

/// What the ground is told of feet and way.
ToldGround told_of(Work& work) {
  for (ToldContact& contact : work.all.stands) {
    drop_short(contact.stands, false, kShortSwing);
    drop_short(contact.stands, true, kShortStance);
  }
  ToldGround told{{}, kSlideShare, work.plan.segments.size() == 1 && work.plan.segments.front().in_place};
  if (contact_trust(work.context.subject.rig, work.all) > kTrusted) told.contacts = work.all.stands;
  return told;
}

}  // namespace

ChunkMaker chunk_maker(std::span<const prior::ActionWords> actions) {
  return {actions, motion_space::kFps, {kFrames, kKept, kLeastKept}};
}

Result<Made> native_motion(const ByNative& asked, const Context& context, const motion_space::MotionSpace& space,
                           const Anchors& anchors, const MotionDoubt* doubt) {
  const std::vector<prior::ActionWords> actions = native_actions(space.model());
  MotionPlan plan = plan_motion(asked.sample.prompt, asked.span, chunk_maker(actions), anchors);
  Work work{asked, context, space, plan, space.feet(), doubt, {}, {}};
  work.made.method = Method::kNative;
  work.made.warnings = warnings_of(plan.segments, actions, context.subject.rig);
  for (Warning& note : find_nearest_actions(space.model(), plan.segments))
    work.made.warnings.push_back(std::move(note));
  work.made.segments = segments_of(plan, motion_space::kFps);
  work.made.ends = metrics::limb_ends(context.subject);
  work.all.motion = anchors.before.value_or(Motion{});
  work.all.motion.fps = motion_space::kFps, work.all.motion.joint_count = context.subject.rig.joint_count();
  Stopwatch watch;
  LIMBER_CHECK_OK(draw_chunks(work));
  straighten(work);
  if (asked.span.loop && !plan.period) LIMBER_CHECK_OK(close_as_loop(work));
  if (plan.period) {
    join_ends(work.all.motion, *plan.period);
    cut(work.all, *plan.period);
  }
  drop_frames(work.all.motion, plan.start);
  for (ToldContact& contact : work.all.stands)
    contact.stands.erase(contact.stands.begin(), contact.stands.begin() + plan.start);
  Made made = std::move(work.made);
  made.seconds.sample = watch.lap();
  made.told = told_of(work);
  made.motion = std::move(work.all.motion);
  made.keys = near_keys(keys_of(anchors), made.motion);
  made.continues = anchors.before.has_value();
  return made;
}

void go_straight(const PoseSkeleton& skeleton, Motion& motion) {
  std::vector<double> headings;
  for (int f = 0; f < motion.frame_count(); ++f) {
    double heading = 0;
    pose_space::turns_of(skeleton, motion.frame_angles(f), &heading);
    if (f > 0) heading += 2 * kPi * std::round((headings.back() - heading) / (2 * kPi));
    headings.push_back(heading);
  }
  const std::vector<double> turns = trend_of(headings, motion.fps);
  const auto root = at(skeleton.joints[0].joint);
  const std::vector<Vec3> path = motion.root_translations;
  std::vector<double> aside{0.0};
  for (int f = 0; f < motion.frame_count(); ++f) {
    const auto angles = motion.frame_angles(f);
    pose_space::EncodedPose pose =
        pose_space::encode_pose(skeleton, {path[at(f)], std::vector<Vec3>(angles.begin(), angles.end())});
    pose.place.heading = headings[at(f)] - turns[at(f)];
    const auto previous = std::as_const(motion).frame_angles(std::max(f - 1, 0));
    angles[root] = pose_space::decode_pose(skeleton, pose.state, pose.place, previous).angles[root];
    if (f == 0) continue;
    // The step as the body made it, turned along with it.
    const double turn = 0.5 * (turns[at(f)] + turns[at(f - 1)]), c = std::cos(turn), s = std::sin(turn);
    const Vec3d step = (path[at(f)] - path[at(f - 1)]).cast<double>();
    Vec3& place = motion.root_translations[at(f)];
    place.z = motion.root_translations[at(f - 1)].z + static_cast<float>(s * step.x + c * step.z);
    aside.push_back(aside.back() + c * step.x - s * step.z);
  }
  const std::vector<double> drift = trend_of(aside, motion.fps);
  for (int f = 0; f < motion.frame_count(); ++f)
    motion.root_translations[at(f)].x = path[0].x + static_cast<float>(aside[at(f)] - drift[at(f)]);
}

}  // namespace limber::animate
