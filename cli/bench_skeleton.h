// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench.h"

namespace limber::cli {

/// The skeleton half of `limber bench rig`: every model below the folder is made static, rigged anew and compared with
/// the skeleton it had.
void add_skeleton_rows(const BenchSettings& settings, BenchReport& report);

}  // namespace limber::cli
