// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/methods.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>

#include "bench/kept_outcomes.h"
#include "bench/lift.h"
#include "bench/shared_prior.h"
#include "bench/timing.h"
#include "limber/base/threads.h"

namespace limber::bench {
namespace {

constexpr double kSink = 0.15;  ///< heights that a sinking start sinks
constexpr double kSave = 60;    ///< seconds between writings of a distillation

/// Bodies that are moved in one way.
struct Series {
  std::string name;  ///< "method akd"
  animate::Request request;
  animate::Study study = {};
  std::optional<motion_space::MotionDenoiser> motions = {};  ///< of the method native
};

/// One body of a series.
struct Run {
  std::size_t series = 0;
  Trial trial;
  std::string key;  ///< tells it from all others
};

/// What became of a series.
struct Means {
  double phase_error = 0, recognised = 0, movement = 0, skate = 0, penetration = 0, jerk = 0, seconds = 0;
  int count = 0, failed = 0;
  void add(const Outcome& o) {
    phase_error += o.phase_error, recognised += o.recognised ? 1 : 0;
    skate += o.skate, penetration += o.penetration, jerk += o.jerk;
    movement += o.true_movement > 0 ? o.movement / o.true_movement : 1, seconds += o.seconds, ++count;
  }
  double mean(double sum) const { return count > 0 ? sum / count : 0; }
};

/// How many are moved at a time; all others only wait for the prior's answers.
enum class Crowd { kAll, kAsManyAsCores };
constexpr int kTable = 8;  ///< of a crowd, that ask the prior together

bool follows_video(const animate::Request& request) { return request.method == animate::Method::kVideo; }

/// Moves one body, and judges that.
Result<Outcome> move_body(prior::VideoPrior& model, const Trial& trial, animate::Request request,
                          const Series& series) {
  request.prompt = prompt_of(trial), request.seed = trial.seed;
  request.study.draw_ground = series.study.draw_ground, request.study.sink = series.study.sink;
  if (follows_video(request)) {
    const Film film = make_film({trial.plan.value(), trial.judged}, trial.seed);
    // What it looks like to somebody who does not know better: kept, too, where it does not tell much.
    request.anyway = true;
    const Stopwatch watch;
    LIMBER_TRY(const animate::Animation animation,
               animate::follow_pictures(film.creature.subject, &film.asset, {film.video, kFilmFps}, request));
    const double seconds = watch.seconds();
    LIMBER_TRY(Outcome outcome, measure_trial(film.creature, trial, animation));
    outcome.seconds = seconds;
    return outcome;
  }
  LIMBER_TRY(const zoo::Creature creature, creature_of(trial));
  const Stopwatch watch;
  const auto follow = [&]() -> Result<animate::Animation> {
    if (!series.motions) return animate::follow_prompt(creature.subject, nullptr, model, request);
    LIMBER_TRY(animate::NativeAnimation native,
               animate::follow_native(creature.subject, nullptr, *series.motions, request));
    return std::move(native.animation);
  };
  LIMBER_TRY(const animate::Animation animation, follow());
  const double seconds = watch.seconds();
  LIMBER_TRY(Outcome outcome, measure_trial(creature, trial, animation));
  outcome.seconds = seconds;
  return outcome;
}

std::vector<Run> list_runs(const std::vector<Series>& series, const std::vector<Trial>& trials) {
  std::vector<Run> runs;
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (const Trial& trial : trials) {
      const int iterations = series[s].request.distilling.iterations.value_or(0);
      runs.push_back({s, trial,
                      fmt::format("{}, {} iterations, {} {} {}", series[s].name, iterations, kind_of(trial), trial.seed,
                                  zoo::name(trial.judged))});
    }
  }
  return runs;
}

/// Moves all bodies of all series that were not moved before, at the same time. What cannot be moved is logged.
Status run_all(prior::VideoPrior& model, const std::vector<Series>& series, const std::vector<Run>& runs, Crowd crowd,
               KeptOutcomes& kept) {
  std::vector<const Run*> open;
  for (const Run& run : runs) {
    if (kept.find(run.key) == nullptr) open.push_back(&run);
  }
  if (open.empty()) return Done{};
  const auto* parts = dynamic_cast<prior::SketchPrior*>(&model);
  if (parts == nullptr) return Error{"methods are compared with the built-in prior", model.info().name};
  const int count = static_cast<int>(open.size()), threads = thread_count();
  const bool all = crowd == Crowd::kAll;
  SharedPrior shared(*parts, count, all ? kTable : 1);
  std::mutex mutex;
  Status status = Done{};
  // A thread for each: what a body needs is then computed by its own thread alone. One alone may have them all.
  if (count > 1) set_thread_count(all ? count : std::min(threads, count));
  parallel_for(open.size(), 1, [&](std::size_t i, std::size_t) {
    const std::unique_ptr<prior::VideoPrior> seat = shared.take_seat(static_cast<int>(i));
    animate::Request request = series[open[i]->series].request;
    const std::filesystem::path checkpoint = kept.checkpoint(open[i]->key);
    if (request.method == animate::Method::kAkd && !checkpoint.empty()) request.checkpoint = {checkpoint, kSave};
    const Result<Outcome> outcome = move_body(*seat, open[i]->trial, request, series[open[i]->series]);
    const std::lock_guard lock(mutex);
    if (!outcome.ok()) {
      spdlog::error("{}: {}", open[i]->key, outcome.error().message());
    } else {
      spdlog::info("{}", series[open[i]->series].name), tell(*outcome);
      if (Status s = kept.keep(open[i]->key, *outcome); !s.ok() && status.ok()) status = s;
      if (request.checkpoint) animate::remove_checkpoint(checkpoint);
    }
  });
  set_thread_count(threads);
  return status;
}

std::vector<Means> means_of(const std::vector<Series>& series, const std::vector<Run>& runs, const KeptOutcomes& kept) {
  std::vector<Means> means(series.size());
  for (const Run& run : runs) {
    const Outcome* outcome = kept.find(run.key);
    if (outcome != nullptr) means[run.series].add(*outcome);
    if (outcome == nullptr) ++means[run.series].failed;
  }
  return means;
}

void add_rows(const std::string& what, const Means& m, Report& report) {
  const std::string of = fmt::format("{} bodies{}", m.count, m.failed > 0 ? fmt::format(", {} failed", m.failed) : "");
  report.rows.push_back({what + "/phase error", m.mean(m.phase_error), "cycle", "", of});
  report.rows.push_back({what + "/recognised", 100 * m.mean(m.recognised), "%", "", ""});
  report.rows.push_back({what + "/movement against the truth", 100 * m.mean(m.movement), "%", "", ""});
  report.rows.push_back({what + "/skate", 100 * m.mean(m.skate), "% height/s", "", ""});
  report.rows.push_back({what + "/penetration", 100 * m.mean(m.penetration), "% height", "", ""});
  report.rows.push_back({what + "/jerk", m.mean(m.jerk), "rad/s^3", "", ""});
  report.rows.push_back({what + "/time", m.mean(m.seconds), "s", "", "a body, beside all others"});
}

/// Runs some series, and tells what became of them.
Status measure(prior::VideoPrior& model, const std::vector<Series>& series, const std::vector<Trial>& trials,
               Crowd crowd, KeptOutcomes& kept, Report& report) {
  const std::vector<Run> runs = list_runs(series, trials);
  LIMBER_CHECK_OK(run_all(model, series, runs, crowd, kept));
  const std::vector<Means> means = means_of(series, runs, kept);
  for (std::size_t s = 0; s < series.size(); ++s) add_rows(series[s].name, means[s], report);
  return Done{};
}

/// The network on joints, as it draws: neither drawn again nor replaced.
Result<Series> native_series(const animate::Models& models, const MethodSettings& settings) {
  Series series{"method native", {}};
  LIMBER_TRY(series.motions, models.open_motions());
  series.request.quality = animate::Quality::kDraft, series.request.method = animate::Method::kNative;
  series.request.no_fallback = true;
  series.request.sampling.steps = settings.steps, series.request.sampling.guidance = settings.guidance;
  if (settings.steps) series.name += fmt::format(", {} steps", *settings.steps);
  if (settings.guidance) series.name += fmt::format(", guidance {}", *settings.guidance);
  return series;
}

animate::Request akd_request(const MethodSettings& settings, int iterations) {
  animate::Request request;
  request.quality = animate::Quality::kDraft, request.method = animate::Method::kAkd;
  request.distilling.iterations = iterations, request.device = settings.device;
  return request;
}

}  // namespace

