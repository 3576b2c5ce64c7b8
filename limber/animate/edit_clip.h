// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

/// What people do to a clip that is nearly right.
namespace limber::animate {

struct ClipEdits {
  std::optional<std::pair<double, double>> trim;  ///< seconds: what is kept of it
  bool mirror = false;                            ///< left does what right did
  bool loop = false;                              ///< cut to whole cycles where it closes best, and closed
  bool in_place = false;                          ///< without the travel over the ground
  std::optional<double> fps;                      ///< unset: that of the clip's keys

  bool any() const { return trim || mirror || loop || in_place; }
};

/// The clip edited, in this order, under its own name. The body stands as the asset says, or as is found. Of what is
/// not a joint nothing is kept (morph weights).
///
/// Errors: `kConflict` for a trim that leaves nothing, or a loop of what is too short.
Result<asset::Clip> edited_clip(const asset::Asset& asset, int clip, const ClipEdits& edits);

}  // namespace limber::animate
