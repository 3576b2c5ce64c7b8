// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/base/math.h"

namespace limber::exporter {

/// Puts one node (one for each set of scenes that share roots) above all that the scene shows, with the shortest turn
/// from `up` to +Y, so that the file stands as most programs expect; vertices, nodes and clips stay as they are, and
/// what extras of skins say of the facing is turned with them. False where it stands so already, or shows nothing.
/// Subjects of the asset are to be made anew.
bool stand_up(asset::Asset& asset, Vec3 up);

}  // namespace limber::exporter
