// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "limber/rig/rig.h"

namespace limber::physics {

/// Where a motion takes place.
enum class Habitat {
  kGround,  ///< on feet that bear weight and stay where they are
  kCrawl,   ///< on its belly, which slides
  kFree     ///< in water or air: nothing bears weight
};
std::string_view name(Habitat habitat);  ///< "ground"

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

/// Whether the words of a motion's name or prompt say that a body gets on by its legs, or leaps.
bool says_it_goes(const std::string& clip);

/// Whether one of its words is a form of one of the verbs: "flies" of fly, "swimming" of swim.
bool says_any(const std::string& clip, std::span<const std::string_view> verbs);

/// Guesses the habitat from `clip`, the motion's name or prompt, word by word ("a butterfly that walks" is on the
/// ground), from the limbs of the body, and from what the motion does.
HabitatChoice choose_habitat(const rig::Rig& rig, const std::string& clip, const Footing& footing);

}  // namespace limber::physics
