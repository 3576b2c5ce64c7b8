// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/distill/iterate.h"
#include "limber/distill/run_state.h"

/// Where a run is kept while it goes on. Private to `distill`.
namespace limber::distill {

/// Writes a state to `settings.checkpoint`; nothing where that is empty.
Status save_run(const RunState& state, const DistillSettings& settings);

/// How a run begins.
struct Beginning {
  RunState state;
  std::optional<int> resumed_from;  ///< iteration of the checkpoint
};

/// The state of the checkpoint, if there is one; else that of a start from `motion`, which is saved at once: a path
/// that cannot be written to is found now and not after an hour. A checkpoint of another run is a conflict.
Result<Beginning> begin_run(const Run& run, const kinematics::Motion& motion);

}  // namespace limber::distill
