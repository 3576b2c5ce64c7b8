// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "limber/base/math.h"

/// `--up` and `--forward`, read alike by every command that has them: `+z`, `-X` or three numbers.
namespace limber::cli {

struct FacingOptions {
  std::optional<Vec3> up, forward;  ///< unit; unset where nothing was said
};

/// Directions that cannot be read, or that run along one line, are wrong usage. Where there are two files, `of` tells
/// whose they are: "source" has `--source-up` and `--source-forward`.
void add_facing_options(CLI::App& command, FacingOptions& options, const std::string& of = "");

}  // namespace limber::cli
