// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/stance.h"

#include <fmt/format.h>

namespace limber::rig {

Mat3d upright_from(Vec3 up) {
  const Vec3d from = normalized(up.cast<double>());
  // Upside down: any axis at right angles will do, and about X the sides stay where they are.
  if (from.y < -1 + 1e-9) return Mat3d::diagonal({1, -1, -1});
  // Rodrigues' formula; a quaternion would round even where axes go to axes.
  const Vec3d axis = cross(from, Vec3d{0, 1, 0});
  const auto turn = [&](Vec3d p) { return p + cross(axis, p) + (1 / (1 + from.y)) * cross(axis, cross(axis, p)); };
  return Mat3d::from_columns(turn({1, 0, 0}), turn({0, 1, 0}), turn({0, 0, 1}));
}

std::string describe_assumption(const Facing& facing) {
  const auto axis = [](Vec3 v) { return fmt::format("({:.1f}, {:.1f}, {:.1f})", v.x, v.y, v.z); };
  return fmt::format(
      "up was assumed to be {} and forward {}: {} (confidence {:.2f}); if not, say so with --up and "
      "--forward",
      axis(facing.up), axis(facing.forward), facing.reason.empty() ? "by convention" : facing.reason,
      facing.confidence);
}

}  // namespace limber::rig
