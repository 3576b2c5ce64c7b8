// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/body_shape.h"

/// How a template may be turned into a body. Private to `skeleton`.
namespace limber::skeleton {

struct Turn {
  Mat3d body_from_template;  ///< a rotation
  body::MirrorPlane plane;   ///< across the template's sides
  double worse_mirror = 1;   ///< how many times worse than in the body's best plane its sides are mirror images
  double symmetric = 0;      ///< 0 to 1: how sure it is that the body is its own mirror image there
  double unusual = 0;        ///< 0: as is usual, +Y up and +Z forward; up to 2
  double ground = 0;         ///< how high the body's lowest point is
};

/// The 24 turns along the axes of the file and, where the body is symmetric in a plane that no axis is across, along
/// axes of its own. Turns whose sides are clearly worse mirror images than the best ones are left out, and those that
/// do not face `forward`. `read`, if given, is one more, unless another is nearly the same. What is usual is so in the
/// space that `usual_from_body` leads to.
std::vector<Turn> find_turns(const body::BodyShape& body, const std::optional<Vec3d>& forward,
                             const std::optional<Mat3d>& read = std::nullopt,
                             const Mat3d& usual_from_body = Mat3d::identity());

}  // namespace limber::skeleton
