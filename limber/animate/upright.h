// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/upright.h"

/// Bodies as the stages know them, under the names of this room.
namespace limber::animate {

using kinematics::stand_upright;
using kinematics::turn_back;
using kinematics::turn_upright;
using kinematics::Upright;

}  // namespace limber::animate
