// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/result.h"

namespace CLI {
class App;
}

/// `limber` is for everybody. `limber-lab` measures limber and teaches its networks, and is built for those who work on
/// it. To load LibTorch takes half a second: what needs it is in `limber-torch` and in `limber-lab-torch`, which lie
/// beside the two, are called by nobody, and can do all that those can. Each program hands its command line over where
/// it meets what another one does.
namespace limber::cli {

struct Terminal;

struct Program {
  const char* name;    ///< as people call it
  const char* about;   ///< a sentence
  const char* footer;  ///< of `--help`
  void (*add_commands)(CLI::App& app, Terminal& terminal);
  /// Becomes another program where the command line is for that one; an error where it is not there. `app` has the
  /// options that all commands share.
  Status (*hand_over)(const CLI::App& app, int count, char** arguments);
};

extern const Program kUserProgram, kLabProgram;

/// Parses and runs a command line. Never throws.
int run_program(const Program& program, int count, char** arguments);

/// Becomes the program of this name that lies beside this one. Returns only where that cannot be, and then says why;
/// `missing` is what to say where there is none.
Status become(const char* name, const char* missing, char** arguments);

}  // namespace limber::cli
