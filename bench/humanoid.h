// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/physics/model.h"

namespace limber::bench {

/// The 27-DoF humanoid of MuJoCo's humanoid.xml (the DeepMind Control Suite's), built from its numbers: same tree,
/// axes, masses, springs, dampers and armature. Capsules touch the ground at six points around each end. +Y up, facing
/// +X.
physics::Model humanoid_model();

/// Height of its root when it stands on straight legs.
inline constexpr double kHumanoidHeight = 1.282;

}  // namespace limber::bench
