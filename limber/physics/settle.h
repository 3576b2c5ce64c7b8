// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/model.h"

/// Bodies at rest rest on something. Private to `physics`.
namespace limber::physics {

/// What a motion is asked for before its body is settled.
struct SettleInput {
  const Model& model;
  double height = 1;  ///< of the body, metres
  double fps = 24;
  const std::vector<bool>& bears;   ///< per contact point: may carry the body
  const std::vector<bool>& flight;  ///< per frame: off the ground
  std::span<const double> rest;     ///< position at rest
  bool goes = true;                 ///< it may be going somewhere: what is fast need not be above what bears it
  bool loops = false;               ///< after its last frame comes its first one, farther on
};

/// Turns a body whose weight is for a while far from above all that touches the ground about the edge of
/// what does, until something else touches it: someone who sits in the air, seen in pictures, sits down. Only for as
/// long as it would fall; evenly. Bodies that lean at rest, by what is known of their mass, may lean as far. Who stands
/// on some of what bears it at rest, its weight between that and what it has raised, does so on purpose: somebody who
/// rears up or kicks. Returns whether anything was turned.
bool settle(const SettleInput& input, std::vector<double>& positions);

}  // namespace limber::physics
