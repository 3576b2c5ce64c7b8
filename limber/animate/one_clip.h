// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/animate/cast.h"
#include "limber/animate/finished_clip.h"
#include "limber/animate/models.h"
#include "limber/animate/plan.h"
#include "limber/asset/asset.h"

/// One clip, from a request to the asset that has it; a pack does this for each of its own. Private to `animate`.
namespace limber::animate {

/// A body that is ready to be moved: what is done once, however many clips there will be.
struct Ready {
  Cast cast;  ///< its asset has none of the new clips
  rig::Facing facing;
  double rigging = 0;  ///< share of the whole progress that is behind
};
Result<Ready> make_ready(asset::Asset asset, const Models& models, const Request& request);

/// A motion that becomes a clip. `seed` is that of its sample.
struct NewClip {
  kinematics::Motion motion;
  std::string name;
  std::uint64_t seed = 0;
};

/// What a request came to. Nothing of it depends on other clips that were made before.
struct DrawnClip {
  Plan plan;
  Animation animation;
  std::vector<NewClip> clips;  ///< the result, and where they were asked for the other candidates
};
/// Lets the request's `on_sample` see samples as they are lifted.
Result<DrawnClip> draw_clip(const Ready& ready, const Models& models, const Request& request);

/// What was added to an asset.
struct AddedClip {
  int first = 0;  ///< of the clips
  FinishedClip finished;
};
/// Adds it to the asset, gives all its clips their last look, and measures what the result came to: `drawn` is then of
/// what is written.
Result<AddedClip> add_clips(Ready& ready, DrawnClip& drawn, const Request& request);

}  // namespace limber::animate
