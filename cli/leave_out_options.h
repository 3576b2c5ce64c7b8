// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "limber/training/left_out.h"

namespace limber::cli {

/// `--leave-out` and `--fold`: characters that a network is not taught, to measure it with. The command must have
/// `--characters` by then.
void add_leave_out_options(CLI::App& command, training::LeaveOut& leave_out);

/// Says so in the summary of a training, where anything was left out.
void add_left_out(const training::LeaveOut& leave_out, nlohmann::ordered_json& summary);

}  // namespace limber::cli
