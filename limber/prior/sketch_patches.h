// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/prior/sketch_model.h"

namespace limber::prior {

/// The shape of a video as tokens: each has `length` frames of a square of pixels. For CPU and GPU.
struct Patches {
  int views, frames, size, patch, length;

  constexpr int side() const { return size / patch; }
  constexpr int run() const { return side() * side(); }  ///< tokens of a tube
  constexpr int tokens() const { return views * (frames / length) * run(); }
  constexpr int numbers() const { return 3 * length * patch * patch; }
  constexpr int pictures() const { return views * frames; }
  constexpr int rows() const { return 3 * size; }  ///< of pixels in a picture, of all channels

  struct Place {
    int token, number;
  };
  /// Where a pixel lies in the tokens. Those that follow it follow there too, up to the end of its patch.
  constexpr Place place_of(int picture, int row, int x) const {
    const int view = picture / frames, frame = picture % frames, channel = row / size, y = row % size;
    const int tube = view * (frames / length) + frame / length;
    return {(tube * side() + y / patch) * side() + x / patch,
            ((frame % length * 3 + channel) * patch + y % patch) * patch + x % patch};
  }
};

constexpr Patches video_patches(const SketchModel& model) {
  return {model.views, model.frames, model.size, model.patch, model.patch_frames};
}
/// Of the pictures of the body at rest.
constexpr Patches rest_patches(const SketchModel& model) { return {model.views, 1, model.size, model.patch, 1}; }

}  // namespace limber::prior
