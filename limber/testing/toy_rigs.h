// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/rng.h"
#include "limber/rig/rig.h"

/// Small random rigs for tests.
namespace limber::testing {

enum class ToyShape {
  kTree,   ///< every joint hangs on a random earlier one
  kChain,  ///< every joint hangs on the one before
  kStar,   ///< every joint hangs on the root
};

struct ToyRigSettings {
  ToyShape shape = ToyShape::kTree;
  int joints = 8;
  bool scales = false;  ///< rest scales other than one, different along each axis, a few negative
  bool axes = false;    ///< rotation axes other than the joint's own
  bool frames = false;  ///< a fixed affine map (turned, scaled, sheared, shifted) between each joint and its parent, as
                        ///< where a forest of joints became one tree
  int extra_bones = 0;  ///< beyond one per joint, bound elsewhere, as where several skins share a joint
  std::uint64_t seed = 1;
};

/// The whole rig spans about one unit of length, whatever its joint count.
rig::Rig toy_rig(const ToyRigSettings& settings = {});

Vec3 random_vector(Rng& rng, double size = 1);
Quat random_rotation(Rng& rng);

/// Random influences: mostly full rows, some points with one influence only.
rig::SkinWeights toy_weights(std::size_t points, int bones, int stride, std::uint64_t seed = 1);

}  // namespace limber::testing
