// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/skeleton/embed.h"

namespace limber::skeleton {

/// Weights of the refinement's terms. Lengths are of the body's size.
struct RefineSettings {
  double inside = 300;   ///< squared lack of depth, mean over a bone
  double depth = 0.012;  ///< how deep bones should lie
  double stay = 3;       ///< squared distance from where a joint was placed
  double turn = 0.05;    ///< 1 - cosine between a bone and where it pointed
  int rounds = 40;
};

/// How badly the joints `at` fit: bones outside of the body or close to its skin, joints and bones away from where
/// `embedding` has them. The gradient is added to `grad` where it is not empty.
double refinement_energy(const body::BodyShape& body, const Embedding& embedding, std::span<const Vec3d> at,
                         const RefineSettings& settings, std::span<Vec3d> grad);

/// Moves all joints together down that energy, by gradient steps that must descend: bones that cut through the skin
/// between two spheres, and joints that a symmetric average put outside, go back in. Pinned joints stay.
void refine_embedding(const body::BodyShape& body, const EmbedSettings& embed, Embedding& embedding,
                      const RefineSettings& settings = {});

}  // namespace limber::skeleton
