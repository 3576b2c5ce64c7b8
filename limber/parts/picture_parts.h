// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/bitmap.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/parts/color_clusters.h"
#include "limber/parts/parts_denoiser.h"

/// The kinematic parts of a body in a picture or a video, and what it looks like from other sides.
namespace limber::parts {

struct PicturePartsSettings {
  int steps = 4;  ///< of drawing
  std::uint64_t seed = 0;
  double least_body = 0.01, most_body = 0.9;  ///< of the picture that a subject takes; else there is none
  double least_whole = 0.6;                   ///< of it that hangs together
  double least_outline = 1.25;                ///< how much sharper edges are at its outline than elsewhere
  ClusterSettings clusters;
  Progress progress;
};

/// Groups of pictures, views x frames each: a video is looked at so many frames at a time. The first view's are the
/// given ones, in order.
struct PictureParts {
  int views = 0, frames = 0, size = 0, groups = 0;
  std::vector<int> labels;           ///< groups x pictures x size x size: the part, negative for none
  std::vector<Vec3> clusters;        ///< colours of the parts, one set for all groups
  std::vector<DrawnPictures> drawn;  ///< per group; colours of views that were made up are here

  /// Labels of a given picture, size x size.
  std::span<const int> given(int moment) const;
};

/// Nothing is cut off, but the whole is made square with black beside it; what is transparent is black.
Bitmap square_picture(const Bitmap& picture, int size);

/// One picture, or all frames of a video from one side. Refused where the first shows no single body. The same bits for
/// any number of threads.
Result<PictureParts> find_picture_parts(const PartsDenoiser& denoiser, std::span<const Bitmap> moments,
                                        const PicturePartsSettings& settings = {});

}  // namespace limber::parts
