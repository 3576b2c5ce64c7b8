// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "limber/animate/sketch_task.h"

/// Drawn and lifted samples of a run that may be stopped, in a file: two thirds of its time. Private to `animate`.
namespace limber::animate {

/// How many candidates there are to be.
int candidate_count(const SketchTask& task);
/// Samples that are drawn for them at most: never more than twice as many, whatever `redraws` says.
int most_draws(const SketchTask& task);

/// Fills in what follows from a candidate's lift: gait, score, whether it fits.
void rate_candidate(const SketchTask& task, Candidate& candidate);

/// Everything that decides what the samples of a task are, by name: the fields of its plan (`visit_fields`), what was
/// left to studies, and what it starts from, as for distillations (distill/run_state.h).
std::vector<std::pair<std::string, std::string>> samples_fingerprint(SketchTask& task);

/// Writes all candidates so far, atomically.
Status keep_samples(SketchTask& task, const Drawn& drawn);

/// What `keep_samples` wrote, the same bits. Nothing where there is no file; nothing and a warning where it is damaged,
/// since the samples can be drawn again; an error of kind `kConflict` where it is of another run.
Result<Drawn> resume_samples(SketchTask& task);

}  // namespace limber::animate
