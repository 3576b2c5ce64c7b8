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

/// A name for another clip: this one, or with a number behind it where there is a clip of this name, which could not be
/// told from it.
std::string unused_clip_name(const Asset& asset, const std::string& wish);

}  // namespace limber::asset
