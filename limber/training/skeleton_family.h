// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/rig/rig.h"

/// Characters on the same skeleton, of which authors make dozens: fish of one pack.
namespace limber::training {

/// Names and parents of the joints. Rigs whose families are equal have the same tree, however long their bones are.
std::string skeleton_family(const rig::Rig& rig);

/// Numbers of the rigs, by family; families in the order of their first members.
std::vector<std::vector<std::size_t>> group_by_family(const std::vector<std::string>& families);

}  // namespace limber::training
