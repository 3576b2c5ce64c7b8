// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/retarget/body.h"
#include "limber/retarget/turns.h"

/// What nobody moves goes along: tails, ears, capes. Private to `retarget`.
namespace limber::retarget {

/// Turns the joints of a chain as a damped spring does whose far end is left behind by what carries it: by a bounded
/// angle, more towards the end. `result` has the chain as it rests on the body. A loop swings into its own beat first.
void swing(const Body& body, const Chain& chain, double fps, bool loops, Played& result);

}  // namespace limber::retarget
