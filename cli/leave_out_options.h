// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "limber/training/posed_bodies.h"

namespace limber::cli {

/// `--leave-out` and `--fold`: characters that a reader is not taught, to measure it with. The command must have
/// `--characters` by then.
void add_leave_out_options(CLI::App& command, training::PosedBodySettings& bodies);

}  // namespace limber::cli
