// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/rig/subject.h"

namespace limber::lift {

/// Per joint, whether it leads a part of the body (`scene::find_parts`) or is the root: what pictures can show turning.
std::vector<bool> leading_joints(const rig::Subject& subject);

}  // namespace limber::lift
