// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/bench.h"

/// Whether what `animate` writes is finished, as `limber score` would tell anyone, and how near it comes to how the zoo
/// does it, by measures that tell another take from a still body (docs/animate.md).
namespace limber::bench {

/// Loops of creatures that no training saw, by the ways that take seconds: rows "finished/METHOD/...".
Status measure_finished(const CommonSettings& settings, Report& report);

}  // namespace limber::bench
