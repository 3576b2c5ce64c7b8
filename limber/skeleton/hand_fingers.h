// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/skeleton/embed.h"
#include "limber/skeleton/plan.h"

/// Joints for the fingers of hands. Private to `skeleton`.
namespace limber::skeleton {

/// Looks at each hand of a plan (an arm that ends in one joint for all fingers) once more, closely enough to see gaps
/// between fingers, and gives those that are clearly seen chains of their own: thumb.1.L, index.1.L ... where there are
/// five, finger.1.1.L ... where there are three or four; of two, one is a thumb. On symmetric bodies both hands get the
/// fingers of the one that shows more. Hands with a pin at the wrist or beyond it stay as they are, and so do those of
/// templates that have other joints on the wrist.
void add_fingers(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                 SkeletonPlan& plan);

}  // namespace limber::skeleton
