// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "limber/base/result.h"

/// `limber-lab bench`: a subcommand per subject. Each file of this folder declares its own settings and options,
/// measures, and answers with a table.
namespace limber::bench {

/// What every subject takes.
struct CommonSettings {
  std::uint64_t seed = 7;
  bool markdown = false;  ///< print the table as Markdown
};

/// What subjects take that measure time.
struct TimedSettings : CommonSettings {
  int repetitions = 7;  ///< the median counts
};

struct Row {
  std::string name;  ///< "positions forward/frames:49/points:50000"
  double value = 0;
  std::string unit;  ///< "ms", "creatures/s"
  std::string aim;   ///< "<= 40", empty for none
  std::string note;  ///< "checksum 3f2a...", empty for none
};

/// Figures that are read side by side; cells are text.
struct Table {
  std::string title;
  std::string note;  ///< what signs in it mean; may be empty
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> lines;
};

struct Report {
  std::string title;
  std::vector<Row> rows;
  std::vector<Table> tables = {};  ///< after the rows
};

/// What a person reads about a subject in `--help`.
struct Subject {
  const char* name;
  const char* help;      ///< one line
  const char* examples;  ///< "  limber-lab bench zoo --repetitions 3\n  ..."
};

/// Adds a subject with the options that all share, which fill `common`; the caller adds its own to what is returned.
/// Whatever `measure` refers to must live as long as it does.
CLI::App& add_subject(CLI::App& bench, cli::Terminal& terminal, const Subject& subject, CommonSettings& common,
                      std::function<Result<Report>()> measure);

/// The same with `--repetitions`.
CLI::App& add_timed_subject(CLI::App& bench, cli::Terminal& terminal, const Subject& subject, TimedSettings& timed,
                            std::function<Result<Report>()> measure);

/// Adds a timed subject that has no options of its own.
void add_plain_subject(CLI::App& bench, cli::Terminal& terminal, const Subject& subject,
                       Report (*measure)(const TimedSettings&));

/// `--groups`: which tables of a subject to measure, all unless fewer are named.
void add_groups_option(CLI::App& command, std::string& groups, const std::vector<std::string>& all);

/// Whether a list of names with commas between holds this one.
bool holds_name(const std::string& names, const std::string& name);

void add_acceptance_bench(CLI::App& bench, cli::Terminal& terminal);
void add_animate_bench(CLI::App& bench, cli::Terminal& terminal);
void add_bodies_bench(CLI::App& bench, cli::Terminal& terminal);
void add_growth_bench(CLI::App& bench, cli::Terminal& terminal);
void add_kinematics_bench(CLI::App& bench, cli::Terminal& terminal);
void add_lift_bench(CLI::App& bench, cli::Terminal& terminal);
void add_nn_bench(CLI::App& bench, cli::Terminal& terminal);
void add_parts_bench(CLI::App& bench, cli::Terminal& terminal);
void add_physics_bench(CLI::App& bench, cli::Terminal& terminal);
void add_poses_bench(CLI::App& bench, cli::Terminal& terminal);
void add_prior_bench(CLI::App& bench, cli::Terminal& terminal);  ///< of limber-lab-torch
void add_render_bench(CLI::App& bench, cli::Terminal& terminal);
void add_retarget_bench(CLI::App& bench, cli::Terminal& terminal);
void add_rig_bench(CLI::App& bench, cli::Terminal& terminal);
void add_splat_bench(CLI::App& bench, cli::Terminal& terminal);
void add_usual_bench(CLI::App& bench, cli::Terminal& terminal);
void add_zoo_bench(CLI::App& bench, cli::Terminal& terminal);

}  // namespace limber::bench
