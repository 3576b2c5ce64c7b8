// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/skin/heat.h"
#include "limber/skin/skin_body.h"

namespace limber::skin {

struct PartSettings {
  /// How far the blend between two parts reaches to either side, in distances to the bone; 0.5 to 1.
  double softness = 0.7;
};

/// Part-harmonic weights: one in the core of each part, zero in the others', harmonic in between. The core is what is
/// farther from other parts, along the surface, than `softness` times the distance to the bone.
///
/// `parts` gives the bone of every welded point, counting `bones`. One row per welded point, the heaviest
/// kMaxInfluences.
std::vector<std::vector<rig::Influence>> skin_parts(const SkinBody& body, std::span<const SkinBone> bones,
                                                    std::span<const int> parts, const PartSettings& settings = {});

/// The parts that a binding makes: the nearest bone of every point.
std::vector<int> parts_of(const BoneBinding& binding);

}  // namespace limber::skin
