// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <memory>
#include <mutex>

#include "bench/timing.h"
#include "limber/base/threads.h"
#include "limber/body/winding_number.h"
#include "limber/metrics/mesh_health.h"
#include "limber/metrics/self_intersections.h"
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
  report.rows.push_back({"all plans, all threads", median(rates), "creatures/s", ">= 30",
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

struct ZooSettings {
  TimedSettings common;
  int bodies = 0;  ///< random ones to look over; 0: none, time the plans instead
};

/// Seeds of the creatures with which something is wrong.
class Faulty {
 public:
  void add(std::uint64_t seed, bool wrong = true) {
    if (!wrong) return;
    const std::lock_guard lock(mutex_);
    seeds_.push_back(seed);
  }
  /// How many, and the first few by seed, so that they can be looked at.
  Row row(const char* name) {
    std::sort(seeds_.begin(), seeds_.end());
    const std::size_t shown = std::min<std::size_t>(seeds_.size(), 5);
    return {name, static_cast<double>(seeds_.size()), "bodies", "0",
            shown == 0 ? ""
                       : fmt::format("seeds {}", fmt::join(seeds_.begin(),
                                                           seeds_.begin() + static_cast<std::ptrdiff_t>(shown), ", "))};
  }

 private:
  std::mutex mutex_;
  std::vector<std::uint64_t> seeds_;
};

/// What may be wrong with a creature or its clip, each counted once per creature.
struct Violations {
  Faulty not_made, not_closed, pieces, cuts, joints_outside, weights, off_ground, no_clip, missed;
};

bool joints_are_inside(const rig::Subject& subject) {
  return std::all_of(
      subject.rig.world_from_rest().begin(), subject.rig.world_from_rest().end(), [&](const Affine& joint) {
        return body::winding_number(subject.points, subject.triangles, joint.translation.cast<double>()) > 0.5;
      });
}

bool weights_sum_to_one(const rig::SkinWeights& weights) {
  for (std::size_t p = 0; p < weights.points(); ++p) {
    const float* row = &weights.weights[4 * p];
    if (!(std::abs(row[0] + row[1] + row[2] + row[3] - 1) < 1e-5f)) return false;
  }
  return true;
}

/// Feet touch the ground and nothing is below it; a pedestal lifts the feet.
bool stands_on_ground(const zoo::Creature& creature, const zoo::BodySpec& spec) {
  float lowest = 1e9f;
  for (const Vec3& p : creature.subject.points) lowest = std::min(lowest, p.y);
  if (lowest < -0.005f || (!creature.legs.empty() && lowest > 0.005f)) return false;
  return spec.props.pedestal || std::all_of(creature.legs.begin(), creature.legs.end(), [&](const zoo::Leg& leg) {
           const auto foot = static_cast<std::size_t>(leg.joints.back());
           return std::abs((creature.subject.rig.world_from_rest()[foot].translation + leg.tip).y) < 1e-4f;
         });
}

void look_over(std::uint64_t seed, Violations& found) {
  zoo::CreatureSettings making;
  making.seed = seed, making.body = zoo::random_body(seed);
  const Result<zoo::Creature> creature = zoo::make_creature(making);
  if (!creature.ok()) return found.not_made.add(seed);
  const rig::Subject& subject = creature->subject;
  const metrics::MeshHealth health = metrics::mesh_health(zoo::static_asset(*creature));
  found.not_closed.add(seed, !health.closed_manifold() || health.inside_out);
  found.pieces.add(seed, health.components != 1 && !making.body->props.specks);
  found.cuts.add(seed, metrics::self_intersections(subject.points, subject.triangles) > 0);
  found.joints_outside.add(seed, !joints_are_inside(subject));
  found.weights.add(seed, !weights_sum_to_one(subject.weights));
  found.off_ground.add(seed, !stands_on_ground(*creature, *making.body));
}

/// A random body with one of its actions.
void make_and_move(std::uint64_t seed, Violations& found) {
  zoo::CreatureSettings making;
  making.seed = seed, making.body = zoo::random_body(seed);
  const Result<zoo::Creature> creature = zoo::make_creature(making);
  if (!creature.ok()) return;  // counted by `look_over`
  const std::vector<zoo::Action> actions = zoo::actions(*creature);
  if (actions.empty()) return found.no_clip.add(seed);
  zoo::ActionSettings action;
  action.action = actions[seed % actions.size()], action.seed = seed;
  const Result<zoo::Performance> performance = zoo::perform(*creature, action);
  if (!performance.ok()) return found.no_clip.add(seed);
  found.missed.add(seed, performance->missed > 0);
}

Report sweep_bodies(const ZooSettings& settings) {
  const auto count = static_cast<std::size_t>(settings.bodies);
  const std::uint64_t first = 1000 * settings.common.seed;
  Violations found;
  const Stopwatch watch;
  const std::clock_t before = std::clock();  // of all threads together
  parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) make_and_move(first + k, found);
  });
  const double rate = static_cast<double>(count) / watch.seconds();
  const double cpu = 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / static_cast<double>(count);
  parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) look_over(first + k, found);
  });
  Report report{fmt::format("zoo: {} random bodies", count), {}};
  report.rows.push_back({"bodies with one clip each, all threads", rate, "creatures/s", ">= 30", ""});
  report.rows.push_back({"the same, time of one thread", cpu, "ms", "<= 66", "30 a second on two"});
  for (Row& row : std::vector<Row>{
           found.not_made.row("not made"), found.no_clip.row("no clip"), found.not_closed.row("not a closed manifold"),
           found.pieces.row("more than one piece"), found.cuts.row("cut themselves"),
           found.joints_outside.row("a joint outside"), found.weights.row("weights do not sum to one"),
           found.off_ground.row("off the ground"), found.missed.row("a planted foot misses its place")}) {
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace

void add_zoo_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<ZooSettings>();
  CLI::App& command =
      add_timed_subject(bench, terminal,
                        {"zoo", "Creatures with a clip each",
                         "  limber-lab bench zoo --threads 1 --json\n  limber-lab bench zoo --bodies 1000"},
                        settings->common, [settings]() -> Result<Report> {
                          return settings->bodies > 0 ? sweep_bodies(*settings) : bench_zoo(settings->common);
                        });
  command
      .add_option("--bodies", settings->bodies, "Make so many random bodies instead, and count what is wrong with them")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
}

}  // namespace limber::bench
