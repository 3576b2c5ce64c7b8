// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "command.h"
#include "limber/asset/formats.h"
#include "limber/asset/write.h"
#include "limber/base/threads.h"
#include "limber/exporter/exporter.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::cli {
namespace {

struct ZooOptions {
  std::string plan = "quadruped", body, action;
  bool random = false;
  std::uint64_t seed = 0;
  int count = 1;
  bool no_rig = false, list = false;
  zoo::CreatureSettings creature;
  zoo::ActionSettings performance;
  std::string output, report;
};

template <class T>
std::vector<std::string> all_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(zoo::name(static_cast<T>(i)));
  return names;
}

/// What the report says of one clip: how well it keeps its promises.
nlohmann::ordered_json clip_report(const zoo::Creature& creature, const std::string& name,
                                   const zoo::Performance& performance, const zoo::ActionSettings& settings) {
  std::vector<metrics::GroundContact> contacts;
  for (const zoo::FootTrack& foot : performance.feet) {
    const zoo::Leg& leg = creature.legs[static_cast<std::size_t>(foot.leg)];
    contacts.push_back({leg.joints.back(), leg.tip, foot.planted});
  }
  const int frames = performance.motion.frame_count();
  const float slide =
      settings.in_place ? performance.stride * static_cast<float>(performance.cycles) / static_cast<float>(frames) : 0;
  const metrics::MotionMetrics m = metrics::motion_metrics(creature.subject, performance.motion, contacts, slide);
  return {{"name", name},
          {"frames", frames},
          {"fps", performance.motion.fps},
          {"loops", performance.motion.loops},
          {"stride", performance.stride},
          {"slip", m.slip},
          {"penetration", m.penetration},
          {"hover", m.hover},
          {"limit_excess", m.limit_excess},
          {"peak_speed", m.peak_speed},
          {"mean_jerk", m.mean_jerk}};
}

/// What a creature of these options is called in file names and messages.
std::string kind_name(const ZooOptions& options) {
  return options.random || !options.body.empty() ? "creature" : options.plan;
}

/// What to make for a seed: a body in words, a random one, or a plan.
Result<zoo::CreatureSettings> creature_settings(const ZooOptions& options, std::uint64_t seed) {
  zoo::CreatureSettings settings = options.creature;
  settings.plan = *zoo::plan_from_name(options.plan), settings.seed = seed;
  if (options.random) settings.body = zoo::random_body(seed);
  if (!options.body.empty()) {
    LIMBER_TRY(settings.body, zoo::parse_body(options.body));
  }
  return settings;
}

/// The names of the clips asked for. "all" are those that the body has.
std::vector<std::string> clip_names(const ZooOptions& options, const zoo::Creature& creature) {
  if (options.action.empty()) return {};
  if (options.action != "all") return {std::string(zoo::name(*zoo::action_from_name(options.action)))};
  std::vector<std::string> names;
  for (const zoo::Action action : zoo::actions(creature)) names.emplace_back(zoo::name(action));
  return names;
}

/// One creature with its clips as an asset. Where `clips` is given, each clip's measurements are added to it.
Result<asset::Asset> make_asset(const ZooOptions& options, std::uint64_t seed,
                                nlohmann::ordered_json* clips = nullptr) {
  LIMBER_TRY(const zoo::CreatureSettings settings, creature_settings(options, seed));
  LIMBER_TRY(zoo::Creature creature, zoo::make_creature(settings));
  asset::Asset asset = zoo::static_asset(creature);
  if (options.no_rig) return asset;

  LIMBER_CHECK_OK(exporter::add_rig(asset, creature.subject));
  for (const std::string& name : clip_names(options, creature)) {
    zoo::ActionSettings action = options.performance;
    action.action = *zoo::action_from_name(name);
    action.seed = seed;
    LIMBER_TRY(const zoo::Performance performance, zoo::perform(creature, action));
    if (clips) clips->push_back(clip_report(creature, name, performance, action));
    LIMBER_CHECK_OK(exporter::add_clip(asset, creature.subject, performance.motion, {.name = name}));
  }
  return asset;
}

