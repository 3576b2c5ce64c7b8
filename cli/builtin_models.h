// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/anatomy/body_reading.h"
#include "limber/base/result.h"

/// Models that ship with limber: below $LIMBER_MODELS, beside the program (as built, or installed), or in ./models.
namespace limber::cli {

/// The folder of the built-in prior.
Result<std::string> find_builtin_prior();

/// The reader of bodies that `--reader` names: a folder, "auto" for the one that ships (a warning where it is missing),
/// "none" for none.
Result<anatomy::ReadBody> open_body_reader(const std::string& option = "auto");

}  // namespace limber::cli
