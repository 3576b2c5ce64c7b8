// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "cli/command.h"
#include "cli/torch_commands.h"
#include "limber/base/threads.h"

namespace limber::bench {
namespace {

/// Characters, not bytes.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void print_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) line += fmt::format("  {:<{}}", cells[c], widths[c]);
  fmt::print("{}\n", line);
}

void print_text(const Table& table) {
  std::vector<std::size_t> widths(table.header.size());
  for (std::size_t c = 0; c < widths.size(); ++c) {
    widths[c] = width_of(table.header[c]);
    for (const auto& line : table.lines) widths[c] = std::max(widths[c], width_of(line[c]));
  }
  fmt::print("\n{}\n", table.title);
  print_line(table.header, widths);
  for (const auto& line : table.lines) print_line(line, widths);
  if (!table.note.empty()) fmt::print("  {}\n", table.note);
}

void print_markdown(const Table& table) {
  fmt::print("\n{}\n\n| {} |\n|{}\n", table.title, fmt::join(table.header, " | "),
             fmt::join(std::vector<std::string>(table.header.size(), "---|"), ""));
  for (const auto& line : table.lines) fmt::print("| {} |\n", fmt::join(line, " | "));
  if (!table.note.empty()) fmt::print("\n{}\n", table.note);
}

void print_text(const Report& report) {
  fmt::print("{} ({} threads, limber {})\n", report.title, thread_count(), LIMBER_VERSION);
  for (const Row& row : report.rows) {
    fmt::print("  {:<58} {:>10.3f} {:<12} {:<10} {}\n", row.name, row.value, row.unit,
               row.aim.empty() ? "" : "aim " + row.aim, row.note);
  }
  for (const Table& table : report.tables) print_text(table);
}

void print_markdown(const Report& report) {
  fmt::print("{} ({} threads, limber {})\n\n| what | figure | aim | note |\n|---|---|---|---|\n", report.title,
             thread_count(), LIMBER_VERSION);
  for (const Row& row : report.rows) {
    fmt::print("| {} | {:.4g} {} | {} | {} |\n", row.name, row.value, row.unit, row.aim, row.note);
  }
  for (const Table& table : report.tables) print_markdown(table);
}

nlohmann::ordered_json to_json(const Report& report) {
  nlohmann::ordered_json rows = nlohmann::json::array();
  for (const Row& row : report.rows) {
    nlohmann::ordered_json entry{{"name", row.name}, {"value", row.value}, {"unit", row.unit}};
    if (!row.aim.empty()) entry["aim"] = row.aim;
    if (!row.note.empty()) entry["note"] = row.note;
    rows.push_back(entry);
  }
  nlohmann::ordered_json json{
      {"title", report.title}, {"version", LIMBER_VERSION}, {"threads", thread_count()}, {"rows", rows}};
  for (const Table& table : report.tables) {
    json["tables"].push_back(
        {{"title", table.title}, {"note", table.note}, {"header", table.header}, {"lines", table.lines}});
  }
  return json;
}

Status run(const cli::Terminal& terminal, const std::string& name, const CommonSettings& common,
           const std::function<Result<Report>()>& measure) {
  const Result<Report> report = [&] {
    const cli::Activity activity(terminal, "measuring " + name);
    return measure();
  }();
  if (!report.ok()) return report.error();
  if (terminal.json) {
    cli::print_json(to_json(*report));
  } else if (common.markdown) {
    print_markdown(*report);
  } else {
    print_text(*report);
  }
  return Done{};
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> parts;
  std::istringstream stream(names + ",");
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

CLI::App& add_subject(CLI::App& bench, cli::Terminal& terminal, const Subject& subject, CommonSettings& common,
                      std::function<Result<Report>()> measure) {
  const std::string name = subject.name;
  CLI::App* command =
      cli::add_command(bench, terminal, name, subject.help, subject.examples,
                       [&terminal, name, &common, measure] { return run(terminal, name, common, measure); });
  command->add_option("--seed", common.seed, "Seed of the data")->capture_default_str()->type_name("N");
  command->add_flag("--markdown", common.markdown, "Print the table as Markdown")->excludes("--json");
  return *command;
}

CLI::App& add_timed_subject(CLI::App& bench, cli::Terminal& terminal, const Subject& subject, TimedSettings& timed,
                            std::function<Result<Report>()> measure) {
  CLI::App& command = add_subject(bench, terminal, subject, timed, std::move(measure));
  command.add_option("--repetitions", timed.repetitions, "Runs of each row; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  return command;
}

void add_plain_subject(CLI::App& bench, cli::Terminal& terminal, const Subject& subject,
                       Report (*measure)(const TimedSettings&)) {
  auto settings = std::make_shared<TimedSettings>();
  add_timed_subject(bench, terminal, subject, *settings, [settings, measure] { return measure(*settings); });
}

void add_groups_option(CLI::App& command, std::string& groups, const std::vector<std::string>& all) {
  groups = fmt::format("{}", fmt::join(all, ","));
  const auto known = [all](const std::string& names) {
    for (const std::string& name : split(names)) {
      if (std::find(all.begin(), all.end(), name) == all.end())
        return fmt::format("'{}' is none of {}", name, fmt::join(all, ", "));
    }
    return std::string();
  };
  command.add_option("--groups", groups, "Which tables to measure")
      ->check(known)
      ->capture_default_str()
      ->type_name("LIST");
}

bool holds_name(const std::string& names, const std::string& name) {
  const std::vector<std::string> parts = split(names);
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

}  // namespace limber::bench

namespace limber::cli {

void add_bench(CLI::App& app, Terminal& terminal) {
  CLI::App* group = app.add_subcommand("bench", "Measure how fast and how good limber is on this machine");
  group->require_subcommand(1);
  group->footer(
      "`limber-lab bench SUBJECT --help` shows a subject's options.\nExamples:\n"
      "  limber-lab bench kinematics\n  limber-lab bench rig --poses 40\n  limber-lab bench zoo --threads 1 --json");
  bench::add_kinematics_bench(*group, terminal);
  bench::add_splat_bench(*group, terminal);
  bench::add_render_bench(*group, terminal);
  bench::add_zoo_bench(*group, terminal);
  bench::add_physics_bench(*group, terminal);
  bench::add_retarget_bench(*group, terminal);
  bench::add_rig_bench(*group, terminal);
  bench::add_bodies_bench(*group, terminal);
  bench::add_lift_bench(*group, terminal);
  bench::add_parts_bench(*group, terminal);
  bench::add_poses_bench(*group, terminal);
  bench::add_nn_bench(*group, terminal);
  bench::add_growth_bench(*group, terminal);
  bench::add_usual_bench(*group, terminal);
  if (torch_commands().add_benches != nullptr) {
    torch_commands().add_benches(*group, terminal);
  } else {
    list_torch_commands(*group, "bench");
  }
  bench::add_animate_bench(*group, terminal);
  bench::add_acceptance_bench(*group, terminal);
}

}  // namespace limber::cli
