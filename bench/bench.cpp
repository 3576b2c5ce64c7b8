// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "builtin_models.h"
#include "command.h"
#include "limber/base/threads.h"
#if defined(LIMBER_WITH_TORCH)
#include "limber/prior/benchmark.h"
#endif

namespace limber::cli {
namespace {

using Bench = BenchReport (*)(const BenchSettings&);

const std::map<std::string, Bench>& benches() {
  static const std::map<std::string, Bench> all = [] {
    std::map<std::string, Bench> map{
        {"kinematics", bench_kinematics}, {"lift", bench_lift},   {"render", bench_render}, {"rig", bench_rig},
        {"physics", bench_physics},       {"splat", bench_splat}, {"zoo", bench_zoo}};
#if defined(LIMBER_WITH_TORCH)
    map["animate"] = bench_animate;
    map["prior"] = bench_prior;
#endif
    return map;
  }();
  return all;
}

void print_report(const BenchReport& report) {
  fmt::print("{} ({} threads, limber {})\n", report.title, thread_count(), LIMBER_VERSION);
  for (const BenchRow& row : report.rows) {
    fmt::print("  {:<58} {:>10.3f} {:<12} {:<10} {}\n", row.name, row.value, row.unit,
               row.aim.empty() ? "" : "aim " + row.aim, row.note);
  }
}

nlohmann::ordered_json to_json(const BenchReport& report) {
  nlohmann::ordered_json rows = nlohmann::json::array();
  for (const BenchRow& row : report.rows) {
    nlohmann::ordered_json entry{{"name", row.name}, {"value", row.value}, {"unit", row.unit}};
    if (!row.aim.empty()) entry["aim"] = row.aim;
    if (!row.note.empty()) entry["note"] = row.note;
    rows.push_back(entry);
  }
  return {{"title", report.title}, {"version", LIMBER_VERSION}, {"threads", thread_count()}, {"rows", rows}};
}

/// Names with commas between, each of which must be known; what is wrong with them.
std::string unknown_name(const std::string& names, const std::vector<std::string>& known) {
  std::istringstream parts(names + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    if (std::find(known.begin(), known.end(), part) == known.end())
      return fmt::format("'{}' is none of {}", part, fmt::join(known, ", "));
  }
  return "";
}

Status run_bench(const Terminal& terminal, const std::string& name, const BenchSettings& settings) {
  // Figures that were measured without the reader would look like its own.
  if (name == "rig") {
    LIMBER_CHECK_OK(open_body_reader(settings.reader));
  }
  const BenchReport report = [&] {
    const Activity activity(terminal, "measuring " + name);
    return benches().at(name)(settings);
  }();
  if (terminal.json) {
    print_json(to_json(report));
  } else {
    print_report(report);
  }
  return Done{};
}

}  // namespace

void add_bench(CLI::App& app, Terminal& terminal) {
  struct Options {
    std::string name;
    BenchSettings settings;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, terminal, "bench", "Measure how fast limber is on this machine",
      "  limber bench kinematics\n  limber bench rig --assets ../shared/assets\n  limber bench zoo --threads 1 --json",
      [&terminal, options] {
        options->settings.animate.creatures = std::max(1, options->settings.creatures);
        return run_bench(terminal, options->name, options->settings);
      });
  std::vector<std::string> names;
  for (const auto& [name, bench] : benches()) names.push_back(name);
  command->add_option("name", options->name, "Which benchmark")->required()->check(CLI::IsMember(names));
  command->add_option("--seed", options->settings.seed, "Seed of the data")->capture_default_str()->type_name("N");
  command->add_option("--repetitions", options->settings.repetitions, "Runs of each row; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--assets", options->settings.assets, "rig: a folder of rigged models, searched through")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--only", options->settings.only, "rig: only files whose path contains this")->type_name("TEXT");
  command
      ->add_option("--creatures", options->settings.creatures,
                   "rig: creatures of the zoo, turned, to recognise; animate: unseen ones to move")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--stages", options->settings.stages, "rig: which of skin,skeletons,bodies to measure")
      ->check([](const std::string& chosen) {
        return unknown_name(chosen, {"skin", "skeletons", "bodies"});
      })
      ->capture_default_str();
  command->add_option("--reader", options->settings.reader, "rig: as `limber rig --reader`")
      ->default_str("auto")
      ->type_name("DIR");
  command->add_option("--poses", options->settings.poses, "rig: instants of the models' clips to recognise")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str()
      ->type_name("N");
#if defined(LIMBER_WITH_TORCH)
  PriorBenchSettings& prior = options->settings.prior;
  const auto size = CLI::Range(0, 8192);
  command
      ->add_option("--model", prior.model,
                   "prior: " + fmt::format("{}", fmt::join(prior::published_models(), ", ")) +
                       " with random weights, or a checkpoint folder")
      ->capture_default_str();
  command->add_flag("--random", prior.random, "prior: random weights even if there is a folder of that name");
  command->add_option("--device", prior.device, "prior: cpu, cuda, cuda:N or auto")->capture_default_str();
  command->add_option("--frames", prior.frames, "prior: 0 for 49")->check(size)->type_name("N");
  command->add_option("--height", prior.height, "prior: 0 for 480")->check(size)->type_name("N");
  command->add_option("--width", prior.width, "prior: 0 for 720")->check(size)->type_name("N");
  AnimateBenchSettings& animate = options->settings.animate;
  command->add_option("--prior", animate.prior, "animate: a model folder; by default the built-in prior")
      ->type_name("DIR");
  command
      ->add_option(
          "--split", animate.split,
          "animate: JSON whose list `test` names artists' rigs; rig: ... `train` those that the reader has seen")
      ->capture_default_str()
      ->type_name("FILE");
  command->add_option("--parts", animate.parts, "animate: which tables")->capture_default_str();
  command->add_option("--few", animate.few, "animate: how many of them in the tables of causality and ablations")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--candidates", animate.candidates, "animate: samples to choose from")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->type_name("N");
#endif
}

}  // namespace limber::cli
