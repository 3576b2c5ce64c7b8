// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/anatomy/find_facing.h"

namespace limber::metrics {

using AxisGuess = anatomy::Direction;
using AxesGuess = anatomy::Directions;
inline AxesGuess guess_axes(const asset::Asset& asset) { return anatomy::find_directions(asset); }

}  // namespace limber::metrics
