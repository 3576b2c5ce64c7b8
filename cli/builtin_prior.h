// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/base/result.h"

namespace limber::cli {

/// The folder of the prior that ships with limber: below $LIMBER_MODELS, beside the program (as built, or installed),
/// or in ./models.
Result<std::string> find_builtin_prior();

}  // namespace limber::cli
