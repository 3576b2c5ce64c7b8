// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "bench/bench.h"
#include "limber/animate/models.h"
#include "limber/animate/request.h"

namespace limber::bench {

struct StageSettings {
  std::filesystem::path split;  ///< whose lists `test` and `test_more` name artists' rigs
  std::string drawn_by;         ///< names of `truth`, `rule` and `prior` with commas between; empty: all
  std::string outcomes;         ///< file that the runs are kept in; what is there already is not run again
  int seeds = 8;                ///< samples of each rig, from 1 on
};

/// What every stage on the way from an artist's clip to ours costs. The clip is resampled to the prior's rate and back;
/// drawn as the prior sees it and lifted from that (`drawn_by` truth); made by the zoo's rules (rule); and made from a
/// prompt (prior). All are held against the clip itself, beside a floor (the body at rest, another clip of the same
/// rig) and a ceiling (the same action by another clip).
Status add_stage_rows(const animate::Models& models, const StageSettings& settings, const animate::Request& draft,
                      Report& report);

}  // namespace limber::bench
