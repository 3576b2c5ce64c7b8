// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/autorig/auto_rig.h"
#include "limber/rig/facing.h"

/// What of a rig is rather a guess than found. Private to `autorig`.
namespace limber::autorig {

/// Enters every doubt into the report, each with a warning that names the option which settles it. `facing`: that of
/// the new rig.
void add_doubts(const AutoRigSettings& settings, const rig::Facing& facing, AutoRigReport& report);

}  // namespace limber::autorig
