// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/model.h"

namespace limber::physics {

/// Lets feet stand still while they are planted: moves each foot to where its planted points are on average, by inverse
/// kinematics of the leg alone, and carries the change over evenly from one foothold to the next. `planted` is per
/// contact point and frame. Where `like` is given (positions too), planted feet are turned as they are there. Private
/// to `physics`.
void lock_feet(const Model& model, double height, const std::vector<std::vector<bool>>& planted,
               std::vector<double>& positions, std::span<const double> like = {});

/// Lets feet that lie on the ground keep their direction while they are planted, that of the middle of that time, by
/// the same means: a paw that turns with its leg would roll. Feet that touch it with a tip turn as before. `lock_feet`
/// then puts them in place.
void hold_feet(const Model& model, double height, const std::vector<std::vector<bool>>& planted,
               std::vector<double>& positions);

/// Draws feet that are below the ground up to it, evenly, by the same means: legs that were not seen to fold. `bears`
/// is per contact point: which may be a foot's.
void draw_up_feet(const Model& model, double height, double fps, bool loops, const std::vector<bool>& bears,
                  std::vector<double>& positions);

}  // namespace limber::physics
