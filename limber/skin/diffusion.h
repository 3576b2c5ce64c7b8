// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/skin/skin_body.h"

/// The linear system that the surface solvers share. Private to `skin`.
namespace limber::skin {

/// What holds a point: the bones it is bound to, in equal shares, and how firmly (H of the heat equation, in 1 over
/// length squared). No bones: the point follows its neighbours.
struct Hold {
  double firmness = 0;
  std::vector<int> bones;
};

/// Solves (C + A H) w_b = A H p_b for all bones with one factorisation, C the cotangent stiffness and A the areas. One
/// row per welded point, the heaviest kMaxInfluences. Every component must have a point that is held; rows then sum to
/// one, but for what is dropped.
std::vector<std::vector<rig::Influence>> diffuse_holds(const SkinBody& body, std::span<const Hold> holds,
                                                       std::size_t bone_count);

/// Heaviest first, at most `count`.
void keep_heaviest(std::vector<rig::Influence>& row, std::size_t count);

}  // namespace limber::skin
