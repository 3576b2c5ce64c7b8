// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/methods.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string>

namespace limber::bench {
namespace {

/// Means over the bodies that a method could move.
struct MethodMeans {
  double phase_error = 0, recognised = 0, movement = 0, skate = 0, jerk = 0, seconds = 0;
  int count = 0, failed = 0;
  void add(const Outcome& o) {
    phase_error += o.phase_error, recognised += o.recognised ? 1 : 0, skate += o.skate, jerk += o.jerk;
    movement += o.true_movement > 0 ? o.movement / o.true_movement : 1, seconds += o.seconds, ++count;
  }
  double mean(double sum) const { return count > 0 ? sum / count : 0; }
};

MethodMeans try_method(prior::VideoPrior& model, const std::vector<Trial>& trials, const animate::Request& request) {
  MethodMeans means;
  for (const Trial& trial : trials) {
    const Result<Outcome> outcome = try_creature(model, trial, request);
    if (outcome.ok()) {
      means.add(*outcome);
    } else {
      ++means.failed;
      spdlog::error("{} {}: {}", zoo::name(trial.plan), trial.seed, outcome.error().message());
    }
  }
  return means;
}

}  // namespace

void add_method_rows(prior::VideoPrior& model, const std::vector<Trial>& trials, const animate::Request& draft,
                     std::optional<int> iterations, Report& report) {
  for (const animate::Method method : {animate::Method::kSample, animate::Method::kAkd, animate::Method::kPlanar}) {
    animate::Request request = draft;
    request.method = method;
    if (method == animate::Method::kAkd) request.distilling.iterations = iterations;
    const MethodMeans m = try_method(model, trials, request);
    const std::string what = fmt::format("method {}", animate::name(method));
    const std::string of =
        fmt::format("{} bodies{}", m.count, m.failed > 0 ? fmt::format(", {} failed", m.failed) : "");
    report.rows.push_back({what + "/phase error", m.mean(m.phase_error), "cycle", "", of});
    report.rows.push_back({what + "/recognised", 100 * m.mean(m.recognised), "%", "", ""});
    report.rows.push_back({what + "/movement against the truth", 100 * m.mean(m.movement), "%", "", ""});
    report.rows.push_back({what + "/skate", 100 * m.mean(m.skate), "% height/s", "", ""});
    report.rows.push_back({what + "/jerk", m.mean(m.jerk), "rad/s^3", "", ""});
    report.rows.push_back({what + "/time", m.mean(m.seconds), "s", "", ""});
  }
}

}  // namespace limber::bench
