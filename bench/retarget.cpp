// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/split.h"
#include "limber/actions/catalogue.h"
#include "limber/asset/read.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/upright.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/ground.h"
#include "limber/retarget/retarget_asset.h"
#include "limber/zoo/action.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

struct RetargetBench : CommonSettings {
  std::string split = "../shared/split.json", mocap = "../shared/mocap", groups;
  int clips = 12;     ///< recordings, each on every person of the lists
  int creatures = 6;  ///< of the zoo, a plan
};

/// How fast those points slide that physics takes for planted, whatever the source does. None where nothing is.
std::optional<double> own_skate(const retarget::Retargeted& done) {
  const Result<kinematics::Upright> upright = kinematics::stand_upright(done.subject, done.target_facing);
  if (!upright.ok()) return std::nullopt;
  kinematics::Motion motion = done.motion;
  kinematics::turn_upright(*upright, motion);
  physics::GroundSettings settings;
  settings.ground = physics::Ground::kNone, settings.reference.remove_slide = false;
  settings.reference.hint = actions::built_in().habitat_hint(done.clips.front().name);
  const Result<physics::Grounded> grounded = physics::ground_motion(upright->subject, motion, settings);
  if (!grounded.ok() || grounded->planted.empty()) return std::nullopt;
  return metrics::motion_metrics(upright->subject, motion, grounded->planted).skate;
}

/// What pairs of bodies came to.
struct Sums {
  int done = 0, refused = 0;
  double skate = 0, penetration = 0, direction = 0, seconds = 0, worst_skate = 0, judged = 0, worst_judged = 0;
  int judged_pairs = 0;
  std::string worst, worst_judged_pair;

  void add(const std::string& pair, const Result<retarget::Retargeted>& result, double took) {
    if (!result.ok()) {
      ++refused;
      return;
    }
    const retarget::RetargetedClip& clip = result->clips.front();
    ++done, skate += clip.skate, penetration += clip.penetration, direction += clip.direction_error, seconds += took;
    if (clip.skate >= worst_skate) worst_skate = clip.skate, worst = pair;
    const std::optional<double> judge = own_skate(*result);
    if (!judge) return;
    judged += *judge, ++judged_pairs;
    if (*judge >= worst_judged) worst_judged = *judge, worst_judged_pair = pair;
  }
};

