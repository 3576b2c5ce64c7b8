// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "limber/anatomy/body_reading.h"
#include "limber/base/result.h"

/// The body reader as riggers take it (`autorig::RigSettings::reader`).
namespace limber::anatomy {

/// The folder of the reader that ships (nn/shipped_models.h); `kMissing` where it is not found.
Result<std::filesystem::path> find_body_reader();

/// The reader of a folder; it lives as long as the function or a copy of it.
Result<ReadBody> open_body_reader(const std::filesystem::path& folder);

}  // namespace limber::anatomy
