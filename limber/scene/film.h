// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/rig/facing.h"
#include "limber/scene/body.h"
#include "limber/scene/cameras.h"
#include "limber/scene/layers.h"

/// Pictures of an asset that plays a clip.
namespace limber::scene {

struct FilmSettings {
  int clip = -1;                 ///< of the asset; -1: as it stands in its file
  std::vector<double> times{0};  ///< seconds into the clip, a picture each
  double fps = 24;               ///< at which they are watched: the camera follows the more smoothly
  Layer layer = Layer::kRgb;
  rig::Facing facing;  ///< of the asset: it is drawn standing along +Y, and azimuths count from its front
  OrbitSettings orbit;
  LayerSettings look;
  Progress progress;
};

/// Pictures of 3 channels behind each other: times x height x width x 3. Of several views, those of one time are behind
/// each other: times x views x height x width x 3.
struct Film {
  int times = 0, views = 1, width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Fails where there is nothing to draw, a layer needs a skeleton that is not there, there is no such clip, all
/// pictures together take more than 4 GiB (kOutOfMemory), or when cancelled.
Result<Film> film_asset(asset::Asset asset, const FilmSettings& settings);

/// A ground that suits the body as it stands: long low ones get larger squares.
void fit_ground(const BodyMesh& mesh, const BodyPose& rest, GroundSettings& ground);

}  // namespace limber::scene
