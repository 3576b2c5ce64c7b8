// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/actions/catalogue.h"
#include "limber/animate/prompt_segments.h"
#include "limber/base/warning.h"
#include "limber/rig/rig.h"

/// Whether a body has what it takes. Private to `animate`.
namespace limber::animate {

/// What a person should know of an action for which the body has no limbs: snakes do not sit, fish do not gallop, foxes
/// do not fly. None where it has them, where nobody knows the limbs, or where the action needs none.
std::optional<Warning> warn_of_limbs(const PromptSegment& segment, const rig::Rig& rig,
                                     const actions::Catalogue& known = actions::built_in());

}  // namespace limber::animate
