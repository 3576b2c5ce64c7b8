// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_parts.h"

#include <algorithm>
#include <cstdlib>
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

/// What is known of a group: its frames from the first side, or one picture alone.
KnownPictures known_moments(const PartsModel& model, std::span<const Bitmap> moments, std::size_t first) {
  KnownPictures known(model);
  const std::size_t each = 3 * at(model.pixels()), count = moments.size() > 1 ? at(model.frames) : 1;
  for (std::size_t f = 0; f < count; ++f) {
    const Bitmap square = square_picture(moments[std::min(first + f, moments.size() - 1)], model.size);
    std::transform(square.pixels.begin(), square.pixels.end(),
                   known.colors.begin() + static_cast<std::ptrdiff_t>(f * each),
                   [](std::uint8_t b) { return static_cast<float>(b) / 127.5f - 1; });
    known.has_colors[f] = true;
  }
  return known;
}

/// The largest step of a channel between neighbours, within two pixels of each pixel.
std::vector<float> edges_near(const Bitmap& picture) {
  const int size = picture.width;
  const auto widest = [size](const std::vector<float>& from) {
    constexpr int kReach = 2;
    std::vector<float> across(from.size()), both(from.size());
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const auto row = from.begin() + y * size;
        across[at(y * size + x)] =
            *std::max_element(row + std::max(0, x - kReach), row + std::min(size, x + kReach + 1));
      }
    }
    for (int i = 0; i < size * size; ++i) {
      for (int y = std::max(0, i / size - kReach); y <= std::min(size - 1, i / size + kReach); ++y) {
        both[at(i)] = std::max(both[at(i)], across[at(y * size + i % size)]);
      }
    }
    return both;
  };
  std::vector<float> steps(at(size) * at(size));
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      for (int k = 0; k < 3; ++k) {
        const int here = picture.at(x, y)[k];
        const int right = std::abs(here - picture.at(std::min(x + 1, size - 1), y)[k]);
        const int below = std::abs(here - picture.at(x, std::min(y + 1, size - 1))[k]);
        steps[at(y * size + x)] = std::max(steps[at(y * size + x)], static_cast<float>(std::max(right, below)) / 255);
      }
    }
  }
  return widest(steps);
}

/// How much sharper the picture's edges are along the outline of what was found than all over it: about 1 where a body
/// was made up.
double outline_sharpness(const Bitmap& picture, std::span<const int> labels) {
  constexpr double kFaint = 0.02;  // steps that no eye sees
  const int size = picture.width;
  const std::vector<float> edges = edges_near(picture);
  double outline = 0, all = 0;
  int count = 0;
  for (int i = 0; i < size * size; ++i) {
    all += double{edges[at(i)]};
    const bool right = i % size + 1 < size && (labels[at(i)] < 0) != (labels[at(i + 1)] < 0);
    const bool below = i + size < size * size && (labels[at(i)] < 0) != (labels[at(i + size)] < 0);
    if (right || below) outline += double{edges[at(i)]}, ++count;
  }
  return count == 0 ? 0 : (outline / count) / (all / (size * size) + kFaint);
}

Status refuse_no_body(const PictureParts& parts, const Bitmap& picture, const PicturePartsSettings& settings) {
  const Extent extent = extent_of(parts.given(0), parts.size);
  if (extent.body < settings.least_body) return Error{"shows no body that could have parts", ""};
  if (extent.body > settings.most_body) return Error{"shows no body before a background", ""};
  if (extent.largest < settings.least_whole) return Error{"shows several things, or none that hangs together", ""};
  if (outline_sharpness(picture, parts.given(0)) < settings.least_outline) {
    return Error{"shows nothing that stands out from its background", ""};
  }
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

std::span<const int> PictureParts::given(int moment) const {
  LIMBER_EXPECT(moment >= 0 && moment < groups * frames, std::to_string(moment));
  const std::size_t each = at(size) * at(size);
  const std::size_t picture = at(moment / frames) * at(views * frames) + at(moment % frames);
  return std::span(labels).subspan(picture * each, each);
}

Result<PictureParts> find_picture_parts(const PartsDenoiser& denoiser, std::span<const Bitmap> moments,
                                        const PicturePartsSettings& settings) {
  LIMBER_EXPECT(!moments.empty(), "no picture");
  const PartsModel& model = denoiser.model();
  PictureParts parts;
  parts.views = model.views, parts.frames = model.frames, parts.size = model.size;
  const std::size_t frames = at(model.frames), groups = (moments.size() + frames - 1) / frames;
  std::vector<Vec3> colors;
  for (std::size_t g = 0; g < groups; ++g) {
    PartsSampleSettings sampling;
    sampling.steps = settings.steps, sampling.seed = settings.seed;  // one for all, so that groups are alike
    sampling.progress = [&](std::string_view stage, double done) {
      return !settings.progress ||
             settings.progress(stage, (static_cast<double>(g) + done) / static_cast<double>(groups));
    };
    LIMBER_TRY(DrawnPictures drawn, sample_parts(denoiser, known_moments(model, moments, g * frames), sampling));
    for (std::size_t i = 0; i < drawn.parts.size(); i += 3) {
      const Vec3 color = 0.5f * (Vec3{drawn.parts[i], drawn.parts[i + 1], drawn.parts[i + 2]} + Vec3{1, 1, 1});
      const bool body = (color.x + color.y + color.z) / 3 > kBody;
      parts.labels.push_back(body ? 0 : -1);
      if (body) colors.push_back(color);
    }
    parts.drawn.push_back(std::move(drawn)), ++parts.groups;
    if (g == 0) LIMBER_CHECK_OK(refuse_no_body(parts, square_picture(moments[0], model.size), settings));
  }
  const ColorClusters clusters = cluster_colors(colors, settings.clusters);
  parts.clusters = clusters.centers;
  std::size_t next = 0;
  for (int& label : parts.labels) {
    if (label == 0) label = clusters.labels[next++];
  }
  return parts;
}

}  // namespace limber::parts
