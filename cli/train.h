// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/prior/part_trainer.h"
#include "terminal.h"

/// What the commands below `limber train` share.
namespace limber::cli {

/// What clips are drawn of.
struct TrainingData {
  int creatures = 4000;
  std::string characters;        ///< a file, may be empty
  double character_share = 0.3;  ///< of the clips, where there are characters
  std::string only;              ///< of the characters, those with this in their names; empty: all
  std::uint64_t seed = 0;
};
void add_data_options(CLI::App& command, TrainingData& data);

struct TrainingClips {
  prior::ClipSource source;
  std::vector<prior::ActionWords> actions;  ///< that some clip shows
};
Result<TrainingClips> training_clips(const prior::PartModel& model, const TrainingData& data);

#if defined(LIMBER_WITH_TORCH)
void add_train_prior(CLI::App& group, Terminal& terminal);
void add_train_reader(CLI::App& group, Terminal& terminal);
#endif

}  // namespace limber::cli
