// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/rig/rig.h"

namespace limber::pose_space {

/// Per limb of a rig: how many of its kind and side come before it, counted from the front (the end of what they
/// leave). The forelegs are 0, the hind legs 1.
std::vector<int> limb_pairs(const rig::Rig& rig);

}  // namespace limber::pose_space
