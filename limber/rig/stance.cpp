// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/stance.h"

#include <limits>

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

Mat3d nearest_axes(Vec3d up, Vec3d forward) {
  Mat3d best = Mat3d::identity();
  double most = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 36; ++k) {
    const int y_axis = k / 12, z_axis = k / 4 % 3;
    if (y_axis == z_axis) continue;
    Vec3d y, z;
    y[y_axis] = (k & 1) != 0 ? -1 : 1, z[z_axis] = (k & 2) != 0 ? -1 : 1;
    const double agrees = dot(y, up) + dot(z, forward);
    if (agrees > most) most = agrees, best = transposed(Mat3d::from_columns(cross(y, z), y, z));
  }
  // Zeros without a sign: what is turned twice is to have the same bits as what never was.
  for (int k = 0; k < 9; ++k) best(k / 3, k % 3) += 0.0;
  return best;
}

Warning warn_of_assumption(const Facing& facing) {
  Warning warning{"facing_assumed", directions_of(facing)};
  warning.numbers.emplace_back("confidence", double(facing.confidence));
  warning.names.emplace_back("reason", facing.reason.empty() ? "by convention" : facing.reason);
  warning.fields = {{"up"}, {"forward"}};
  return warning;
}

std::vector<std::pair<std::string, double>> directions_of(const Facing& facing) {
  const Vec3 up = facing.up, forward = facing.forward;
  return {{"up_x", double(up.x)},           {"up_y", double(up.y)},           {"up_z", double(up.z)},
          {"forward_x", double(forward.x)}, {"forward_y", double(forward.y)}, {"forward_z", double(forward.z)}};
}

}  // namespace limber::rig
