// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/bench.h"
#include "bench/draw_sizes.h"

namespace limber::bench {

/// The part of `limber-lab bench splat` that goes through scene::Scene: motion to frames and back.
void add_scene_rows(const TimedSettings& settings, Report& report);

}  // namespace limber::bench
