// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/bench.h"
#include "bench/creature_trial.h"

namespace limber::bench {

/// Samples in few steps beside those of the prior that taught them, on the same creatures: the rule by which an adapter
/// is accepted. Two seeds of each of the first `few` creatures tell whether it still draws different things.
void add_few_steps_rows(prior::VideoPrior& model, const std::vector<Trial>& trials, int few,
                        const animate::Request& draft, Report& report);

}  // namespace limber::bench
