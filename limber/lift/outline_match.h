// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/lift/follow_settings.h"
#include "limber/lift/surface_view.h"

/// Outlines: where the silhouette of a posed body is, and where it should be.
namespace limber::lift {

/// A point of the skin on the body's outline, and where the mask has its edge across from it.
struct OutlinePoint {
  std::uint32_t triangle = 0;
  Vec3 barycentric;
  Vec2 pixel;      ///< on the mask's edge
  Vec2 direction;  ///< across the outline, outwards, unit
};

/// Points spread evenly along the outline of a view against a mask (0 to 1 per pixel, same size). Outlines without an
/// edge of the mask within reach give none.
std::vector<OutlinePoint> match_outline(const SurfaceView& view, std::span<const float> mask,
                                        const OutlineSettings& settings = {});

/// A point of the body in an image.
struct BodyPoint {
  Vec2 pixel;
  bool seen = false;  ///< not hidden by the body itself
};

/// A point of the body that may belong where the mask shows something and the body is not.
struct MissingPoint {
  int point = 0;  ///< index into the body's points
  Vec2 pixel;     ///< of the mask
};

/// Explains what of a mask the view leaves out, by the nearest points of the body: rather by those that are hidden, as
/// a leg behind the other one that comes out, than by those that are seen where they are. Each point at most once; at
/// most `settings.max_points`, none farther than three times `settings.reach`.
std::vector<MissingPoint> match_missing(const SurfaceView& view, std::span<const float> mask,
                                        std::span<const BodyPoint> body, const OutlineSettings& settings = {});

}  // namespace limber::lift
