// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "command.h"
#include "program.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

void add_commands(CLI::App& app, Terminal& terminal) {
  add_bench(app, terminal);
  add_train(app, terminal);
}

Status hand_over(const CLI::App&, int count, char** arguments) {
  set_arguments(arguments, "limber-lab-torch");
  const bool here = torch_commands().add_trainings != nullptr;
  return here || !names_torch_command(count, arguments) ? Status(Done{}) : hand_over_to_torch();
}

}  // namespace

const Program kLabProgram{"limber-lab", "limber-lab measures limber and teaches its networks.",
                          "`limber-lab COMMAND --help` shows what a command can do.", add_commands, hand_over};

}  // namespace limber::cli
