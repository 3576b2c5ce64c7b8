// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/anatomy/body_reading.h"

/// Hands on hips, legs that touch. Private to `skeleton`.
namespace limber::skeleton {

/// Whether two parts are joined in a body, rather than touching: a shin to its thigh, but not to the other shin.
bool are_joined(anatomy::Region a, anatomy::Region b);

/// Cuts the paths between spheres of parts that only touch, so that an arm ends at its hand and not at its elbow. What
/// would come loose stays on where it is nearest. Does nothing for a reading that is not to be trusted. Returns how
/// many edges were cut.
int cut_contacts(const anatomy::BodyReading& reading, body::BodyShape& body);

}  // namespace limber::skeleton
