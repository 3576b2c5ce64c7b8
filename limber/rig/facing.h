// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/base/math.h"

namespace limber::rig {

/// Which way a body stands and looks, how sure that is, and why. This is the plain answer; `anatomy/find_facing.h` is
/// the one way to it.
struct Facing {
  Vec3 up{0, 1, 0}, forward{0, 0, 1};  ///< unit, perpendicular, in the world of whatever carries the answer
  float confidence = 0;                ///< 0 to 1; 0: nothing is known, and this is only the convention of glTF
  std::string reason;                  ///< for a person; may be empty

  bool known() const { return confidence > 0; }
};

}  // namespace limber::rig
