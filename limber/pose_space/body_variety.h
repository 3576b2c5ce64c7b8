// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/torch_api.h"

/// \file
/// Bodies of a batch, changed at random so that a network sees other bodies than artists made: private to trainers of
/// poses and motions.
namespace limber::pose_space {

using nn::Tensor;

/// Numbers of bodies, as `vary_bodies` changes them. J joints, P points of the surface, K poses.
struct VariedBodies {
  Tensor &features, &points, &turns;  ///< [n, J, kJointFeatures], [n, P, 6], [n, K, J, 3, 3]
  const Tensor &shares, &parents, &below;
  const Tensor& across;  ///< float [n, J, J]: 1 where the second joint is the first one's partner and comes before it
  Tensor flesh;          ///< [n, J, 3] from joints to the middle of what they carry, changed too; may be undefined

  /// What became of the world.
  struct Change {
    Tensor mirrored;  ///< bool [n]
    Tensor vectors;   ///< [n, 3, 3]: old vectors, as rows, times this are the new ones; lengths are in radii again
  };
};

/// Most bodies rest in another pose, both sides alike, joints being turned by up to `rest_turn` (radians, root mean
/// square), and have longer or shorter bones; half are mirrored; all are stretched and look a little to the side. What
/// they do stays, told from the new rest. Random numbers are of the device's default generator.
VariedBodies::Change vary_bodies(const VariedBodies& body, double rest_turn);

// --- that lessons need besides ---------------------------------------------------------------------------------------

/// Rotations, [n, 3, 3], about unit axes [n, 3] by angles [n] (Rodrigues).
Tensor about(const Tensor& axes, const Tensor& angles);
Tensor unit(const Tensor& v);
/// float [n, J, J]: 1 where the second joint carries the first, or is it.
Tensor find_below(const Tensor& parents, const Tensor& present);
/// Along the tree: turns relative to parents, [n, J, 3, 3], to turns in the world.
Tensor chained(Tensor turns, const Tensor& parents);

}  // namespace limber::pose_space
