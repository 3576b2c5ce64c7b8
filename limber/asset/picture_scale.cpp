// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/asset/picture_codecs.h"

namespace limber::asset {
namespace {

/// Which pixels of a line make one pixel of the scaled line, and how much each counts.
struct Taps {
  int first = 0;
  std::vector<float> weights;  ///< sum to one
};

/// A triangle as wide as two pixels of the coarser line, around the middle of each new pixel.
std::vector<Taps> triangle_taps(int from, int to, double scale) {
  const double start = (from - to / scale) / 2, radius = std::max(1.0, 1 / scale);
  std::vector<Taps> line(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    const double centre = start + (i + 0.5) / scale;
    const int first = std::max(0, static_cast<int>(std::ceil(centre - radius - 0.5)));
    const int last = std::min(from - 1, static_cast<int>(std::floor(centre + radius - 0.5)));
    Taps& taps = line[static_cast<std::size_t>(i)];
    taps.first = std::min(first, from - 1);
    double sum = 0;
    for (int k = first; k <= last; ++k) {
      const double weight = std::max(0.0, 1 - std::abs(k + 0.5 - centre) / radius);
      taps.weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& weight : taps.weights) weight = static_cast<float>(weight / sum);
  }
  return line;
}

}  // namespace

Bitmap scaled_to_fill(const Bitmap& picture, int width, int height) {
  expect_picture(picture);
  LIMBER_EXPECT(width > 0 && height > 0, std::to_string(width) + " x " + std::to_string(height));
  const double scale =
      std::max(static_cast<double>(width) / picture.width, static_cast<double>(height) / picture.height);
  const std::vector<Taps> columns = triangle_taps(picture.width, width, scale);
  const std::vector<Taps> rows = triangle_taps(picture.height, height, scale);
  const auto channels = static_cast<std::size_t>(picture.channels);

  // Rows first, so that only one line of floats is needed.
  Bitmap result(width, height, picture.channels);
  std::vector<float> line(static_cast<std::size_t>(picture.width) * channels);
  for (int y = 0; y < height; ++y) {
    const Taps& down = rows[static_cast<std::size_t>(y)];
    std::fill(line.begin(), line.end(), 0.0f);
    for (std::size_t k = 0; k < down.weights.size(); ++k) {
      const std::uint8_t* source = picture.at(0, down.first + static_cast<int>(k));
      for (std::size_t i = 0; i < line.size(); ++i) line[i] += down.weights[k] * static_cast<float>(source[i]);
    }
    std::uint8_t* target = result.at(0, y);
    for (const Taps& across : columns) {
      for (std::size_t c = 0; c < channels; ++c) {
        float sum = 0.5f;
        const float* source = line.data() + static_cast<std::size_t>(across.first) * channels + c;
        for (std::size_t k = 0; k < across.weights.size(); ++k) sum += across.weights[k] * source[k * channels];
        *target++ = static_cast<std::uint8_t>(std::min(sum, 255.0f));
      }
    }
  }
  return result;
}

}  // namespace limber::asset
