// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/finished_clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "bench/creature_trial.h"
#include "limber/anatomy/find_roles.h"
#include "limber/animate/animate_asset.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/resample.h"
#include "limber/metrics/footfalls.h"
#include "limber/metrics/motion_windows.h"

namespace limber::bench {
namespace {

struct Case {
  zoo::Plan plan;
  zoo::Action action;
};
constexpr std::array kCases{Case{zoo::Plan::kQuadruped, zoo::Action::kTrot},
                            Case{zoo::Plan::kBiped, zoo::Action::kWalk}, Case{zoo::Plan::kHexapod, zoo::Action::kWalk},
                            Case{zoo::Plan::kBird, zoo::Action::kFly}};
constexpr std::array kWays{animate::Method::kRule, animate::Method::kNative};
constexpr std::array kChecks{mend::Check::kLoop, mend::Check::kContact, mend::Check::kFloor, mend::Check::kDrift,
                             mend::Check::kFlips};
constexpr double kMostFactor = 10;

/// A mean, and what it is of.
struct Mean {
  double sum = 0;
  int count = 0;
  std::string note;

  void add(double value, const std::string& of = {}) {
    sum += value, ++count;
    if (!of.empty()) note += (note.empty() ? "" : ", ") + of;
  }
};

/// Of one way, over the cases in which something can be told.
struct Sums {
  std::map<mend::Check, Mean> passed;
  Mean phase, duty, activity, recognised;
};

void add_checks(const animate::AnimatedAsset& result, const std::string& name, Sums& sums) {
  for (const mend::Checked& checked : result.finished) {
    if (checked.passed) sums.passed[checked.check].add(*checked.passed ? 100 : 0, *checked.passed ? "" : name);
  }
}

/// How many times as much, one way or the other, as a logarithm.
double gap(double ours, double theirs) {
  const double most = std::log(kMostFactor);
  if (!(ours > 0) || !(theirs > 0)) return most;
  return std::min(std::abs(std::log(ours / theirs)), most);
}

Status add_measures(const zoo::Creature& creature, const Trial& trial, const animate::AnimatedAsset& result,
                    Sums& sums) {
  const kinematics::Motion& motion = result.animation.motion;
  LIMBER_TRY(const Outcome outcome, measure_trial(creature, trial, result.animation));
  LIMBER_TRY(const kinematics::Motion drawn, true_motion(creature, trial.judged));
  const kinematics::Motion truth = kinematics::resampled(drawn, motion.fps);
  rig::Subject known = creature.subject;
  known.rig = anatomy::with_roles(known.rig);
  const rig::Rig& rig = known.rig;
  sums.phase.add(outcome.phase_error);
  sums.recognised.add(outcome.recognised ? 100 : 0, outcome.recognised ? "" : outcome.name + ": " + outcome.taken_for);
  sums.activity.add(gap(metrics::motion_pace(rig, motion).activity, metrics::motion_pace(rig, truth).activity));
  const std::vector<metrics::Foot> feet = metrics::find_feet(known);
  const bool stands = trial.judged != zoo::Action::kFly;
  if (feet.empty() || !stands) return Done{};
  const auto ours = metrics::find_footfalls(rig, feet, motion), theirs = metrics::find_footfalls(rig, feet, truth);
  if (ours && theirs) sums.duty.add(std::abs(ours->duty - theirs->duty));
  return Done{};
}

Status add_case(const Case& asked, animate::Method method, std::uint64_t seed, const animate::Models& models,
                Sums& sums) {
  const Trial trial{asked.plan, kUnseen + seed, asked.action, asked.action};
  LIMBER_TRY(zoo::Creature creature, creature_of(trial));
  asset::Asset asset = zoo::static_asset(creature);
  LIMBER_CHECK_OK(exporter::add_rig(asset, creature.subject));
  animate::Request request;
  request.prompt = prompt_of(trial), request.method = method, request.quality = animate::Quality::kDraft;
  request.no_fallback = method == animate::Method::kNative, request.finishing.loop = true;
  LIMBER_TRY(const animate::AnimatedAsset result, animate::animate_asset(std::move(asset), models, request));
  add_checks(result, std::string(zoo::name(asked.plan)), sums);
  return add_measures(creature, trial, result, sums);
}

void add_rows(animate::Method method, const Sums& sums, Report& report) {
  const auto add = [&](const std::string& figure, const Mean& mean, const char* unit) {
    if (mean.count == 0) return;
    report.rows.push_back(
        {fmt::format("finished/{}/{}", name(method), figure), mean.sum / mean.count, unit, "", mean.note});
  };
  for (const mend::Check check : kChecks) {
    const auto found = sums.passed.find(check);
    if (found != sums.passed.end()) add(fmt::format("{} passed", mend::name(check)), found->second, "%");
  }
  add("phase error", sums.phase, "cycle");
  add("duty error", sums.duty, "cycle");
  Mean activity = sums.activity;
  if (activity.count > 0) activity.sum = activity.count * std::exp(activity.sum / activity.count);
  add("activity factor", activity, "times");
  add("recognised", sums.recognised, "%");
}

}  // namespace

Status measure_finished(const CommonSettings& settings, Report& report) {
  const animate::Models models = animate::find_models();
  for (const animate::Method method : kWays) {
    Sums sums;
    for (const Case& asked : kCases) LIMBER_CHECK_OK(add_case(asked, method, settings.seed, models, sums));
    add_rows(method, sums, report);
  }
  return Done{};
}

}  // namespace limber::bench
