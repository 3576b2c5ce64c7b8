// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "terminal.h"

namespace limber::cli {

/// `limber evaluate parts`.
void add_evaluate_parts(CLI::App& group, Terminal& terminal);

}  // namespace limber::cli
