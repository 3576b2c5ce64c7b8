// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/ask_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/metrics/usual_movement.h"
#include "limber/metrics/usual_travel.h"

namespace limber::animate {
namespace {

constexpr double kAnyMost = std::numeric_limits<double>::infinity();
constexpr std::string_view kHeights = "heights", kSpeed = "sizes per second", kPace = "leg lengths per second",
                           kSliding = "heights per second", kLegs = "leg lengths", kAngle = "radians";

/// What draws another motion of the same.
const std::vector<FieldHint> kAnother{{"seed"}, {"candidates"}};

/// A question that is answered by a number in a range.
Answer answered(Question question, double value, double least, double most, std::string_view unit) {
  return {question, value >= least && value <= most, value, least, most, std::nullopt, unit};
}

/// One that nothing here can answer.
Answer unanswered(Question question, double most, std::string_view unit) {
  return {question, std::nullopt, 0, 0, most, std::nullopt, unit};
}

/// The segment that is farthest from what is usual counts; without any, as of a video, whatever moves at all passes.
Answer ask_movement(const Animation& animation) {
  Answer worst;
  double worst_ratio = -1;
  std::string action = "it";
  const auto consider = [&](double movement, std::span<const std::string> actions, const std::string& name) {
    const metrics::MovementRange allowed = metrics::allowed_movement(actions);
    const double ratio = std::max(allowed.least / std::max(movement, 1e-9), movement / allowed.most);
    if (ratio <= worst_ratio) return;
    worst_ratio = ratio, action = name;
    worst = answered(Question::kMoves, movement, allowed.least, allowed.most, kHeights);
  };
  for (const Segment& segment : animation.segments) {
    consider(segment.movement, segment.asked.actions, short_name(segment.asked));
  }
  if (animation.segments.empty()) consider(animation.gait.movement, {}, "it");
  if (*worst.passed) return worst;
  worst.warning =
      worst.value < worst.least
          ? Warning{"hardly_moves", {{"moved", worst.value}, {"least", worst.least}}, {{"what", action}}, kAnother}
          : Warning{"moves_wildly", {{"moved", worst.value}, {"most", worst.most}}, {{"what", action}}, kAnother};
  return worst;
}

Warning travel_warning(const Segment& segment, const Answer& answer) {
  const std::string what = short_name(segment.asked);
  std::vector<FieldHint> fields = kAnother;
  fields.push_back({"in_place", "true"});
  if (answer.value < answer.least) {
    const char* unit = segment.travel.legged ? "the length of its legs" : "its size";
    return {"goes_nowhere",
            {{"pace", answer.value}, {"least", answer.least}},
            {{"what", what}, {"unit", unit}},
            std::move(fields)};
  }
  return {"goes_away", {{"speed", answer.value}, {"most", answer.most}}, {{"what", what}}, std::move(fields)};
}

/// The segment that is farthest from what is usual. What is kept in place, follows keyframes or a video is not asked.
Answer ask_travel(const Animation& animation) {
  Answer worst = unanswered(Question::kTravels, kAnyMost, kSpeed);
  double worst_ratio = -1;
  for (const Segment& segment : animation.segments) {
    metrics::SpeedRange allowed = metrics::allowed_speed(segment.asked.actions, segment.travel.legged);
    if (segment.asked.in_place) allowed.least = 0;
    if (!animation.own_way || !std::isfinite(allowed.most)) continue;
    const metrics::Travel& travel = segment.travel;
    const double short_by = allowed.least / std::max(travel.pace, 1e-9), far_by = travel.speed / allowed.most;
    if (std::max(short_by, far_by) <= worst_ratio) continue;
    worst_ratio = std::max(short_by, far_by);
    // Each bound has a unit of its own: the one that is nearer is told.
    worst = short_by > far_by
                ? answered(Question::kTravels, travel.pace, allowed.least, kAnyMost, travel.legged ? kPace : kSpeed)
                : answered(Question::kTravels, travel.speed, 0, allowed.most, kSpeed);
    if (!*worst.passed) worst.warning = travel_warning(segment, worst);
  }
  return worst;
}

Answer ask_told(const Animation& animation) {
  Answer worst = unanswered(Question::kAsTold, 1 + kToldMargin, {});
  for (const Segment& segment : animation.segments) {
    if (!segment.told || !(segment.told->other > 0)) continue;
    const double ratio = segment.told->asked / segment.told->other;
    if (worst.passed && ratio <= worst.value) continue;
    worst.value = ratio, worst.passed = ratio <= worst.most;
    if (*worst.passed) continue;
    worst.warning = Warning{"looks_like_another",
                            {{"ratio", ratio}},
                            {{"another", segment.told->looks_like}, {"prompt", segment.asked.prompt}},
                            {{"seed"}, {"guidance"}, {"quality", "best"}}};
  }
  return worst;
}

Answer ask_followed(const Animation& animation, double most) {
  if (animation.candidates.empty() || animation.method != Method::kSample)
    return unanswered(Question::kFollowed, most, {});
  double residual = animation.candidates.front().lifted.fit.residual;
  // Of a motion of several chunks all count, of one the chosen candidate.
  if (!animation.seams.empty()) {
    for (const Candidate& chosen : animation.candidates) residual = std::max(residual, chosen.lifted.fit.residual);
  }
  Answer answer = answered(Question::kFollowed, residual, 0, most, {});
  if (*answer.passed) return answer;
  answer.warning = Warning{"not_followed", {{"residual", residual}, {"most", most}}, {}, kAnother};
  return answer;
}

Answer ask_skin(const Animation& animation) {
  Answer answer =
      answered(Question::kWhole, animation.skin.stretch, 0, metrics::allowed_stretch(animation.own_stretch), {});
  answer.warning = metrics::stretch_warning(animation.skin, animation.own_stretch);
  return answer;
}

/// Legs that are off the ground in most frames of what is done on it, in leg lengths; nothing where they are not.
std::optional<Answer> find_hovering(const Animation& animation) {
  for (const Segment& segment : animation.segments) {
    const double most = metrics::allowed_clearance(segment.asked.actions);
    if (!segment.travel.legged || segment.travel.clearance <= most) continue;
    Answer answer = answered(Question::kStands, segment.travel.clearance, 0, most, kLegs);
    answer.warning = Warning{"hovers",
                             {{"clearance", answer.value}, {"most", most}},
                             {{"what", short_name(segment.asked)}},
                             {{"ground", "lock"}, {"ground", "simulate"}, {"seed"}}};
    return answer;
  }
  return std::nullopt;
}

/// By the speed of planted feet; where nothing slides, by what is below the ground; else by what hovers above it. What
/// keeps in the air is asked for the last where nothing but that tells that it should.
Answer ask_ground(const Animation& animation) {
  if (!animation.grounded) return unanswered(Question::kStands, kMostSliding, kSliding);
  const physics::Reference& reference = animation.grounded->reference;
  const std::optional<Answer> hovering = find_hovering(animation);
  if (reference.habitat == physics::Habitat::kFree) {
    if (reference.hangs && hovering) return *hovering;
    return unanswered(Question::kStands, kMostSliding, kSliding);
  }
  Answer answer = answered(Question::kStands, double(animation.metrics.skate), 0, kMostSliding, kSliding);
  const auto sunk = double(animation.metrics.penetration);
  if (!*answer.passed) {
    answer.warning = Warning{"feet_slide",
                             {{"skate", answer.value}, {"most", kMostSliding}},
                             {},
                             {{"ground", "lock"}, {"ground", "simulate"}, {"ground", "none"}}};
  } else if (sunk > kMostSunk) {
    answer = answered(Question::kStands, sunk, 0, kMostSunk, kHeights);
    answer.warning =
        Warning{"sinks", {{"sunk", sunk}, {"most", kMostSunk}}, {}, {{"ground", "lock"}, {"ground", "simulate"}}};
  } else if (hovering) {
    answer = *hovering;
  }
  return answer;
}

Answer ask_limits(const Animation& animation) {
  Answer answer = answered(Question::kLimits, double(animation.metrics.limit_excess), 0, kMostBeyond, kAngle);
  if (*answer.passed) return answer;
  answer.warning = Warning{"beyond_limits", {{"beyond", answer.value}, {"most", kMostBeyond}}, {}, {{"seed"}}};
  return answer;
}

}  // namespace

std::string_view name(Question question) {
  switch (question) {
    case Question::kMoves:
      return "moves";
    case Question::kTravels:
      return "travels";
    case Question::kAsTold:
      return "as told";
    case Question::kFollowed:
      return "followed";
    case Question::kWhole:
      return "whole";
    case Question::kStands:
      return "stands";
    case Question::kLimits:
      return "limits";
  }
  return "";
}

std::vector<Answer> ask_motion(const Animation& animation, double most_residual) {
  return {ask_movement(animation), ask_travel(animation), ask_told(animation),  ask_followed(animation, most_residual),
          ask_skin(animation),     ask_ground(animation), ask_limits(animation)};
}

bool all_passed(std::span<const Answer> answers) {
  return std::all_of(answers.begin(), answers.end(), [](const Answer& answer) { return answer.passed.value_or(true); });
}

}  // namespace limber::animate
