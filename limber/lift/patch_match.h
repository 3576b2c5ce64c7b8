// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/base/frames.h"
#include "limber/base/math.h"
#include "limber/lift/follow_settings.h"

/// Finding a patch of one image in another: pyramidal Lucas-Kanade, inverse compositional (Baker and Matthews 2004),
/// with a gain and a bias per patch.
namespace limber::lift {

/// One channel, rows from the top. The centre of pixel (i, j) is (i + 0.5, j + 0.5).
struct GrayImage {
  int width = 0, height = 0;
  std::vector<float> values;

  float at(int x, int y) const {  ///< the nearest pixel where there is none
    x = x < 0 ? 0 : (x >= width ? width - 1 : x);
    y = y < 0 ? 0 : (y >= height ? height - 1 : y);
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  float sample(float x, float y) const;  ///< bilinear
};

/// An image and its halved copies, finest first.
using Pyramid = std::vector<GrayImage>;
Pyramid make_pyramid(GrayImage image, int levels);

/// Brightness of one picture of a video.
GrayImage brightness(const Frames& frames, int view, int frame);

/// A 2 x 2 matrix: offsets in the second image to offsets in the first.
struct PatchWarp {
  float xx = 1, xy = 0, yx = 0, yy = 1;
};

struct PatchMatch {
  Vec2 pixel;
  float ncc = -1;      ///< normalised cross-correlation at the finest level
  bool found = false;  ///< converged inside the image
};

/// Where the patch of `from` around `at` is in `to`, near `start`.
PatchMatch match_patch(const Pyramid& from, Vec2 at, const Pyramid& to, Vec2 start, const PatchSettings& settings,
                       const PatchWarp& warp = {});

/// The smaller eigenvalue of the structure tensor around a pixel: how well a patch there can be found again.
float patch_texture(const GrayImage& image, Vec2 at, int radius);

}  // namespace limber::lift
