// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/animate/animate_asset.h"

/// What a pack tells of its clips, as JSON. Private to `animate`.
namespace limber::animate {

/// Of a whole run that took `seconds`: that of the first clip that could be made, with `clips`, what is to be known of
/// each, and `transitions`, which leads how well to which. `result` is as before but while it is worked out.
Result<std::string> pack_report(AnimatedAsset& result, const Request& request, double seconds);

}  // namespace limber::animate
