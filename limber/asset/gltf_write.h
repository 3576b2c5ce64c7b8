// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::asset {

enum class GltfContainer { kGlb, kJson };

/// Writes a .glb or .gltf and the files that belong beside it.
Status write_gltf(const Asset& asset, const std::filesystem::path& path, GltfContainer container);

}  // namespace limber::asset
