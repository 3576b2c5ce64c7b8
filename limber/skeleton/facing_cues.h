// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/skeleton/embed.h"

/// Which end of a body is the front. Private to `skeleton`.
namespace limber::skeleton {

/// What tells front from back, each but `askew` positive where it speaks for the embedding's idea of forward. Lengths
/// are of the legs' height.
struct FacingCues {
  double toes = 0;     ///< feet reach farther forward than back of the ankle
  double askew = 0;    ///< feet point to the side rather than ahead, >= 0
  double breadth = 0;  ///< upright bodies: the trunk is broader than deep, log of the ratio
  double knees = 0;    ///< upright bodies: knees are ahead of the line from hip to ankle
  double shanks = 0;   ///< hind legs: below the middle they lie behind the straight line from hip to foot
  double ears = 0;     ///< limbs that no chain explains sprout from the head and not from the tail, -2 to 2
  double bulk = 0;     ///< the head is thicker than the tail: log of the ratio
  double rise = 0;     ///< the head is carried higher than the tail, of the body's size
  bool legs = false;   ///< there are feet
  bool tail = false;   ///< there is a tail to compare the head with
};
FacingCues facing_cues(const body::BodyShape& body, const Embedding& embedding);

/// How much speaks against the embedding's idea of forward; near zero where everything agrees.
double facing_cost(const body::BodyShape& body, const Embedding& embedding);

}  // namespace limber::skeleton
