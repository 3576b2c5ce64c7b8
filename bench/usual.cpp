// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "limber/actions/catalogue.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/travel.h"
#include "limber/training/character_file.h"
#include "limber/zoo/action.h"

namespace limber::bench {
namespace {

/// Clips of an action that tell what is usual.
constexpr std::size_t kFewest = 8;

struct UsualSettings : CommonSettings {
  int bodies = 256;        ///< of the zoo: half of the plans, half random ones
  std::string characters;  ///< of `limber-lab train bake`; empty: the zoo alone
};

/// What performances of one action have.
struct Performances {
  std::vector<double> paces, speeds[2], legless_speeds, clearances;  ///< speeds: of the zoo, of characters
  int zoo = 0, characters = 0;
};
/// By action; from any thread.
class Gathered {
 public:
  void add(const std::string& action, const metrics::Travel& travel, bool zoo, bool knows_way) {
    const std::lock_guard lock(mutex_);
    Performances& seen = by_action_[action];
    ++(zoo ? seen.zoo : seen.characters);
    if (knows_way && travel.legged) seen.paces.push_back(travel.pace), seen.speeds[zoo ? 0 : 1].push_back(travel.speed);
    if (knows_way && !travel.legged) seen.legless_speeds.push_back(travel.speed);
    if (travel.legged) seen.clearances.push_back(travel.clearance);
  }
  std::map<std::string, Performances>& by_action() { return by_action_; }

 private:
  std::mutex mutex_;
  std::map<std::string, Performances> by_action_;
};

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto nth = values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

/// Everything that a body can do, for as long as a sample is.
void add_creature(std::uint64_t seed, bool random, Gathered& gathered) {
  zoo::CreatureSettings making;
  making.seed = seed, making.resolution = 24, making.plan = static_cast<zoo::Plan>(seed % zoo::kPlanCount);
  if (random) making.body = zoo::random_body(seed);
  const Result<zoo::Creature> creature = zoo::make_creature(making);
  if (!creature.ok()) return;
  Rng rng(seed, 41);
  for (const zoo::Action action : zoo::actions(*creature)) {
    zoo::ActionSettings settings;
    settings.action = action, settings.seed = seed, settings.fps = 12, settings.frames = 24;
    settings.style = rng.uniform();
    const Result<zoo::Performance> performance = zoo::perform(*creature, settings);
    if (!performance.ok()) continue;
    gathered.add(std::string(zoo::name(action)), metrics::measure_travel(creature->subject, performance->motion), true,
                 true);
  }
}

/// A clip for as long as a sample is, or as it lasts; what a treadmill took away is given back. Artists make nearly all
/// clips that go somewhere in place: one that has no way at all says nothing of how fast its body goes.
void add_character(const training::Character& character, Gathered& gathered) {
  const training::CharacterMesh& mesh = character.mesh;
  const rig::Subject subject{character.rig, mesh.points, {}, mesh.triangles, mesh.weights, {}, 1, {}, {}, {}};
  for (const training::CharacterClip& clip : character.clips) {
    const double seconds = clip.motion.loops ? 2 : std::min(2.0, clip.seconds());
    const kinematics::Motion motion =
        kinematics::play(clip.motion, {.fps = 12,
                                       .frames = std::max(2, static_cast<int>(std::lround(12 * seconds))),
                                       .repeat = clip.motion.loops,
                                       .velocity = clip.ground_velocity});
    const metrics::Travel travel = metrics::measure_travel(subject, motion);
    const bool floats = std::any_of(clip.meaning.actions.begin(), clip.meaning.actions.end(), [](const auto& action) {
      return actions::built_in().find(action)->travels == actions::Travels::kFreely;
    });
    const bool treads = clip.meaning.travels && norm(clip.ground_velocity) == 0 && travel.speed < 0.05;
    for (const std::string& action : clip.meaning.actions) gathered.add(action, travel, false, !floats && !treads);
  }
}

Result<Report> bench_usual(const UsualSettings& settings) {
  Gathered gathered;
  parallel_for(static_cast<std::size_t>(settings.bodies), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) add_creature(1000 * settings.seed + k / 2, k % 2 == 1, gathered);
  });
  if (!settings.characters.empty()) {
    LIMBER_TRY(const std::vector<training::Character> read, training::read_characters(settings.characters, 0));
    parallel_for(read.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) add_character(read[k], gathered);
    });
  }
  Report report{"usual: how fast bodies go and how high their legs keep, by action", {}};
  for (auto& [action, seen] : gathered.by_action()) {
    const std::string note = fmt::format("{} clips of the zoo, {} of characters", seen.zoo, seen.characters);
    const auto row = [&](const char* what, std::vector<double>& values, double share, const char* unit) {
      if (values.size() < kFewest) return;
      report.rows.push_back({action + "/" + what, percentile(values, share), unit, "", note});
    };
    row("least", seen.paces, 0.05, "legs/s");
    row("most of the zoo", seen.speeds[0], 0.95, "sizes/s"), row("most of characters", seen.speeds[1], 0.95, "sizes/s");
    row("least without legs", seen.legless_speeds, 0.05, "sizes/s");
    row("most without legs", seen.legless_speeds, 0.95, "sizes/s");
    row("clearance", seen.clearances, 0.95, "legs");
  }
  return report;
}

}  // namespace

void add_usual_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<UsualSettings>();
  CLI::App& command = add_subject(
      bench, terminal,
      {"usual", "How fast bodies usually go and how high they keep in every action: what motions are judged by",
       "  limber-lab bench usual --bodies 64\n  limber-lab bench usual --characters carry/characters.bin --json"},
      *settings, [settings] { return bench_usual(*settings); });
  command.add_option("--bodies", settings->bodies, "Creatures of the zoo, half of them random bodies")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--characters", settings->characters,
                  "Artists' characters, too, of this file (`limber-lab train bake`)")
      ->type_name("FILE");
}

}  // namespace limber::bench
