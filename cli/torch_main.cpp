// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/torch_priors.h"
#include "prior_inspect.h"
#include "program.h"
#include "torch_commands.h"

int main(int argc, char** argv) {
  limber::prior::use_torch_priors();
  limber::cli::torch_commands().inspect_checkpoint = limber::cli::inspect_checkpoint;
  return limber::cli::run_program(limber::cli::kUserProgram, argc, argv);
}