void add_pair(const std::string& name, const asset::Asset& source, int clip, const asset::Asset& target, Sums& sums) {
  const auto start = std::chrono::steady_clock::now();
  const Result<retarget::Retargeted> result = retarget::retarget_asset(source, clip, target);
  sums.add(name, result, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void add_rows(const std::string& group, const Sums& sums, Report& report) {
  const double n = std::max(sums.done, 1);
  report.rows.push_back({group + "/pairs", double(sums.done), "", "", fmt::format("{} were refused", sums.refused)});
  report.rows.push_back({group + "/skate", 100 * sums.skate / n, "% of height/s", "<= 2",
                         fmt::format("at most {:.2f}, {}", 100 * sums.worst_skate, sums.worst)});
  report.rows.push_back({group + "/skate of what physics takes for planted",
                         100 * sums.judged / std::max(sums.judged_pairs, 1), "% of height/s", "",
                         fmt::format("of {} pairs; at most {:.1f}, {}", sums.judged_pairs, 100 * sums.worst_judged,
                                     sums.worst_judged_pair)});
  report.rows.push_back({group + "/penetration", 100 * sums.penetration / n, "% of height", "<= 0.1", ""});
  report.rows.push_back({group + "/direction of limbs", sums.direction / n * 180 / kPi, "degrees", "", ""});
  report.rows.push_back({group + "/time", sums.seconds / n, "s", "", ""});
}

/// As artists file them.
bool is_person(const fs::path& path) { return path.parent_path().filename() == "humanoid"; }

/// Rigs that no network has seen.
struct TestRig {
  asset::Asset asset;
  bool person = false;
};
std::vector<TestRig> read_rigs(const fs::path& split) {
  std::vector<TestRig> rigs;
  for (const char* list : {"test", "test_more"}) {
    for (const std::string& name : split_list(split, list)) {
      Result<asset::Asset> rig = asset::read_asset(split.parent_path() / name);
      if (rig.ok()) rigs.push_back({*std::move(rig), is_person(name)});
    }
  }
  return rigs;
}

/// So many recordings, spread over all.
std::vector<fs::path> some_recordings(const fs::path& folder, int count) {
  std::vector<fs::path> all, some;
  std::error_code error;
  for (fs::recursive_directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    if (file->path().extension() == ".bvh") all.push_back(file->path());
  }
  std::sort(all.begin(), all.end());
  for (int i = 0; i < count && !all.empty(); ++i) {
    some.push_back(all[static_cast<std::size_t>(i) * all.size() / static_cast<std::size_t>(count)]);
  }
  return some;
}

void add_people(const RetargetBench& settings, const std::vector<TestRig>& rigs, Report& report) {
  Sums people, others;
  const std::vector<fs::path> recordings = some_recordings(settings.mocap, settings.clips);
  for (const fs::path& path : recordings) {
    const Result<asset::Asset> recording = asset::read_asset(path);
    if (!recording.ok() || recording->clips.empty()) continue;
    for (const TestRig& rig : rigs) {
      add_pair(path.stem().string() + " on " + rig.asset.name, *recording, 0, rig.asset, rig.person ? people : others);
    }
  }
  add_rows("recordings on people", people, report);
  add_rows("recordings on all other rigs", others, report);
}

/// Every clip of a rig on every other rig.
void add_rigs(const std::vector<TestRig>& rigs, Report& report) {
  Sums sums;
  for (const auto& [source, any] : rigs) {
    if (source.clips.empty()) continue;
    for (const auto& [target, other] : rigs) {
      if (&source == &target) continue;
      const int clip = static_cast<int>(source.clips.size()) / 2;
      add_pair(source.clips[static_cast<std::size_t>(clip)].name + " of " + source.name + " on " + target.name, source,
               clip, target, sums);
    }
  }
  add_rows("rigs on one another", sums, report);
}

Result<asset::Asset> creature_file(zoo::Plan plan, std::uint64_t seed) {
  LIMBER_TRY(zoo::Creature creature, zoo::make_creature({plan, seed, 40, {}}));
  asset::Asset asset = zoo::static_asset(creature);
  asset.name = creature.name;
  LIMBER_CHECK_OK(exporter::add_rig(asset, creature.subject));
  zoo::ActionSettings acting;
  acting.action = zoo::actions(creature).size() > 1 ? zoo::actions(creature)[1] : zoo::actions(creature)[0];
  acting.frames = 48;
  LIMBER_TRY(const zoo::Performance performance, zoo::perform(creature, acting));
  LIMBER_CHECK_OK(
      exporter::add_clip(asset, creature.subject, performance.motion, {.name = std::string(zoo::name(acting.action))}));
  return asset;
}

Status add_zoo(const RetargetBench& settings, Report& report) {
  Sums alike, odd;
  std::vector<asset::Asset> first;
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    std::vector<asset::Asset> creatures;
    for (int i = 0; i < settings.creatures; ++i) {
      LIMBER_TRY(asset::Asset made,
                 creature_file(static_cast<zoo::Plan>(p), settings.seed + static_cast<std::uint64_t>(i)));
      creatures.push_back(std::move(made));
    }
    for (std::size_t i = 0; i + 1 < creatures.size(); ++i) {
      add_pair(creatures[i].name + " on " + creatures[i + 1].name, creatures[i], 0, creatures[i + 1], alike);
    }
    if (!creatures.empty()) first.push_back(std::move(creatures.front()));
  }
  for (const asset::Asset& source : first) {
    for (const asset::Asset& target : first) {
      if (&source != &target) add_pair(source.name + " on " + target.name, source, 0, target, odd);
    }
  }
  add_rows("zoo, the same kind", alike, report);
  add_rows("zoo, every kind on every other", odd, report);
  return Done{};
}

Result<Report> measure(const RetargetBench& settings) {
  Report report{"retarget", {}};
  const bool with_people = holds_name(settings.groups, "people"), with_rigs = holds_name(settings.groups, "rigs");
  if (with_people || with_rigs) {
    const std::vector<TestRig> rigs = read_rigs(settings.split);
    if (rigs.empty())
      report.rows.push_back({"rigs/left out", 0, "", "", settings.split + " is not there or lists none"});
    if (with_people) add_people(settings, rigs, report);
    if (with_rigs) add_rigs(rigs, report);
  }
  if (holds_name(settings.groups, "zoo")) LIMBER_CHECK_OK(add_zoo(settings, report));
  return report;
}

}  // namespace

void add_retarget_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<RetargetBench>();
  CLI::App& command = add_subject(bench, terminal,
                                  {"retarget", "Clips of one body on another: sliding, sinking, directions, time",
                                   "  limber-lab bench retarget --groups zoo\n"
                                   "  limber-lab bench retarget --groups people --clips 40"},
                                  *settings, [settings] { return measure(*settings); });
  add_groups_option(command, settings->groups, {"people", "rigs", "zoo"});
  command.add_option("--split", settings->split, "JSON whose lists `test` and `test_more` name artists' rigs")
      ->capture_default_str()
      ->type_name("FILE");
  command.add_option("--mocap", settings->mocap, "Folder with recordings (.bvh)")
      ->capture_default_str()
      ->type_name("FOLDER");
  command.add_option("--clips", settings->clips, "Recordings, each on every rig")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--creatures", settings->creatures, "Creatures of the zoo, of each plan")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
}

}  // namespace limber::bench
