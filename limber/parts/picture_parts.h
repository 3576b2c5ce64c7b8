// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/bitmap.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/parts/parts_sample.h"
#include "limber/parts/surface_regions.h"

/// The kinematic parts of a body in a picture or a video, and what it looks like from other sides.
namespace limber::parts {

/// Colours of pixels are less certain than those of triangles that many pixels show, and where in its box a pixel lies
/// is not known.
inline RegionSettings picture_regions() {
  RegionSettings settings;
  settings.least_spread = 1.4e-4, settings.middle_weight = 0;
  return settings;
}

struct PicturePartsSettings {
  int steps = 4;  ///< of drawing
  std::uint64_t seed = 0;
  double least_body = 0.01, most_body = 0.9;  ///< of the picture that a subject takes; else there is none
  double most_second = 0.2;                   ///< of it in a second piece; else there are several
  double most_edge = 0.3;                     ///< of the picture's edge that it covers; else it is a place
  double least_whole = 0.6;                   ///< of it that hangs together
  double least_outline = 1.25;                ///< how much sharper edges are at its outline than elsewhere
  double least_trust = 0.65;                  ///< that what differs from the picture's edge is the subject
  RegionSettings regions = picture_regions();
  bool closer = true;  ///< looks more closely at a subject that is small in the picture
  DrawParts draw = sample_parts;
  Progress progress;
};

/// The square of a given picture that the network sees, in pixels of it; it may reach beyond.
struct PictureWindow {
  int left = 0, top = 0, side = 1;
  bool operator==(const PictureWindow&) const = default;
};
/// All of a picture, in the middle of a square.
PictureWindow whole_window(int width, int height);

/// Groups of pictures, views x frames each: a video is looked at so many frames at a time. The first view's are the
/// given ones, in order.
struct PictureParts {
  int views = 0, frames = 0, size = 0, groups = 0;
  int moments = 0;                   ///< given pictures
  PictureWindow window;              ///< of all given pictures
  std::vector<int> labels;           ///< groups x pictures x size x size: the part, negative for none
  std::vector<Vec3> clusters;        ///< colours of the parts, one set for all groups
  std::vector<DrawnPictures> drawn;  ///< per group; colours of views that were made up are here

  /// Labels of a given picture, size x size.
  std::span<const int> given(int moment) const;
};

/// Finds parts in what was drawn anew: fills `labels` and `clusters`. Pixels of the given pictures are joined as
/// triangles of meshes are, beside each other and from moment to moment; those of views that were made up take after
/// the nearest colour.
void label_pictures(PictureParts& parts, const RegionSettings& settings);

/// One picture, or all frames of a video from one side, all of one size, which may be any. A background that is
/// transparent or of one colour is taken away; a subject that is small is looked at more closely. Refused where the
/// first shows no single body. The same bits for any number of threads.
Result<PictureParts> find_picture_parts(const PartsDenoiser& denoiser, std::span<const Bitmap> moments,
                                        const PicturePartsSettings& settings = {});

}  // namespace limber::parts
