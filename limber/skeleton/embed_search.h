// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/skeleton/embed_costs.h"

/// The best match of a template in a turn. Private to `skeleton`.
namespace limber::skeleton {

/// The cheapest of the complete matches, by a best-first search with an exact bound (but for tips used twice); none
/// where all of them cost `bound` or more.
std::optional<Embedding> search_match(const Hypothesis& hypothesis, double bound);

}  // namespace limber::skeleton
