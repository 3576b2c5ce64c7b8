// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bench/bench.h"
#include "limber/animate/models.h"
#include "limber/animate/request.h"

namespace limber::bench {

/// Static creatures of the zoo, so many, each rigged and moved as it is and in four other attitudes of its file: how
/// far the skin is apart, in the body's own frame, over all frames. And in a mirror: how far joints of the same name
/// are.
void add_turned_motion_rows(const animate::Models& models, const animate::Request& request, int bodies,
                            std::uint64_t seed, Report& report);

}  // namespace limber::bench
