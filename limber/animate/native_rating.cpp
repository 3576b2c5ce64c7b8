// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/native_rating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/animate/join.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/resample.h"
#include "limber/metrics/usual_movement.h"
#include "limber/metrics/usual_travel.h"

namespace limber::animate {
namespace {

/// What each of them may be before it counts as much as another one.
constexpr double kSliding = 0.15;  // heights a second
constexpr double kHigh = 0.05;     // heights
constexpr double kGap = 0.2;       // radians
constexpr double kBeyond = 0.35;   // radians

// A foot that stands in earnest: heights, and heights a second.
constexpr double kLow = 0.08, kStill = 0.6;

// What fails: see `find_native_failure`.
constexpr double kFrozen = 0.5, kWild = 1.6;   // of the bounds that are allowed
constexpr double kSunk = 0.2;                  // heights
constexpr double kHovering = 3;                // of what is allowed, at least a leg's length
constexpr double kNowhere = 0.4;               // of the least travel that is allowed
constexpr double kFlung = 12, kSpinning = 90;  // sizes a second, radians a second

/// How feet that are said to stand do so.
struct Stances {
  double speed = 0, height = 0;  ///< means, over the ground and above the foot's lowest place
  double steady = 0;             ///< share of those that are low and slow
  int count = 0;
};

Stances find_stances(const rig::Rig& rig, const NativeTake& take) {
  const kinematics::Motion& motion = take.motion;
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const auto place = [&](int frame, int joint) {
    return joints[at(frame) * at(motion.joint_count) + at(joint)].translation.cast<double>();
  };
  Stances stances;
  for (const physics::ToldContact& foot : take.stands) {
    double lowest = 1e9;
    for (int f = 0; f < motion.frame_count(); ++f) lowest = std::min(lowest, place(f, foot.joint).y);
    for (int f = 1; f < motion.frame_count(); ++f) {
      if (!foot.stands[at(f)] || !foot.stands[at(f - 1)]) continue;
      const Vec3d here = place(f, foot.joint), moved = here - place(f - 1, foot.joint);
      const double speed = std::hypot(moved.x, moved.z) * motion.fps;
      stances.speed += speed, stances.height += here.y - lowest, ++stances.count;
      if (speed < kStill && here.y - lowest < kLow) stances.steady += 1;
    }
  }
  const double count = std::max(stances.count, 1);
  stances.speed /= count, stances.height /= count, stances.steady /= count;
  return stances;
}

/// By how many times it is beyond its bounds; 0 within them.
double beyond(double value, double least, double most) {
  const double low = least > 0 ? std::log(least / std::max(value, 1e-3 * least)) : 0;
  const double high = std::isfinite(most) && most > 0 ? std::log(std::max(value, 1e-9) / most) : 0;
  return std::max({low, high, 0.0});
}

bool is_finite(const kinematics::Motion& motion) {
  const auto finite = [](const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); };
  return std::all_of(motion.root_translations.begin(), motion.root_translations.end(), finite) &&
         std::all_of(motion.angles.begin(), motion.angles.end(), finite);
}

std::optional<std::string> segment_failure(const Animation& animation, const Segment& segment) {
  const std::string what = short_name(segment.asked);
  const metrics::MovementRange movement = metrics::allowed_movement(segment.asked.actions);
  if (!segment.asked.actions.empty() && segment.movement < kFrozen * movement.least)
    return fmt::format("it hardly moves ({})", what);
  if (segment.movement > kWild * movement.most) return fmt::format("it thrashes about ({})", what);
  const metrics::Travel& travel = segment.travel;
  if (travel.speed > kFlung) return fmt::format("it is flung away ({})", what);
  const metrics::SpeedRange speed = metrics::allowed_speed(segment.asked.actions, travel.legged);
  if (animation.own_way && !segment.asked.in_place && travel.pace < kNowhere * speed.least)
    return fmt::format("it goes nowhere ({})", what);
  const double clearance = metrics::allowed_clearance(segment.asked.actions);
  if (travel.legged && travel.clearance > std::max(kHovering * clearance, 1.0))
    return fmt::format("it hovers ({})", what);
  return std::nullopt;
}

}  // namespace

double contact_trust(const rig::Rig& rig, const NativeTake& take) { return find_stances(rig, take).steady; }

double rate_native(const rig::Subject& subject, const NativeTake& take, const PromptSegment& segment, bool loops) {
  if (!is_finite(take.motion)) return 1e9;
  const Stances stances = find_stances(subject.rig, take);
  const std::vector<metrics::LimbEnd> ends = metrics::limb_ends(subject);
  const metrics::Gait gait = metrics::find_gait(subject.rig, take.motion, ends);
  const metrics::Travel travel = metrics::measure_travel(subject, take.motion);
  const metrics::MovementRange movement = metrics::allowed_movement(segment.actions);
  const metrics::SpeedRange speed = metrics::allowed_speed(segment.actions, travel.legged);
  double rating = stances.speed / kSliding + stances.height / kHigh;
  rating += 2 * beyond(gait.movement, movement.least, movement.most);
  rating += beyond(travel.pace, segment.in_place ? 0 : speed.least, speed.most);
  rating += double(metrics::motion_metrics(subject, take.motion, {}).limit_excess) / kBeyond;
  if (loops) {
    const double period = gait.frequency > 0 && gait.explained > 0.5 ? 1 / gait.frequency : 0;
    const std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(take.motion, period);
    rating += std::min(cut ? cut->gap : kPi, round_gap(take.motion)) / kGap;
  }
  return rating;
}

std::optional<std::string> find_native_failure(const Animation& animation) {
  if (!is_finite(animation.motion) || animation.metrics.not_finite > 0) return "its numbers are none";
  if (double(animation.metrics.peak_speed) > kSpinning) return "its joints spin";
  for (const Segment& segment : animation.segments) {
    if (auto failure = segment_failure(animation, segment)) return failure;
  }
  const bool stands = animation.grounded && animation.grounded->reference.habitat == physics::Habitat::kGround;
  if (stands && double(animation.metrics.penetration) > kSunk) return "it sinks into the ground";
  return std::nullopt;
}

}  // namespace limber::animate
