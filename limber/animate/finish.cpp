// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/finish.h"

#include <algorithm>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/resample.h"

namespace limber::animate {
namespace {

/// Heights by which pictures may leave open whether a foot stands.
constexpr double kTouch = 0.05;
/// Of the height a second: what hardly shows.
constexpr float kMostSkate = 0.04f;

/// A motion, and what a person should know of it.
struct Looped {
  kinematics::Motion motion;
  int first = 0;  ///< its first frame in what it was cut from
  std::vector<Warning> warnings;
};

/// Cut to whole cycles that close.
Looped close_loop(kinematics::Motion motion, const metrics::Gait& gait) {
  Looped looped;
  const double period = gait.frequency > 0 && gait.explained > 0.5 ? 1 / gait.frequency : 0;
  std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(motion, period);
  if (!cut) {
    looped.motion = std::move(motion);
    looped.warnings.push_back({"loop_too_short"});
    return looped;
  }
  looped.motion = std::move(cut->motion), looped.first = cut->first;
  if (cut->gap > 0.5) {
    looped.warnings.push_back({"loop_forced", {{"gap", cut->gap}}});
  }
  return looped;
}

/// When feet stand in frames of a motion that was resampled and then cut from frame `first` on.
ToldGround told_of(const kinematics::Motion& motion, int first, const kinematics::Motion& lifted,
                   const ToldGround& told) {
  ToldGround result{{}, told.slide_share};
  for (const physics::ToldContact& foot : told.contacts) {
    physics::ToldContact& contact = result.contacts.emplace_back();
    contact.joint = foot.joint;
    for (int f = 0; f < motion.frame_count(); ++f) {
      const long frame = std::lround((first + f) * lifted.fps / motion.fps);
      contact.stands.push_back(foot.stands[static_cast<std::size_t>(std::min<long>(frame, lifted.frame_count() - 1))]);
    }
  }
  return result;
}

/// A motion that stands on the ground, with the points that bear its weight.
struct Standing {
  kinematics::Motion motion;
  std::vector<metrics::GroundContact> contacts;
};

/// The grounded motion; where nobody said how, the one with locked feet where the simulation slides and that does not:
/// it has gone wrong.
Standing chosen_motion(const rig::Subject& subject, const physics::Grounded& grounded, bool by_habitat,
                       std::vector<Warning>& warnings) {
  const Standing simulated{grounded.motion, grounded.planted};
  if (!by_habitat || grounded.track.iterations == 0) return simulated;
  const float skate = metrics::motion_metrics(subject, grounded.motion, grounded.planted).skate;
  const float locked = metrics::motion_metrics(subject, grounded.target, grounded.target_planted).skate;
  if (!(skate > std::max(kMostSkate, 1.5f * locked))) return simulated;
  warnings.push_back({"feet_locked_instead",
                      {{"simulated", double(skate)}, {"locked", double(locked)}},
                      {},
                      {{"ground", "simulate"}, {"ground", "lock"}}});
  return {grounded.target, grounded.target_planted};
}

/// What flies or swims does so above the ground: as a whole it is raised by as much as its wings or its belly reach
/// below. A motion that the prior drew in place has them where it would stand.
void keep_above(const rig::Subject& subject, Finished& finished) {
  const float sunk = finished.metrics.penetration;
  if (!(sunk > 0)) return;
  for (Vec3& place : finished.motion.root_translations) place.y += sunk;
  finished.metrics = metrics::motion_metrics(subject, finished.motion, {});
  finished.grounded->raised = double(sunk);
}

/// Puts `finished.motion` on the ground. Without any change, too, what the ground says is measured. `keyed`: it passes
/// through poses that were given.
Status put_on_ground(const rig::Subject& subject, const Request& request, const Progress& progress, bool keyed,
                     ToldGround told, Finished& finished) {
  const FinishPlan plan = finish_plan(request);
  const Ground ground = plan.ground;
  physics::GroundSettings settings;
  settings.ground = ground;
  settings.reference.hint = actions::built_in().habitat_hint(request.prompt);
  // Artists know how high feet are; their clips may well be in place.
  if (!request.library) settings.reference.touch = kTouch;
  settings.reference.ground_seen = !request.video && !request.library;  // the prior draws it
  settings.reference.settles = !keyed;
  settings.reference.told = std::move(told.contacts);
  settings.reference.slide_share = told.slide_share;
  settings.track.progress = progress;
  Result<physics::Grounded> grounded = physics::ground_motion(subject, finished.motion, settings);
  if (!grounded.ok()) {
    if (grounded.error().kind == ErrorKind::kCancelled) return grounded.error();
    finished.warnings.push_back({"not_grounded", {}, {{"why", grounded.error().what}}});
    finished.metrics = metrics::motion_metrics(subject, finished.motion, {});
    return Done{};
  }
  // Swimmers and flyers stay where they are.
  const bool stands = grounded->reference.habitat != physics::Habitat::kFree;
  std::vector<metrics::GroundContact> contacts = grounded->planted;
  if (ground != Ground::kNone && (stands || !plan.by_habitat)) {
    Standing chosen = chosen_motion(subject, *grounded, plan.by_habitat, finished.warnings);
    finished.motion = std::move(chosen.motion), contacts = std::move(chosen.contacts);
  }
  if (!stands) contacts.clear();
  finished.metrics = metrics::motion_metrics(subject, finished.motion, contacts);
  finished.grounded = std::move(*grounded);
  if (!stands && ground != Ground::kNone && settings.reference.ground_seen && !keyed) keep_above(subject, finished);
  return Done{};
}

}  // namespace

Result<Finished> finish(const rig::Subject& subject, const kinematics::Motion& lifted,
                        std::span<const metrics::LimbEnd> ends, const Request& request, const Progress& progress,
                        std::span<const Key> keys, const ToldGround& told) {
  GpuTimeline::get().stage("ground");
  Finished finished;
  finished.motion = kinematics::resampled(lifted, request.finishing.fps);
  meet_keys(finished.motion, keys);
  int first = 0;
  if (request.finishing.loop) {
    Looped looped = close_loop(std::move(finished.motion), metrics::find_gait(subject.rig, lifted, ends));
    finished.motion = std::move(looped.motion), finished.warnings = std::move(looped.warnings);
    first = looped.first;
  }
  LIMBER_CHECK_OK(put_on_ground(subject, request, progress, !keys.empty(),
                                told_of(finished.motion, first, lifted, told), finished));
  if (!keys.empty()) finished.key_error = key_error(finished.motion, keys);
  finished.gait = metrics::find_gait(subject.rig, finished.motion, ends);
  if (request.finishing.in_place) kinematics::remove_travel(finished.motion);
  return finished;
}

void take_finished(Finished finished, Animation& animation) {
  animation.motion = std::move(finished.motion);
  animation.grounded = std::move(finished.grounded);
  animation.gait = std::move(finished.gait), animation.metrics = finished.metrics;
  animation.key_error = finished.key_error;
  animation.warnings.insert(animation.warnings.end(), finished.warnings.begin(), finished.warnings.end());
}

bool has_own_way(const Request& request) { return !request.finishing.in_place && !request.keyframes; }

Status finish_whole(const rig::Subject& subject, const Request& request, double begun, Animation& animation) {
  Stopwatch watch;
  LIMBER_TRY(Finished finished, finish(subject, animation.lifted, animation.ends, request,
                                       share_of(request.progress, "putting it on the ground", begun, 1)));
  take_finished(std::move(finished), animation);
  animation.seconds.ground = watch.lap();
  animation.own_way = has_own_way(request);
  animation.segments.front().movement = animation.gait.movement;
  animation.segments.front().travel = metrics::measure_travel(subject, animation.motion);
  animation.segments.front().to = animation.motion.frame_count() / animation.motion.fps;
  return Done{};
}

}  // namespace limber::animate
