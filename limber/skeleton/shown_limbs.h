// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/anatomy/body_reading.h"
#include "limber/body/body_shape.h"

/// Limbs that the shape of a body shows. Private to `skeleton` and `autorig`.
namespace limber::skeleton {

/// Tells limbs apart that a reading took for one: arms of an octopus, fore and hind wings of a fly. Where the shape
/// branches into more legs, arms, wings or tentacles than were read, each along flesh that was read to be of that kind,
/// and the reading has that many for possible, those of the shape take the place of those that were read.
void tell_limbs_apart(const body::BodyShape& body, anatomy::BodyReading& reading);

}  // namespace limber::skeleton
