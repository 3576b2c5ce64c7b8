// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace limber::zoo {

/// Name and text of nouns.json, built into the library.
const std::vector<std::pair<std::string_view, std::string_view>>& noun_data();

}  // namespace limber::zoo
