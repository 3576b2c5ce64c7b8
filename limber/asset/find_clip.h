// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::asset {

/// Which clip is meant: by its name (in either case where only one is called so), or `#0` for the first. An error lists
/// those there are.
Result<int> find_clip(const Asset& asset, const std::string& text);

}  // namespace limber::asset