/// One creature, and the report beside it if asked for. Lengths there are in units of the creature's height.
Status make_one(const Terminal& terminal, const ZooOptions& options) {
  const Activity activity(terminal, "making a " + kind_name(options));
  const auto start = std::chrono::steady_clock::now();
  nlohmann::ordered_json clips = nlohmann::json::array();
  LIMBER_TRY(const asset::Asset asset, make_asset(options, options.seed, options.report.empty() ? nullptr : &clips));
  LIMBER_CHECK_OK(asset::write_asset(asset, options.output));
  if (options.report.empty()) return Done{};
  LIMBER_TRY(const zoo::CreatureSettings made, creature_settings(options, options.seed));
  const zoo::ActionSettings& action = options.performance;
  const nlohmann::ordered_json report{
      {"limber", LIMBER_VERSION},
      {"command", "zoo"},
      {"output", options.output},
      {"plan", made.body ? nlohmann::ordered_json() : nlohmann::ordered_json(options.plan)},
      {"body", zoo::to_text(made.body ? *made.body : zoo::recipe(made.plan))},
      {"seed", options.seed},
      {"settings",
       {{"resolution", options.creature.resolution},
        {"fps", action.fps},
        {"frames", action.frames},
        {"speed", action.speed},
        {"amplitude", action.amplitude},
        {"style", action.style},
        {"noise", action.noise},
        {"in_place", action.in_place}}},
      {"vertices", asset.meshes[0].primitives[0].positions.size()},
      {"clips", clips},
      {"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()},
      {"warnings", asset.warnings}};
  return write_file(options.report, report.dump(2) + "\n");
}

/// Many creatures into a folder, in parallel. The first error counts.
Status make_many(const Terminal& terminal, const ZooOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  if (error) return Error{"cannot make the folder: " + error.message(), options.output};
  Activity activity(terminal, "making " + std::to_string(options.count) + " creatures");
  std::mutex mutex;
  std::optional<Error> failure;
  int done = 0;
  parallel_for(static_cast<std::size_t>(options.count), 1, [&](std::size_t i, std::size_t) {
    {
      std::lock_guard lock(mutex);
      if (failure) return;
    }
    const std::uint64_t seed = options.seed + i;
    const Result<asset::Asset> asset = make_asset(options, seed);
    const std::filesystem::path path =
        std::filesystem::path(options.output) / (kind_name(options) + "-" + std::to_string(seed) + ".glb");
    const Status status = asset.ok() ? asset::write_asset(*asset, path) : Status(asset.error());
    std::lock_guard lock(mutex);
    if (!status.ok() && !failure) failure = status.error();
    activity.update(static_cast<double>(++done) / options.count);
  });
  if (failure) return *failure;
  return Done{};
}

void print_list(const Terminal& terminal) {
  nlohmann::ordered_json plans;
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    nlohmann::ordered_json names = nlohmann::json::array();
    // What a body can do follows from its limbs, and those of a plan are the same for every seed.
    zoo::CreatureSettings coarse;
    coarse.plan = static_cast<zoo::Plan>(p), coarse.resolution = 24;
    if (const auto creature = zoo::make_creature(coarse); creature.ok()) {
      for (const zoo::Action action : zoo::actions(*creature)) names.push_back(zoo::name(action));
    }
    plans[std::string(zoo::name(static_cast<zoo::Plan>(p)))] = names;
  }
  nlohmann::ordered_json words;
  for (const zoo::BodyWord& word : zoo::body_words()) {
    words[word.word] = {{"values", word.values}, {"meaning", word.meaning}};
  }
  if (terminal.json) return print_json({{"plans", plans}, {"body", words}});
  fmt::print("Plans (--plan), and what they do (--action):\n");
  for (const auto& [plan, names] : plans.items()) {
    fmt::print("  {:<10}", plan);
    for (const auto& name : names) fmt::print(" {}", name.get<std::string>());
    fmt::print("\n");
  }
  fmt::print(
      "\nBodies (--body \"legs:2/hoof,antlers,tail:1/short\"): words with commas between them, values after a colon\n"
      "with slashes between them. Legs, arms, wings, flippers and horns are counted in pairs.\n");
  for (const zoo::BodyWord& word : zoo::body_words()) {
    fmt::print("  {:<10} {}\n", word.word, word.meaning);
    if (!word.values.empty()) fmt::print("  {:<10}   {}\n", "", word.values);
  }
}

Status run_zoo(const Terminal& terminal, const ZooOptions& options) {
  if (options.list) {
    print_list(terminal);
    return Done{};
  }
  LIMBER_TRY(const zoo::CreatureSettings first, creature_settings(options, options.seed));
  if (options.count > 1) {
    LIMBER_CHECK_OK(make_many(terminal, options));
  } else {
    LIMBER_CHECK_OK(make_one(terminal, options));
  }
  if (terminal.json) {
    print_json({{"output", options.output},
                {"plan", first.body ? nlohmann::ordered_json() : nlohmann::ordered_json(options.plan)},
                {"body", zoo::to_text(first.body ? *first.body : zoo::recipe(first.plan))},
                {"seed", options.seed},
                {"count", options.count},
                {"action", options.action}});
  }
  announce_file(terminal, options.output);
  return Done{};
}

