// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/model.h"
#include "limber/physics/workspace.h"

/// Which forces of the ground explain a motion. Private to `physics`.
namespace limber::physics {

/// Torques of all hinges for a motion, and what the ground cannot give.
struct Support {
  std::vector<double> torque;  ///< per hinge
  Spatial missing;             ///< torque about the root's origin and force that nothing provides
  double weight = 0;           ///< sum of the ground's normal forces
};

/// Inverse dynamics with forces at the points near the ground that push, never pull, and stay inside the friction cone:
/// those that come nearest to what the root needs, spread evenly. `touch` is the height below which a point may bear
/// weight.
Support find_support(const Model& model, Workspace& work, std::span<const double> q, std::span<const double> v,
                     std::span<const double> a, double touch, double length);

}  // namespace limber::physics
