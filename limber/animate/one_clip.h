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

/// What a request came to, before the last look at it. Nothing of it depends on other clips that were made before.
struct DrawnClip {
  Plan plan;
  Animation animation;
  std::vector<NewClip> clips;  ///< the result, and where they were asked for the other candidates
};
/// Lets the request's `on_sample` see samples as they are lifted.
Result<DrawnClip> draw_clip(const Ready& ready, const Models& models, const Request& request);

/// Adds it to the cast's asset, mends there what is not finished, and measures what came of it: the first of its clips.
struct AddedClip {
  int first = 0;
  FinishedClip finished;
};
Result<AddedClip> add_clips(Cast& cast, const rig::Facing& facing, const Request& request, DrawnClip& drawn);

}  // namespace limber::animate
