// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/skeleton/embed.h"

namespace limber::skeleton {

/// Puts the joints between the matched ones on the paths that the chains take through the body: where the path bends,
/// where limbs leave the trunk, and where the template has them (dynamic programming over all). Then what artists do:
/// hips and shoulders of legs go above the legs, stifles and hocks off the middle of the flesh, the pelvis of upright
/// bodies down between the hips. Short straight bodies without limbs lose joints (`embedding.skeleton` changes then).
/// Joints that the search left out follow their parents. Where the body is symmetric, partners become mirror images and
/// middle joints lie on the plane. Pinned joints go where they are pinned.
/// Joints of built-in templates go most of the way to where a reading that is sure has them.
void place_joints(const body::BodyShape& body, const EmbedSettings& settings, Embedding& embedding);

}  // namespace limber::skeleton
