// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/rig/rig.h"

/// Wings as they are carried on the ground. Private to `animate`.
namespace limber::animate {

/// Every joint's angles, at rest but for wings that stick out sideways there: these are swept back along the body.
/// Empty where there are none. Limbs are looked for where the rig does not know them.
std::vector<Vec3> swept_wings(const rig::Rig& rig, Vec3 forward);

}  // namespace limber::animate
