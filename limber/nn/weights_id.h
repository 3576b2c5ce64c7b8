// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace limber::nn {

/// Sixteen digits that tell models in folders apart: names and sizes of the files that hold weights, and pieces of each
/// from its start to its end. Quick, however large they are; training changes all pieces. For a run that is resumed,
/// not against attacks.
std::string weights_id(const std::filesystem::path& folder);

}  // namespace limber::nn
