// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace limber::bench {

/// What a list ("train", "test") of a split.json names: models that networks have seen, or have not. Empty where there
/// is no such file or list.
std::vector<std::string> split_list(const std::filesystem::path& file, const std::string& list);

}  // namespace limber::bench
