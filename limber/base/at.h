// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace limber {

/// The place of an index that is not below 0, for containers.
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace limber
