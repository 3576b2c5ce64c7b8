// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber::asset {

/// The numbers of the array at a JSON pointer ("/limber/axes") in the text of an element's extras; an array of arrays
/// is read row by row. None where the text is not JSON, or has no such array there, or one with anything but numbers.
std::optional<std::vector<double>> extras_numbers(std::string_view extras, const std::string& pointer);

}  // namespace limber::asset
