// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"
#include "limber/rig/subject_geometry.h"

/// Which joints' skins touch. Private to `rig`.
namespace limber::rig {

/// Two joints touch where vertices, welded by position, follow both (2 w_a w_b), and along the edges between vertices
/// (w_a(u) w_b(v) + w_b(u) w_a(v)).
struct SkinContact {
  int a = -1, b = -1;   ///< joints, a < b
  double strength = 0;  ///< > 0
  Vec3d centre;         ///< of the touching skin, at rest
};

/// What the skin says of the joints, as the asset stands.
struct JointSkin {
  std::vector<double> weight;         ///< per joint: sum over the points that follow it
  std::vector<Vec3d> moment;          ///< per joint: weighted sum of those points
  std::vector<SkinContact> contacts;  ///< by a, then b
};

JointSkin measure_skin(const SubjectGeometry& geometry, const std::vector<Vec3d>& rest_points, std::size_t joint_count);

}  // namespace limber::rig
