// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"
#include "limber/prior/torch_priors.h"
#include "prior_inspect.h"
#include "program.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

void add_trainings(CLI::App& group, Terminal& terminal) {
  add_train_prior(group, terminal);
  add_train_few_steps(group, terminal);
  add_train_reader(group, terminal);
  add_train_poses(group, terminal);
  add_train_motion(group, terminal);
  add_train_harvest(group, terminal);
  add_train_parts(group, terminal);
}

}  // namespace
}  // namespace limber::cli

int main(int argc, char** argv) {
  limber::prior::use_torch_priors();
  limber::cli::torch_commands() = {limber::cli::add_trainings, limber::bench::add_prior_bench,
                                   limber::cli::inspect_checkpoint};
  return limber::cli::run_program(limber::cli::kLabProgram, argc, argv);
}
