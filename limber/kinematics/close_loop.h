// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"

namespace limber::kinematics {

/// What is done over and over goes on from its end, even if that does not quite meet its beginning: some clips show the
/// first frame twice, some stop a frame before. Makes a loop of such a one, without the frame that it has twice; one
/// that ends elsewhere, or higher, stays as it is.
void close_loop(Motion& motion);

}  // namespace limber::kinematics