void add_method_options(CLI::App& command, MethodSettings& settings) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->check(CLI::Range(1, 1000000))->type_name("N");
  };
  add("--bodies", settings.bodies, "How many creatures in the tables of methods and ablations")->capture_default_str();
  add("--iterations", settings.iterations, "Of the method akd")->capture_default_str();
  add("--short-iterations", settings.short_iterations, "Of the ablations")->capture_default_str();
  command.add_option("--methods", settings.methods, "Which methods are compared; by default all")->type_name("LIST");
  add("--most-iterations", settings.most_iterations, "One more row of akd: the first creature, for so long");
  command.add_option("--outcomes", settings.outcomes, "Keeps what methods and ablations came to; resumes from it")
      ->type_name("FILE");
}

Status add_method_rows(const animate::Models& models, prior::VideoPrior& model, const std::vector<Trial>& trials,
                       const MethodSettings& settings, Report& report) {
  KeptOutcomes kept(settings.outcomes);
  const auto wants = [&](animate::Method method) {
    return settings.methods.empty() || holds_name(settings.methods, std::string(animate::name(method)));
  };
  if (wants(animate::Method::kNative)) {
    LIMBER_TRY(const Series native, native_series(models, settings));
    LIMBER_CHECK_OK(measure(model, {native}, trials, Crowd::kAsManyAsCores, kept, report));
  }
  for (const animate::Method method :
       {animate::Method::kSample, animate::Method::kPlanar, animate::Method::kVideo, animate::Method::kAkd}) {
    if (!wants(method)) continue;
    animate::Request request = akd_request(settings, settings.iterations);
    request.method = method;
    const bool akd = method == animate::Method::kAkd;
    if (!akd) request.distilling.iterations.reset();
    if (!akd) request.sampling.candidates = 1, request.study.redraws = 0;
    const Series series{fmt::format("method {}", animate::name(method)), request};
    LIMBER_CHECK_OK(measure(model, {series}, trials, akd ? Crowd::kAll : Crowd::kAsManyAsCores, kept, report));
  }
  if (!settings.most_iterations || trials.empty()) return Done{};
  const Series series{fmt::format("method akd, {} iterations", *settings.most_iterations),
                      akd_request(settings, *settings.most_iterations)};
  return measure(model, {series}, {trials.front()}, Crowd::kAll, kept, report);
}

Status add_ablation_rows(prior::VideoPrior& model, const std::vector<Trial>& trials, const MethodSettings& settings,
                         Report& report) {
  animate::Request full = akd_request(settings, settings.short_iterations);
  // As it comes: feet that are locked afterwards would hide what the terms do.
  full.finishing.ground = animate::Ground::kNone;
  animate::Request no_smooth = full, no_ground_loss = full;
  no_smooth.distilling.smooth_weight = 0, no_ground_loss.distilling.ground_weight = 0;
  animate::Study no_ground, sinking;
  no_ground.draw_ground = false, sinking.sink = kSink;
  const std::vector<Series> series{{"ablation all terms", full},
                                   {"ablation no ground drawn", full, no_ground},
                                   {"ablation no L_smooth", no_smooth},
                                   {"ablation sinking start", full, sinking},
                                   {"ablation sinking start, no L_ground", no_ground_loss, sinking}};
  KeptOutcomes kept(settings.outcomes);
  return measure(model, series, trials, Crowd::kAll, kept, report);
}

}  // namespace limber::bench
