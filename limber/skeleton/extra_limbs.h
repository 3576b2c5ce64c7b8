// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/skeleton/embed.h"
#include "limber/skeleton/plan.h"

/// Joints for the limbs that a template does not know. Private to `skeleton`.
namespace limber::skeleton {

/// Adds chains of joints along the limbs of a body that no chain of the embedding runs along: wings of a dragon, arms
/// of a centaur, ears; and fingers, see hand_fingers.h. Not along what is broader than long (a shield, a fin), what a
/// hand holds, a foot wears or a head carries, antlers, or the rays of a fish. They hang on the joint whose bone they
/// leave and are called limb.1.1, limb.1.2 ..., with sides where they come in pairs or lie on one side. Returns how
/// many limbs were added, not counting fingers. `settings` are those of the embedding.
int add_extra_limbs(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                    SkeletonPlan& plan);

}  // namespace limber::skeleton
