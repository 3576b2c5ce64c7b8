// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/body_shape.h"
#include "limber/skeleton/template.h"

/// Templates stretched to bodies. Private to `skeleton`.
namespace limber::skeleton {

/// A template turned and stretched to a body.
struct FittedTemplate {
  std::vector<Vec3d> at;  ///< per joint
  double stretch = 0;     ///< squared logs of the sides' ratios
  Vec3d box_ratio;        ///< of the sides of the body's box to the template's, in the template's axes
  double scale = 1;
};

/// To the body's box.
FittedTemplate fit_to_box(const body::BodyShape& body, const SkeletonTemplate& skeleton, const Mat3d& turn);

/// Where a match has a joint of the template.
struct MatchedJoint {
  int joint = 0;
  Vec3d at;
};

/// Once more, so that its joints lie where a first match found them: antlers and weapons widen the box but not the
/// body. Least squares along each axis, drawn toward even scales. Across an axis along which the template has no joints
/// (a snake's), the box alone tells how well it fits.
FittedTemplate fit_to_match(const SkeletonTemplate& skeleton, const Mat3d& turn, Vec3d box_ratio,
                            std::span<const MatchedJoint> matched);

}  // namespace limber::skeleton
