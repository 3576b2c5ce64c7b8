// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/base/habitat.h"
#include "limber/rig/rig.h"

namespace limber::physics {

using limber::Habitat, limber::name;

/// What a motion shows of how it meets the ground. All are shares, from 0 to 1.
struct Footing {
  double off_ground = 0;  ///< of the frames: nothing is near the ground
  double floating = 0;    ///< of the frames: off the ground for longer than a leap takes
  double lying = 0;       ///< of the mass: in bodies that touch the ground, on average
  bool seen = false;      ///< above a ground that was drawn: it is known to be there
  bool raised = false;    ///< it mostly keeps higher than a quarter of its own height
};

struct HabitatChoice {
  Habitat habitat = Habitat::kGround;
  std::string reason;  ///< for a person
  bool hangs = false;  ///< free only because it hangs in the air: neither words nor limbs say that it may
};

/// Guesses the habitat from what the motion's name or prompt tells (`actions::Catalogue::habitat_hint`), from the limbs
/// of the body, and from what the motion does.
HabitatChoice choose_habitat(const rig::Rig& rig, const HabitatHint& hint, const Footing& footing);

}  // namespace limber::physics
