// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "limber/base/math.h"
#include "limber/base/result.h"

namespace limber::rig {

/// Which way a body stands and looks, how sure that is, and why. This is the plain answer; `anatomy/find_facing.h` is
/// the one way to it.
struct Facing {
  Vec3 up{0, 1, 0}, forward{0, 0, 1};  ///< unit, perpendicular, in the world of whatever carries the answer
  float confidence = 0;                ///< 0 to 1; 0: nothing is known, and this is only the convention of glTF
  std::string reason;                  ///< for a person; may be empty

  bool known() const { return confidence > 0; }
};

/// A direction as a person writes it: `+x`, `-Z`, `y` (in either case), or three numbers `0,0.7,-1`. Unit; none where
/// the text is neither.
std::optional<Vec3> parse_direction(std::string_view text);

/// `up` and `forward` made unit and perpendicular: forward is laid level. An error that names both where they run along
/// one line.
Result<Facing> make_facing(Vec3 up, Vec3 forward);

}  // namespace limber::rig