void add_creature_options(CLI::App& command, ZooOptions& options) {
  const auto known_action = [](const std::string& text) {
    return text == "all" || zoo::action_from_name(text) ? std::string()
                                                        : "no action '" + text + "'; see limber zoo --list";
  };
  const auto known_body = [](const std::string& text) {
    const Result<zoo::BodySpec> body = zoo::parse_body(text);
    return body.ok() ? std::string() : body.error().what;
  };
  command.add_flag("--list", options.list, "Show the plans, their actions, and what --body can say");
  command.add_option("--plan", options.plan, "Body plan")
      ->check(CLI::IsMember(all_names<zoo::Plan>(zoo::kPlanCount)))
      ->capture_default_str();
  command.add_option("--body", options.body, "Any body in words: see --list")->check(known_body)->type_name("WORDS");
  command.add_flag("--random", options.random, "A random body for every seed");
  exclude(command, "--body", {"--plan", "--random"});
  exclude(command, "--random", {"--plan"});
  command
      .add_option("--action", options.action,
                  "What it does: see --list, or 'all' for every action of the plan as a clip each")
      ->check(known_action)
      ->type_name("ACTION");
  command.add_option("--seed", options.seed, "Draws proportions, coat and style")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--count", options.count, "Make so many, seeds counting up; -o is a folder then")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command.add_option("--resolution", options.creature.resolution, "Fineness of the surface, 24 to 256")
      ->check(CLI::Range(24, 256))
      ->capture_default_str()
      ->type_name("N");
}

void add_performance_options(CLI::App& command, zoo::ActionSettings& performance) {
  command.add_option("--frames", performance.frames, "Length; 0: one cycle, or the action's own length")
      ->check(CLI::Range(0, 100000))
      ->type_name("N");
  command.add_option("--fps", performance.fps, "Frames a second")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--speed", performance.speed, "Pace of the action, 0.25 to 4")
      ->check(CLI::Range(0.25, 4.0))
      ->capture_default_str()
      ->type_name("X");
  command.add_option("--amplitude", performance.amplitude, "Stride and swing, 0.25 to 2")
      ->check(CLI::Range(0.25, 2.0))
      ->capture_default_str()
      ->type_name("X");
  command.add_option("--style", performance.style, "0: neutral, 1: a personality of its own")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("X");
  command.add_option("--noise", performance.noise, "Small disturbances, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("X");
  command.add_flag("--in-place", performance.in_place, "Stay over the origin");
}

void add_output_options(CLI::App& command, ZooOptions& options) {
  command.add_flag("--no-rig", options.no_rig, "The bare mesh: a test for rigging");
  command
      .add_option("-o,--output", options.output,
                  "Where to write: " + asset::list_formats([](const asset::Format& f) { return f.writes(); }, ", "))
      ->type_name("FILE");
  command.add_option("--report", options.report, "Also write what was made, and how well, as JSON (one creature)")
      ->type_name("FILE");
}

}  // namespace

void add_zoo(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<ZooOptions>();
  CLI::App* command = add_command(app, terminal, "zoo", "Make a procedural creature with skeleton, skin and motion",
                                  "  limber zoo --plan quadruped --seed 7 --action trot -o a.glb\n"
                                  "  limber zoo --plan bird --action all -o bird.glb\n"
                                  "  limber zoo --plan biped --count 100 --action walk -o bipeds/\n"
                                  "  limber zoo --body legs:2,wings:1,neck:long,tail:1 --seed 7 -o dragon.glb\n"
                                  "  limber zoo --random --count 50 -o creatures/\n"
                                  "  limber zoo --list",
                                  [&terminal, options] { return run_zoo(terminal, *options); });
  add_creature_options(*command, *options);
  add_performance_options(*command, options->performance);
  add_output_options(*command, *options);
  command->parse_complete_callback([options] {
    if (!options->report.empty() && options->count > 1) throw CLI::ValidationError("--report", "is for one creature");
    if (!options->list && options->output.empty()) throw CLI::RequiredError("-o FILE");
  });
}

}  // namespace limber::cli
