// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "limber/base/result.h"

namespace limber::nn {

/// The folder of a network that ships, by its name in `models/`: looked for below $LIMBER_MODELS, beside the program
/// (as built, or installed), and in ./models. `recognise` tells whether a folder holds such a one. `kMissing` where
/// none does.
Result<std::filesystem::path> find_shipped_model(const std::string& name,
                                                 bool (*recognise)(const std::filesystem::path& folder));

/// From now on such networks are looked for below this folder, too, right after $LIMBER_MODELS: for programs that carry
/// them elsewhere, as the Python package does. Thread-safe.
void add_model_folder(std::filesystem::path folder);

}  // namespace limber::nn
