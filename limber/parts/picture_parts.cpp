// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_parts.h"

#include <algorithm>
#include <string>

#include "limber/asset/picture.h"
#include "limber/base/expect.h"
#include "limber/parts/parts_sample.h"

namespace limber::parts {
namespace {

/// Parts are brighter than this, the mean of their channels, and what is no body is black.
constexpr float kBody = 0.2f;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The share of a mask that hangs together, of all pixels of a picture.
struct Extent {
  double body = 0, largest = 0;
};

Extent extent_of(std::span<const int> labels, int size) {
  std::vector<bool> seen(labels.size(), false);
  std::vector<int> open;
  int body = 0, largest = 0;
  for (int i = 0; i < size * size; ++i) {
    if (labels[at(i)] < 0) continue;
    ++body;
    if (seen[at(i)]) continue;
    int piece = 0;
    open.assign(1, i), seen[at(i)] = true;
    while (!open.empty()) {
      const int from = open.back(), x = from % size;
      open.pop_back();
      ++piece;
      for (const int next : {x > 0 ? from - 1 : -1, x + 1 < size ? from + 1 : -1, from - size, from + size}) {
        if (next < 0 || next >= size * size || seen[at(next)] || labels[at(next)] < 0) continue;
        seen[at(next)] = true, open.push_back(next);
      }
    }
    largest = std::max(largest, piece);
  }
  return {static_cast<double>(body) / (size * size), body > 0 ? static_cast<double>(largest) / body : 0};
}

KnownPictures known_moments(const PartsModel& model, std::span<const Bitmap> moments) {
  KnownPictures known(model);
  const bool video = moments.size() > 1;
  const std::size_t each = 3 * at(model.pixels());
  for (int f = 0; f < (video ? model.frames : 1); ++f) {
    const std::size_t chosen = video ? at(f) * (moments.size() - 1) / at(std::max(1, model.frames - 1)) : 0;
    const Bitmap square = square_picture(moments[chosen], model.size);
    std::transform(square.pixels.begin(), square.pixels.end(), known.colors.begin() + static_cast<std::ptrdiff_t>(at(f) * each),
                   [](std::uint8_t b) { return static_cast<float>(b) / 127.5f - 1; });
    known.has_colors[at(f)] = true;
  }
  return known;
}

Status refuse_no_body(const PictureParts& parts, const PicturePartsSettings& settings) {
  const Extent extent = extent_of(std::span(parts.labels).first(at(parts.size) * at(parts.size)), parts.size);
  if (extent.body < settings.least_body) return Error{"shows no body that could have parts", ""};
  if (extent.body > settings.most_body) return Error{"shows no body before a background", ""};
  if (extent.largest < settings.least_whole) return Error{"shows several things, or none that hangs together", ""};
  return Done{};
}

}  // namespace

Bitmap square_picture(const Bitmap& picture, int size) {
  const int side = std::max(picture.width, picture.height), channels = picture.channels;
  const int left = (side - picture.width) / 2, top = (side - picture.height) / 2;
  Bitmap square(side, side, 3);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const std::uint8_t* from = picture.at(x, y);
      const int alpha = channels == 2 || channels == 4 ? from[channels - 1] : 255;
      for (int k = 0; k < 3; ++k)
        square.at(left + x, top + y)[k] = static_cast<std::uint8_t>(from[channels >= 3 ? k : 0] * alpha / 255);
    }
  }
  return asset::scaled_to_fill(square, size, size);
}

Result<PictureParts> find_picture_parts(const PartsDenoiser& denoiser, std::span<const Bitmap> moments,
                                        const PicturePartsSettings& settings) {
  LIMBER_EXPECT(!moments.empty(), "no picture");
  const PartsModel& model = denoiser.model();
  PartsSampleSettings sampling;
  sampling.steps = settings.steps, sampling.seed = settings.seed, sampling.progress = settings.progress;
  PictureParts parts;
  parts.views = model.views, parts.frames = model.frames, parts.size = model.size;
  LIMBER_TRY(parts.drawn, sample_parts(denoiser, known_moments(model, moments), sampling));

  const std::size_t pixels = parts.drawn.parts.size() / 3;
  std::vector<Vec3> colors;
  parts.labels.assign(pixels, -1);
  for (std::size_t i = 0; i < pixels; ++i) {
    const float* number = parts.drawn.parts.data() + 3 * i;
    const Vec3 color = 0.5f * (Vec3{number[0], number[1], number[2]} + Vec3{1, 1, 1});
    if ((color.x + color.y + color.z) / 3 < kBody) continue;
    parts.labels[i] = 0;
    colors.push_back(color);
  }
  LIMBER_CHECK_OK(refuse_no_body(parts, settings));
  const ColorClusters clusters = cluster_colors(colors, settings.clusters);
  parts.clusters = clusters.centers;
  std::size_t next = 0;
  for (int& label : parts.labels) {
    if (label == 0) label = clusters.labels[next++];
  }
  return parts;
}

}  // namespace limber::parts
