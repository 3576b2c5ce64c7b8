// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>

#include "bench/timing.h"
#include "limber/base/threads.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::bench {
namespace {

struct Made {
  std::size_t vertices = 0, frames = 0;
};

/// A creature and one clip of it, its action drawn from the seed.
Made make_one(zoo::Plan plan, std::uint64_t seed) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed;
  const zoo::Creature creature = zoo::make_creature(settings).value();
  const std::vector<zoo::Action> actions = zoo::actions(plan);
  zoo::ActionSettings action;
  action.action = actions[seed % actions.size()], action.seed = seed;
  const zoo::Performance performance = zoo::perform(creature, action).value();
  return {creature.subject.points.size(), static_cast<std::size_t>(performance.motion.frame_count())};
}

Report bench_zoo(const TimedSettings& settings) {
  Report report{"zoo: a creature with one clip each", {}};
  constexpr std::uint64_t kPerPlan = 5;
  std::vector<double> rates;
  std::atomic<std::size_t> vertices{0}, frames{0};
  for (int run = 0; run < settings.repetitions; ++run) {
    vertices = 0, frames = 0;
    const Stopwatch watch;
    parallel_for(zoo::kPlanCount * kPerPlan, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const Made made = make_one(static_cast<zoo::Plan>(k % zoo::kPlanCount), settings.seed + k / zoo::kPlanCount);
        vertices += made.vertices, frames += made.frames;
      }
    });
    rates.push_back(static_cast<double>(zoo::kPlanCount * kPerPlan) / watch.seconds());
  }
  report.rows.push_back({"all plans, all threads", median(rates), "creatures/s", ">= 20",
                         fmt::format("{} vertices and {} frames each", vertices / (zoo::kPlanCount * kPerPlan),
                                     frames / (zoo::kPlanCount * kPerPlan))});
  for (int plan = 0; plan < zoo::kPlanCount; ++plan) {
    std::vector<double> times;
    std::size_t plan_vertices = 0;
    for (std::uint64_t k = 0; k < kPerPlan; ++k) {
      const Stopwatch watch;
      plan_vertices += make_one(static_cast<zoo::Plan>(plan), settings.seed + k).vertices;
      times.push_back(1000 * watch.seconds());
    }
    report.rows.push_back({fmt::format("{}, one thread", zoo::name(static_cast<zoo::Plan>(plan))), median(times), "ms",
                           "<= 60", fmt::format("{} vertices", plan_vertices / kPerPlan)});
  }
  return report;
}

}  // namespace

void add_zoo_bench(CLI::App& bench, cli::Terminal& terminal) {
  add_plain_subject(bench, terminal, {"zoo", "Creatures with a clip each", "  limber bench zoo --threads 1 --json"},
                    bench_zoo);
}

}  // namespace limber::bench
