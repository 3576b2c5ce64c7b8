// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "limber/base/result.h"

namespace limber::batch {

/// Of all that reading a model, a video or a folder of weights depends on: the bytes of a file and those of the files
/// that a .gltf or .obj names, below its folder as readers look for them; of a folder the names and bytes of all files
/// in it. Where it lies does not count.
Result<std::uint64_t> content_checksum(const std::filesystem::path& path);

}  // namespace limber::batch
