// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/few_steps.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "limber/base/stopwatch.h"
#include "limber/scene/sketch_view.h"

namespace limber::bench {
namespace {

// The rule (an adapter may lose so much against its teacher, and no more).
constexpr double kWorsePhase = 0.005;   // cycle
constexpr double kFewerRecognised = 2;  // %
constexpr double kLeastSpread = 90;     // % of the teacher's distance between seeds

/// Means over the same creatures.
struct StepsMeans {
  double phase_error = 0, recognised = 0;  ///< cycle, %
  int count = 0;
};

StepsMeans try_steps(prior::VideoPrior& model, const std::vector<Trial>& trials, animate::Request request, bool few) {
  request.study.few_steps = few;
  StepsMeans means;
  for (const Trial& trial : trials) {
    const Result<Outcome> outcome = try_creature(model, trial, request);
    if (!outcome.ok()) {
      spdlog::error("{} {}: {}", kind_of(trial), trial.seed, outcome.error().message());
      continue;
    }
    means.phase_error += outcome->phase_error, means.recognised += outcome->recognised ? 100 : 0, ++means.count;
  }
  const double count = std::max(means.count, 1);
  means.phase_error /= count, means.recognised /= count;
  return means;
}

/// Samples of two seeds, and how far they are apart.
struct TwoSeeds {
  double distance = 0;  ///< root mean square of pixels in [0, 1]
  double seconds = 0;   ///< of one sample
};

Result<TwoSeeds> draw_two(prior::VideoPrior& model, const Trial& trial, bool few) {
  LIMBER_TRY(const zoo::Creature creature, creature_of(trial));
  const prior::PriorInfo& info = model.info();
  scene::SketchViewSettings view;
  view.views = info.views, view.size = info.native.width, view.framing = info.framing;
  scene::SketchView seen(creature.subject.rig, scene::part_gaussians(creature.subject), view);
  const Frames rest = seen.rest();
  LIMBER_TRY(const prior::Condition condition, model.condition({prompt_of(trial), ""}, &rest));
  prior::SampleSettings settings;
  settings.few_steps = few;
  const Stopwatch watch;
  LIMBER_TRY(const Frames first, model.sample(condition, settings));
  settings.seed = 1;
  LIMBER_TRY(const Frames second, model.sample(condition, settings));
  double sum = 0;
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    const double difference = double(first.values[i]) - second.values[i];
    sum += difference * difference;
  }
  return TwoSeeds{std::sqrt(sum / static_cast<double>(first.values.size())), 0.5 * watch.seconds()};
}

}  // namespace

void add_few_steps_rows(prior::VideoPrior& model, const std::vector<Trial>& trials, int few,
                        const animate::Request& draft, Report& report) {
  const int passes = model.info().few_steps;
  if (passes == 0) {
    report.rows.push_back({"few steps/left out", 0, "", "", model.info().name + " has no adapter"});
    return;
  }
  const StepsMeans teacher = try_steps(model, trials, draft, false), adapted = try_steps(model, trials, draft, true);
  TwoSeeds theirs, ours;
  int pairs = 0;
  for (int i = 0; i < std::min(few, static_cast<int>(trials.size())); ++i) {
    const Trial& trial = trials[static_cast<std::size_t>(i)];
    const Result<TwoSeeds> a = draw_two(model, trial, false), b = draw_two(model, trial, true);
    if (!a.ok() || !b.ok()) continue;
    theirs.distance += a->distance, theirs.seconds += a->seconds;
    ours.distance += b->distance, ours.seconds += b->seconds, ++pairs;
  }
  const std::string of = fmt::format("{} creatures, {} passes", adapted.count, passes);
  report.rows.push_back({"teacher/phase error", teacher.phase_error, "cycle", "",
                         fmt::format("{} creatures, {} guided steps", teacher.count, model.info().sample_steps)});
  report.rows.push_back({"teacher/recognised", teacher.recognised, "%", "", ""});
  report.rows.push_back({"teacher/time of a sample", theirs.seconds / std::max(pairs, 1), "s", "", ""});
  report.rows.push_back({"few steps/phase error", adapted.phase_error, "cycle",
                         fmt::format("<= {:.4f}", teacher.phase_error + kWorsePhase), of});
  report.rows.push_back({"few steps/recognised", adapted.recognised, "%",
                         fmt::format(">= {:.1f}", teacher.recognised - kFewerRecognised), ""});
  report.rows.push_back({"few steps/distance of two seeds", 100 * ours.distance / std::max(theirs.distance, 1e-9),
                         "% of the teacher's", fmt::format(">= {:.0f}", kLeastSpread), fmt::format("{} pairs", pairs)});
  report.rows.push_back({"few steps/time of a sample", ours.seconds / std::max(pairs, 1), "s", "", ""});
}

}  // namespace limber::bench
