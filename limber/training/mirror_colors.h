// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/splat/gaussians.h"

namespace limber::training {

/// What the red of part colours says is mirrored too.
void mirror_part_colors(splat::Gaussians& surface);

}  // namespace limber::training
