// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>

#include "limber/base/result.h"
#include "limber/rig/rig.h"
#include "limber/skeleton/plan.h"
#include "limber/skeleton/template.h"

/// What the joints of templates and plans are. Private to `skeleton`.
namespace limber::skeleton {

/// The limb of a joint of a `SkeletonTemplate` or a `SkeletonPlan`; null where nobody says.
template <class Skeleton>
const rig::Limb* limb_of(const Skeleton& skeleton, int joint) {
  const int limb = skeleton.joints[static_cast<std::size_t>(joint)].role.limb;
  return limb < 0 ? nullptr : &skeleton.limbs[static_cast<std::size_t>(limb)];
}

/// Whether a joint belongs to a limb of one of these kinds.
template <class Skeleton>
bool is_of(const Skeleton& skeleton, int joint, std::initializer_list<rig::LimbKind> kinds) {
  const rig::Limb* limb = limb_of(skeleton, joint);
  return limb != nullptr && std::find(kinds.begin(), kinds.end(), limb->kind) != kinds.end();
}

/// Its joints, tips included, as a rig: parents keep their places. Fails where places are too far apart for one.
Result<rig::Rig> rig_of(const SkeletonTemplate& skeleton);

/// A template that says nothing of its limbs, with those that its names and its shape tell.
SkeletonTemplate with_roles(SkeletonTemplate skeleton);

}  // namespace limber::skeleton
