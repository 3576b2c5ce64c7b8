// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/finish.h"

#include <algorithm>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/base/gpu_timeline.h"
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
Looped cut_to_loop(kinematics::Motion motion, const metrics::Gait& gait) {
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
  ToldGround result{{}, told.slide_share, told.in_place};
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
Status put_on_ground(const rig::Subject& subject, const FinishPlan& plan, const Progress& progress, bool keyed,
                     ToldGround told, Finished& finished) {
  const Ground ground = plan.ground;
  physics::GroundSettings settings;
  settings.ground = ground;
  settings.reference.hint = actions::built_in().habitat_hint(plan.prompt);
  // Artists know how high feet are; their clips may well be in place.
  if (!plan.by_artists) settings.reference.touch = kTouch;
  settings.reference.ground_seen = plan.ground_seen;
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

/// All clips of a body begin above the place where it stands at rest, so that they fade into each other; loops that
/// stay where they are do so around it.
void begin_at_rest(bool in_place, kinematics::Motion& motion) {
  if (motion.root_translations.empty()) return;
  Vec3d there = motion.root_translations.front().cast<double>();
  if (in_place && motion.loops) {
    there = {};
    for (const Vec3& place : motion.root_translations) there += place.cast<double>();
    there = (1.0 / motion.frame_count()) * there;
  }
  const Vec3 by{static_cast<float>(there.x), 0, static_cast<float>(there.z)};
  for (Vec3& place : motion.root_translations) place -= by;
}

}  // namespace

Result<Finished> finish(const FinishPlan& plan, const rig::Subject& subject, const kinematics::Motion& lifted,
                        std::span<const metrics::LimbEnd> ends, const Progress& progress, std::span<const Key> keys,
                        const ToldGround& told) {
  GpuTimeline::get().stage("ground");
  Finished finished;
  finished.motion = kinematics::resampled(lifted, plan.fps);
  meet_keys(finished.motion, keys);
  int first = 0;
  if (plan.loop) {
    Looped looped = cut_to_loop(std::move(finished.motion), metrics::find_gait(subject.rig, lifted, ends));
    finished.motion = std::move(looped.motion), finished.warnings = std::move(looped.warnings);
    first = looped.first;
  }
  LIMBER_CHECK_OK(
      put_on_ground(subject, plan, progress, !keys.empty(), told_of(finished.motion, first, lifted, told), finished));
  if (!keys.empty()) finished.key_error = key_error(finished.motion, keys);
  finished.gait = metrics::find_gait(subject.rig, finished.motion, ends);
  const bool in_place = plan.in_place || told.in_place;
  if (in_place) kinematics::remove_travel(finished.motion);
  if (keys.empty()) begin_at_rest(in_place, finished.motion);
  return finished;
}

}  // namespace limber::animate
