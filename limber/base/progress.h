// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace limber {

/// Called by long operations now and then, from the calling thread: what is being done, and how much of it is done
/// (0 to 1). Returning false asks the operation to stop; it then returns an error of kind `kCancelled`.
using Progress = std::function<bool(std::string_view stage, double fraction)>;

}  // namespace limber
