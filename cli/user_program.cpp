// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "command.h"
#include "program.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

void add_commands(CLI::App& app, Terminal& terminal) {
  // As they are listed: what people come for first, what only experts need last.
  for (const auto add : {add_animate, add_rig, add_create, add_studio, add_render, add_inspect, add_doctor,
                         add_retarget, add_physics, add_score, add_mend, add_convert, add_batch, add_zoo, add_pose,
                         add_parts, add_splat, add_prior, add_evaluate}) {
    add(app, terminal);
  }
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
