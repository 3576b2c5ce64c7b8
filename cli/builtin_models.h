// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/anatomy/body_reading.h"
#include "limber/base/result.h"

namespace limber::cli {

/// The reader of bodies that `--reader` names: a folder, "auto" for the one that ships (a warning where it is missing,
/// see anatomy/shipped_reader.h), "none" for none.
Result<anatomy::ReadBody> open_body_reader(const std::string& option = "auto");

}  // namespace limber::cli
