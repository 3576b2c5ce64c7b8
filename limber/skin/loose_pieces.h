// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/skin/heat.h"
#include "limber/skin/skin_body.h"

/// Eyes, horns, buckles: components of a surface without a bone of their own; and parts of machines. Private to `skin`.
namespace limber::skin {

/// Per component: whether no bone is inside of it. One is, where most of the surface turns its back to the nearest
/// bone, or where a bone runs in the surface itself (a fin is too thin to turn its back to anything). The largest
/// component never is loose.
std::vector<bool> find_loose_pieces(const SkinBody& body, std::span<const SkinBone> bones, const BoneBinding& binding);

/// Overwrites the rows of loose pieces by those of the body where they touch it: a small piece moves as a whole with
/// the mean of its contact, a large one (a cape) point by point.
void attach_loose_pieces(const SkinBody& body, const std::vector<bool>& loose,
                         std::vector<std::vector<rig::Influence>>& rows);

/// Whether the surface is that of a machine: in as many closed pieces as there are bones, none of them most of it. A
/// body is one piece, or a few with clothes and eyes.
bool is_machine(const SkinBody& body, std::size_t bone_count);

/// Metal does not bend: every piece follows the one bone that most of its surface is bound to. Pieces that are much of
/// what another bone has keep their rows, as that bone would hold nothing.
void stiffen_pieces(const SkinBody& body, const BoneBinding& binding, std::vector<std::vector<rig::Influence>>& rows);

}  // namespace limber::skin
