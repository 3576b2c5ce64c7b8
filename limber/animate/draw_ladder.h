// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animation.h"
#include "limber/animate/cast.h"
#include "limber/animate/models.h"

/// Which way a motion is made, and what takes its place where that fails. Private to `animate`.
namespace limber::animate {

/// As the request says: by its video, the zoo's rules, the network on joints or a prior of pictures. Where what the
/// network on joints drew fails its own check, the built-in prior's way is gone, then that of the rules, as far as they
/// can do what is asked; a warning says so.
Result<Animation> draw_motion(const Cast& cast, const Models& models, const Request& request);

}  // namespace limber::animate
