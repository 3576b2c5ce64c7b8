// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "limber/base/result.h"

namespace limber {

/// Whether `write_file` could write there now: an error before minutes of work rather than after them. Leaves nothing
/// behind and what is there as it is.
Status check_writable(const std::filesystem::path& path);

}  // namespace limber
