// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/asset/asset.h"
#include "limber/zoo/creature.h"

namespace limber::bench {

/// The artist's clip of a gait, and what to ask for to get such a one; no clip where there is none.
struct ArtistsClip {
  const asset::Clip* clip = nullptr;
  std::string action;
};
ArtistsClip find_artists_clip(const asset::Asset& asset, zoo::Plan plan);

/// Whether a clip's name says that it shows an action.
bool shows_action(const asset::Clip& clip, zoo::Plan plan, const std::string& action);

}  // namespace limber::bench
