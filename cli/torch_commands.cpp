// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_commands.h"

#include <string_view>

#include "limber/base/expect.h"
#include "program.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

struct Entry {
  const char *command, *name, *help;
};
constexpr Entry kEntries[] = {
    {"train", "prior", "Train the built-in prior on creatures of the zoo and artists' characters"},
    {"train", "few-steps", "Train an adapter by which the built-in prior draws in a few passes"},
    {"train", "reader", "Train the network that reads bodies: parts, joints, limbs, kind, up and front"},
    {"train", "poses", "Train the network of plausible poses on creatures of the zoo and artists' characters"},
    {"train", "motion", "Train the network of motions on creatures of the zoo, artists' characters and people"},
    {"train", "harvest", "Lift poses from samples of the video prior, to teach with"},
    {"train", "parts", "Train the network of parts on creatures of the zoo and artists' characters"},
    {"bench", "prior", "A score-distillation step of a video-diffusion model"},
};

char** g_arguments = nullptr;
const char* g_torch_program = nullptr;

}  // namespace

TorchCommands& torch_commands() {
  static TorchCommands commands;
  return commands;
}

const char* torch_help(const std::string& command, const std::string& name) {
  for (const Entry& entry : kEntries) {
    if (command == entry.command && name == entry.name) return entry.help;
  }
  LIMBER_EXPECT(false, command + " " + name);
  return "";
}

void list_torch_commands(CLI::App& group, const std::string& command) {
  for (const Entry& entry : kEntries) {
    if (command == entry.command) group.add_subcommand(entry.name, entry.help);
  }
}

bool names_torch_command(int count, char** arguments) {
  // Words that follow each other. Taking a file's name for a command does no harm: the other program can do the same.
  for (int i = 1; i + 1 < count; ++i) {
    for (const Entry& entry : kEntries) {
      if (std::string_view(arguments[i]) == entry.command && std::string_view(arguments[i + 1]) == entry.name)
        return true;
    }
  }
  return false;
}

void set_arguments(char** arguments, const char* torch_program) {
  g_arguments = arguments, g_torch_program = torch_program;
}

Status hand_over_to_torch() {
  return become(g_torch_program,
                "is not there: this needs LibTorch, and limber was built without it (Debian's package is libtorch-dev)",
                g_arguments);
}

Status hand_over_prior(const fs::path& folder, const prior::LoadSettings& settings) {
  return prior::needs_torch(folder, settings) ? hand_over_checkpoint() : Status(Done{});
}

Status hand_over_checkpoint() {
  const bool here = torch_commands().inspect_checkpoint != nullptr;
  return here ? Status(Done{}) : hand_over_to_torch();
}

}  // namespace limber::cli
