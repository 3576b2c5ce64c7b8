// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "command.h"
#include "limber/prior/video_prior.h"

/// To load LibTorch takes half a second. What needs it is therefore in a second program, limber-torch, which lies
/// beside `limber` and can do all that this one can and more: `limber` hands its command line over where it meets such
/// a thing. People call `limber` alone.
namespace limber::cli {

/// What limber-torch adds to the commands.
struct TorchCommands {
  void (*add_trainings)(CLI::App& group, Terminal& terminal) = nullptr;
  void (*add_benches)(CLI::App& group, Terminal& terminal) = nullptr;
  Status (*inspect_checkpoint)(const Terminal& terminal, const prior::Checkpoint& checkpoint) = nullptr;
};

/// Empty in `limber`; torch_main.cpp fills them in.
TorchCommands& torch_commands();

/// What `limber COMMAND NAME` does, of those that limber-torch adds.
const char* torch_help(const std::string& command, const std::string& name);

/// Lists the subcommands that limber-torch adds to a command, for `--help`.
void list_torch_commands(CLI::App& group, const std::string& command);

/// Whether the command line names one of them.
bool names_torch_command(int count, char** arguments);

/// Becomes limber-torch with these arguments. Returns only where that cannot be, and then says why.
Status hand_over(char** arguments);

/// The same with the arguments of this run, where this is `limber` and the prior needs LibTorch.
Status hand_over_prior(const std::filesystem::path& folder, const prior::LoadSettings& settings);
Status hand_over_checkpoint();

/// Parses and runs a command line. Never throws.
int run_program(int count, char** arguments);

}  // namespace limber::cli
