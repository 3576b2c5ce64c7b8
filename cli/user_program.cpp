// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "command.h"
#include "program.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

void add_commands(CLI::App& app, Terminal& terminal) {
  add_inspect(app, terminal);
  add_doctor(app, terminal);
  add_convert(app, terminal);
  add_render(app, terminal);
  add_zoo(app, terminal);
  add_create(app, terminal);
  add_rig(app, terminal);
  add_score(app, terminal);
  add_mend(app, terminal);
  add_evaluate(app, terminal);
  add_physics(app, terminal);
  add_retarget(app, terminal);
  add_pose(app, terminal);
  add_parts(app, terminal);
  add_splat(app, terminal);
  add_prior(app, terminal);
  add_animate(app, terminal);
  add_batch(app, terminal);
  add_studio(app, terminal);
}

/// The first word that is neither an option nor an option's value: "bench" in `limber --threads 1 bench zoo`.
std::string_view first_command(const CLI::App& app, int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with('-')) return word;
    const CLI::Option* option = app.get_option_no_throw(std::string(word));
    if (option != nullptr && option->get_items_expected_max() > 0) ++i;
  }
  return {};
}

Status hand_over(const CLI::App& app, int count, char** arguments) {
  set_arguments(arguments, "limber-torch");
  const std::string_view command = first_command(app, count, arguments);
  if (command != "bench" && command != "train") return Done{};
  return become("limber-lab",
                "is not there: `bench` and `train` are for those who work on limber, and are built beside it from its "
                "sources by `cmake --build build --target lab`",
                arguments);
}

}  // namespace

const Program kUserProgram{"limber", "limber makes static 3D models move.",
                           "`limber COMMAND --help` shows a command's options and examples.\n"
                           "For those who work on limber: `limber-lab` measures it and teaches its networks.",
                           add_commands, hand_over};

}  // namespace limber::cli
