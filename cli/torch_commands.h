// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "command.h"
#include "limber/prior/video_prior.h"

/// What needs LibTorch, which a program hands over to its twin that has it: see program.h.
namespace limber::cli {

/// What LibTorch adds to the commands.
struct TorchCommands {
  void (*add_trainings)(CLI::App& group, Terminal& terminal) = nullptr;
  void (*add_benches)(CLI::App& group, Terminal& terminal) = nullptr;
  Status (*inspect_checkpoint)(const Terminal& terminal, const prior::Checkpoint& checkpoint) = nullptr;
};

/// Empty in programs without LibTorch; torch_main.cpp and lab_torch_main.cpp fill them in.
TorchCommands& torch_commands();

/// What `limber-lab COMMAND NAME` does, of those that need LibTorch.
const char* torch_help(const std::string& command, const std::string& name);

/// Lists the subcommands of a command that need LibTorch, for `--help`.
void list_torch_commands(CLI::App& group, const std::string& command);

/// Whether the command line names one of them.
bool names_torch_command(int count, char** arguments);

/// What this run was asked, and the program that does the same with LibTorch.
void set_arguments(char** arguments, const char* torch_program);

/// Becomes that program. Returns only where that cannot be, and then says why.
Status hand_over_to_torch();

/// The same where the prior needs LibTorch, or any checkpoint is to be read, and this program has it not.
Status hand_over_prior(const std::filesystem::path& folder, const prior::LoadSettings& settings);
Status hand_over_checkpoint();

}  // namespace limber::cli
