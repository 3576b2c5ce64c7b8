// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/model.h"

namespace limber::physics {

/// Where planted points are to stand.
struct Footholds {
  std::vector<std::vector<bool>> planted;  ///< per contact point and frame
  std::span<const double> like;            ///< positions of the motion that has the footholds, as many frames
  double height = 1;                       ///< of the body, metres
  double fps = 24;
  bool loops = false;
};

/// Brings planted points to where another motion has them, and what is below the ground up to it, by the smallest
/// movement of the whole body: legs bend, and where they do not reach, the body comes along, as if the footholds pulled
/// it. The change is even in time, and passes evenly from one foothold to the next. Private to `physics`.
void reach_footholds(const Model& model, const Footholds& footholds, std::vector<double>& positions);

}  // namespace limber::physics
