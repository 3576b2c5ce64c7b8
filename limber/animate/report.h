// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "limber/animate/animate_asset.h"

/// What an animation tells of itself, as JSON. Private to `animate`.
namespace limber::animate {

/// Of a whole run that took `seconds`.
std::string report_text(const AnimatedAsset& result, const Request& request, double seconds);

/// What a clip carries along: how it came about, and how sure each joint is in each frame.
std::string clip_extras(const rig::Subject& subject, const Animation& animation, const Request& request,
                        std::uint64_t seed);

}  // namespace limber::animate
