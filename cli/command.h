// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "terminal.h"

/// The commands of the limber program. Each adds its subcommand and options to the app; what it returns is run after
/// parsing.
namespace limber::cli {

struct FacingOptions;

/// Exit codes: done; the input or the world is wrong; wrong usage.
inline constexpr int kDone = 0, kFailed = 1, kUsage = 2;

/// A subcommand's work. Errors are printed by main.
using Command = std::function<Status()>;

/// Adds a subcommand with its examples and its --json flag; `run` is called when the person chose it.
CLI::App* add_command(CLI::App& app, Terminal& terminal, const std::string& name, const std::string& help,
                      const std::string& examples, Command run);

/// Wrong usage: `option` together with any of `others`. The error names both.
void exclude(CLI::App& command, const std::string& option, std::initializer_list<const char*> others);

void add_inspect(CLI::App& app, Terminal& terminal);
void add_doctor(CLI::App& app, Terminal& terminal);
void add_convert(CLI::App& app, Terminal& terminal);
void add_render(CLI::App& app, Terminal& terminal);
void add_zoo(CLI::App& app, Terminal& terminal);
void add_create(CLI::App& app, Terminal& terminal);
void add_rig(CLI::App& app, Terminal& terminal);
void add_score(CLI::App& app, Terminal& terminal);
void add_mend(CLI::App& app, Terminal& terminal);
void add_evaluate(CLI::App& app, Terminal& terminal);
void add_physics(CLI::App& app, Terminal& terminal);
void add_retarget(CLI::App& app, Terminal& terminal);
void add_parts(CLI::App& app, Terminal& terminal);
void add_pose(CLI::App& app, Terminal& terminal);
void add_splat(CLI::App& app, Terminal& terminal);
void add_bench(CLI::App& app, Terminal& terminal);
void add_train(CLI::App& app, Terminal& terminal);
void add_animate(CLI::App& app, Terminal& terminal);
void add_batch(CLI::App& app, Terminal& terminal);
void add_prior(CLI::App& app, Terminal& terminal);
void add_studio(CLI::App& app, Terminal& terminal);

/// Reads an asset, showing that it is at work, and logs the reader's warnings.
Result<asset::Asset> read_asset_file(const Terminal& terminal, const std::string& path);

/// Writes an asset, showing that it is at work.
Status write_asset_file(const Terminal& terminal, const asset::Asset& asset, const std::string& path, int clip = 0,
                        double fps = 30);

/// Draws a clip of a file as a video; the body in it stands and looks as `facing` says.
Status render_preview(const Terminal& terminal, const std::string& input, const std::string& clip,
                      const std::string& output, double fps, const FacingOptions& facing);

/// The same of all clips from one on, one after the other.
Status render_previews(const Terminal& terminal, const std::string& input, int first_clip, const std::string& output,
                       double fps, const FacingOptions& facing);

/// Draws so many moments of an asset's clip, spread evenly over it from its start, as one picture.
Status render_sheet(const Terminal& terminal, asset::Asset asset, const std::string& clip, int frames,
                    const std::string& output, const FacingOptions& facing);

/// The clip a person means: its name (upper or lower case alike where that is unambiguous) or "#2" for the third.
Result<int> find_clip(const asset::Asset& asset, const std::string& text);

/// Text from a file made fit for a terminal: control characters and what is not UTF-8 become '?'.
std::string printable(std::string_view text);

/// The same of a message, of which no line is longer than a person reads. All that is logged goes through it.
std::string for_terminal(std::string_view text);

/// Prints a JSON document to standard output.
void print_json(const nlohmann::ordered_json& document);

/// Writes a JSON document to a file.
Status write_json(const nlohmann::ordered_json& document, const std::string& path);

}  // namespace limber::cli
