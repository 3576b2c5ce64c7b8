// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::asset {

/// Whether an asset can be written: indices within their lists, nodes a forest, arrays of equal length, numbers finite.
Status check_asset(const Asset& asset);

}  // namespace limber::asset
