// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animate_asset.h"

/// What `limber animate` prints of its result.
namespace limber::cli {

/// In words: what it does, whether feet hold and the loop closes, and what is worth a look. `loop`: one was asked for.
void print_result(const animate::AnimatedAsset& result, bool loop);

/// The same of a clip of a pack, by its name, or why there is none.
void print_clip(const animate::AnimatedAsset& result, const animate::PackedClip& clip);

/// The numbers behind that, and how long each stage took.
void print_numbers(const animate::Animation& animation);

}  // namespace limber::cli
