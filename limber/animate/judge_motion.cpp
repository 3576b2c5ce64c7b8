// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/judge_motion.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/metrics/usual_movement.h"

namespace limber::animate {
namespace {

/// A question that is answered by a number in a range.
Judgement answer(Question question, double value, double least, double most) {
  return {question, value >= least && value <= most, value, least, most, {}};
}

/// The segment that is farthest from what is usual counts; without any, as of a video, whatever moves at all passes.
Judgement judge_movement(const Animation& animation) {
  Judgement worst;
  double worst_ratio = -1;
  std::string action = "it";
  const auto consider = [&](double movement, std::span<const std::string> actions, const std::string& name) {
    const metrics::MovementRange allowed = metrics::allowed_movement(actions);
    const double ratio = std::max(allowed.least / std::max(movement, 1e-9), movement / allowed.most);
    if (ratio <= worst_ratio) return;
    worst_ratio = ratio, action = name;
    worst = answer(Question::kMoves, movement, allowed.least, allowed.most);
  };
  for (const Segment& segment : animation.segments) {
    consider(segment.movement, segment.asked.actions, short_name(segment.asked));
  }
  if (animation.segments.empty()) consider(animation.gait.movement, {}, "it");
  if (*worst.passed) return worst;
  worst.warning =
      worst.value < worst.least
          ? fmt::format(
                "it hardly moves ({}): its limbs by {:.1f} % of the height, where {:.1f} % is the least that is "
                "usual; another --seed, more --candidates or another word for it may help",
                action, 100 * worst.value, 100 * worst.least)
          : fmt::format(
                "it moves wildly ({}): its limbs by {:.0f} % of the height, where {:.0f} % is much; another "
                "--seed or more --candidates may help, and limber inspect shows whether it faces as it should",
                action, 100 * worst.value, 100 * worst.most);
  return worst;
}

Judgement judge_told(const Animation& animation) {
  Judgement worst{Question::kAsTold, std::nullopt, 0, 0, 1 + kToldMargin, {}};
  for (const Segment& segment : animation.segments) {
    if (!segment.told || !(segment.told->other > 0)) continue;
    const double ratio = segment.told->asked / segment.told->other;
    if (worst.passed && ratio <= worst.value) continue;
    worst.value = ratio, worst.passed = ratio <= worst.most;
    if (*worst.passed) continue;
    worst.warning = fmt::format(
        "it may not do as told: to the prior it looks rather like {} than like \"{}\"; another "
        "--seed, a higher --guidance or --quality best may help",
        segment.told->looks_like, segment.asked.prompt);
  }
  return worst;
}

Judgement judge_followed(const Animation& animation, double most) {
  if (animation.candidates.empty() || animation.method != Method::kSample)
    return {Question::kFollowed, std::nullopt, 0, 0, most, {}};
  double residual = animation.candidates.front().lifted.fit.residual;
  // Of a motion of several chunks all count, of one the chosen candidate.
  if (!animation.seams.empty()) {
    for (const Candidate& chosen : animation.candidates) residual = std::max(residual, chosen.lifted.fit.residual);
  }
  Judgement judgement = answer(Question::kFollowed, residual, 0, most);
  if (*judgement.passed) return judgement;
  judgement.warning = fmt::format(
      "no sample could be followed well: the best misses by {:.3f} (bound {:.3f}); more "
      "--candidates or another --seed may help",
      residual, most);
  return judgement;
}

Judgement judge_skin(const Animation& animation) {
  Judgement judgement =
      answer(Question::kWhole, animation.skin.stretch, 0, metrics::allowed_stretch(animation.own_stretch));
  judgement.warning = metrics::stretch_warning(animation.skin, animation.own_stretch).value_or("");
  return judgement;
}

/// By the speed of planted feet; where nothing slides, by what is below the ground.
Judgement judge_ground(const Animation& animation) {
  const bool stands =
      animation.grounded.has_value() && animation.grounded->reference.habitat != physics::Habitat::kFree;
  if (!stands) return {Question::kStands, std::nullopt, 0, 0, kMostSliding, {}};
  Judgement judgement = answer(Question::kStands, double(animation.metrics.skate), 0, kMostSliding);
  const auto sunk = double(animation.metrics.penetration);
  if (!*judgement.passed) {
    judgement.warning = fmt::format(
        "the feet slide by {:.0f} % of the height a second ({:.0f} % is much); --ground lock "
        "or simulate may help, for what flies or swims --ground none",
        100 * judgement.value, 100 * kMostSliding);
  } else if (sunk > kMostSunk) {
    judgement = answer(Question::kStands, sunk, 0, kMostSunk);
    judgement.warning = fmt::format(
        "it sinks into the ground by {:.0f} % of its height; --ground lock or simulate may "
        "help",
        100 * sunk);
  }
  return judgement;
}

Judgement judge_limits(const Animation& animation) {
  Judgement judgement = answer(Question::kLimits, double(animation.metrics.limit_excess), 0, kMostBeyond);
  if (*judgement.passed) return judgement;
  judgement.warning = fmt::format(
      "a joint turns {:.0f} degrees beyond its limits; another --seed may help, and limber "
      "inspect shows the limits",
      judgement.value * 180 / kPi);
  return judgement;
}

}  // namespace

std::string_view name(Question question) {
  switch (question) {
    case Question::kMoves:
      return "moves";
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

std::vector<Judgement> judge_motion(const Animation& animation, double most_residual) {
  return {judge_movement(animation), judge_told(animation),   judge_followed(animation, most_residual),
          judge_skin(animation),     judge_ground(animation), judge_limits(animation)};
}

bool all_passed(std::span<const Judgement> judgements) {
  return std::all_of(judgements.begin(), judgements.end(),
                     [](const Judgement& judgement) { return judgement.passed.value_or(true); });
}

}  // namespace limber::animate
