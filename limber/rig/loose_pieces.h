// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/rig/skin_body.h"
#include "limber/rig/skin_heat.h"

/// Eyes, horns, buckles: components of a surface without a bone of their own. Private to `rig`.
namespace limber::rig {

/// Per component: whether no bone is inside of it, by how much of its surface turns its back to the nearest. The
/// largest component never is loose, nor is any where all would be.
std::vector<bool> find_loose_pieces(const SkinBody& body, const BoneBinding& binding);

/// Overwrites the rows of loose pieces by those of the body where they touch it: a small piece moves as a whole with
/// the mean of its contact, a large one (a cape) point by point.
void attach_loose_pieces(const SkinBody& body, const std::vector<bool>& loose,
                         std::vector<std::vector<Influence>>& rows);

}  // namespace limber::rig
