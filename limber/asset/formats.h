// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::asset {

/// The extension in lower case, with its dot.
std::string lower_extension(const std::filesystem::path& path);

/// The asset's default scene as the text of an .obj.
Result<std::string> obj_text(const Asset& asset);

/// The skeleton and one clip (-1: the rest pose alone) as the text of a .bvh.
Result<std::string> bvh_text(const Asset& asset, int clip, double fps);

}  // namespace limber::asset
