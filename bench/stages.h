// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "bench/bench.h"
#include "limber/animate/models.h"
#include "limber/animate/request.h"

namespace limber::bench {

struct StageSettings {
  std::filesystem::path split;    ///< whose lists `test` and `test_more` name artists' rigs
  std::string drawn_by;           ///< names of `truth`, `rule`, `prior`, `joints` and `leaning` (what of truth and
                                  ///< prior is lifted with --motion-prior, too) with commas between; empty: all
  std::string outcomes;           ///< file that the runs are kept in; what is there already is not run again
  std::filesystem::path motions;  ///< folder of the network that draws joints; empty: the one that ships
  int seeds = 8;                  ///< samples of each gait, from 1 on
  bool taught = false;            ///< floors and ceilings of the list `train`, too
};

/// What every stage on the way from an artist's clip to ours costs, and what every way to a motion comes to. The clip
/// is resampled to the prior's rate and back; drawn as the prior sees it and lifted from that (`drawn_by` truth); made
/// by the zoo's rules (rule), from a prompt (prior), and by the network of motions (joints). All are held against the
/// clip itself, beside floors (the body at rest, other actions of the same rig) and a ceiling (another take of the
/// gait).
Status add_stage_rows(const animate::Models& models, const StageSettings& settings, const animate::Request& draft,
                      Report& report);

}  // namespace limber::bench
