// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/rig/embed_skeleton.h"
#include "limber/rig/skeleton_plan.h"

/// Joints for the fingers of hands. Private to `rig`.
namespace limber::rig {

/// Looks at each hand of a plan (a joint "fingers.L" on "wrist.L") once more, closely enough to see gaps between
/// fingers, and gives those that are clearly seen chains of their own: thumb.1.L, index.1.L ... where there are five,
/// finger.1.1.L ... where there are three or four; of two, one is a thumb. On symmetric bodies both hands get the
/// fingers of the one that shows more. Returns how many were added.
int add_fingers(const BodyShape& body, const Embedding& embedding, SkeletonPlan& plan);

}  // namespace limber::rig
