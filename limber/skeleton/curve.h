// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/body_shape.h"
#include "limber/skeleton/plan.h"

namespace limber::skeleton {

struct CurveSettings {
  int max_limbs = 32;       ///< the longest are kept, >= 1
  double bend = 0.25;       ///< a joint where the path lies farther off its bone than this, of the local radius
  double longest = 4;       ///< no bone on a straight path longer than this many radii, or a tenth of the size
  double min_bone = 0.025;  ///< of the size: shorter bones merge into their parent
  Vec3d up{0, 1, 0};        ///< which of two ends that are alike is lower
};

/// A skeleton for bodies that no template fits: the paths from the body's middle to the ends of its limbs, with joints
/// where they part and bend. Corners of sheets are no limbs; their limbs run along their middle. A body of two ends
/// is one chain from the broader (or lower) end to the other. Limbs are numbered by length; those that are mirror
/// images of each other share a number and have sides. Always at least one joint. What its limbs are nobody knows:
/// joints have no roles.
SkeletonPlan curve_skeleton(const body::BodyShape& body, const CurveSettings& settings = {});

}  // namespace limber::skeleton
