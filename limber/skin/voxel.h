// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/skin/skin_body.h"

namespace limber::skin {

struct VoxelSettings {
  /// Power of the distance with which influence falls, > 0: larger values give harder borders.
  double falloff = 7;
  /// Cells along the longest side, 32 to 256; 0: from the thinnest end of a chain, 96 to 192.
  int resolution = 0;
};

/// Geodesic voxel binding (Dionne and de Lasa 2013): distances from every bone through the cells of the solid, never
/// across a gap, and weights d^-falloff of them. Needs no surface to speak of: soups, sheets and points
/// are weighted as well as closed bodies.
///
/// One row per welded point, `Influence::bone` counting `bones`; the heaviest kMaxInfluences. A row is empty where no
/// bone can be reached through the solid.
std::vector<std::vector<rig::Influence>> skin_voxel(const SkinBody& body, std::span<const SkinBone> bones,
                                                    const VoxelSettings& settings = {});

}  // namespace limber::skin
