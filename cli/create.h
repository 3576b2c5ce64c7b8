// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command.h"
#include "limber/animate/create_asset.h"

/// What `limber create` and `limber animate --create` share.
namespace limber::cli {

/// Makes a model from words, showing that it is at work, and logs what was not understood.
Result<animate::Created> create_model(const Terminal& terminal, const std::string& words,
                                      animate::CreateSettings settings);

/// `--text-to-3d COMMAND`.
void add_generator_option(CLI::App& command, std::string& text);

}  // namespace limber::cli
