// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "limber/base/result.h"

namespace limber::nn {

/// Parses a JSON object from a file that nobody vouches for. Refuses what nlohmann lets through: a key that occurs
/// twice in an object at depth `unique_depth` (1: the outermost), and deep nesting, which would exhaust the stack when
/// it is copied or printed. `where` is the file's name in errors.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& where, int unique_depth = 1);

}  // namespace limber::nn
