// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "bench/bench.h"
#include "bench/creature_trial.h"

namespace limber::bench {

/// The methods of `limber animate` on the same bodies and actions, at draft: how near each comes to the zoo's own
/// performance, and what it costs. `iterations` are those of akd. What a video becomes is `limber bench lift`.
void add_method_rows(prior::VideoPrior& model, const std::vector<Trial>& trials, const animate::Request& draft,
                     std::optional<int> iterations, Report& report);

}  // namespace limber::bench
