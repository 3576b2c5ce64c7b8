// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/parts_scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "limber/parts/moving_parts.h"

namespace limber::bench {
namespace {

using Color = std::array<double, 3>;

Color draw_color(Rng& rng) { return {rng.uniform(), rng.uniform(), rng.uniform()}; }

template <class Paint>
Bitmap painted(int size, const Paint& paint) {
  Bitmap picture(size, size, 3);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const Color color = paint((x + 0.5) / size, (y + 0.5) / size);
      for (int k = 0; k < 3; ++k)
        picture.at(x, y)[k] = static_cast<std::uint8_t>(255 * std::clamp(color[static_cast<std::size_t>(k)], 0.0, 1.0));
    }
  }
  return picture;
}

Color mixed(const Color& a, const Color& b, double share) {
  return {a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])};
}

Bitmap draw_noise(int size, Rng& rng) {
  const double grain = rng.uniform(0.2, 1);
  const Color base = draw_color(rng);
  return painted(size, [&](double, double) { return mixed(base, draw_color(rng), grain); });
}

/// Lines of words: dark blocks with gaps on a bright page, or the other way round.
Bitmap draw_text(int size, Rng& rng) {
  const bool dark = rng.chance(0.3);
  const Color page = dark ? Color{0.1, 0.1, 0.12} : Color{0.96, 0.95, 0.92},
              ink = dark ? Color{0.9, 0.9, 0.9} : Color{};
  const int lines = 6 + static_cast<int>(rng.below(8));
  std::map<std::pair<int, int>, bool> strokes;
  for (int line = 0; line < lines; ++line) {
    const int end = 20 + static_cast<int>(rng.below(14));
    for (int k = 2; k < end; ++k) strokes[{line, k}] = rng.chance(0.75);
  }
  return painted(size, [&](double x, double y) {
    const double row = y * lines;
    const bool written = row - std::floor(row) < 0.55 && strokes[{static_cast<int>(row), static_cast<int>(36 * x)}] &&
                         std::fmod(72 * x, 2.0) < 1.4;
    return written ? ink : page;
  });
}

Bitmap draw_gradient(int size, Rng& rng) {
  const Color a = draw_color(rng), b = draw_color(rng);
  const double turn = rng.uniform(0, 2 * kPi), c = std::cos(turn), s = std::sin(turn);
  return painted(size, [&](double x, double y) { return mixed(a, b, 0.5 + 0.7 * (c * (x - 0.5) + s * (y - 0.5))); });
}

/// Sky, hills in two rows, and ground.
Bitmap draw_landscape(int size, Rng& rng) {
  const Color sky{0.5, 0.7, rng.uniform(0.8, 1)}, far{0.4, 0.5, rng.uniform(0.4, 0.7)},
      ground{rng.uniform(0.2, 0.6), rng.uniform(0.4, 0.6), 0.2};
  const double p = rng.uniform(0, 6), q = rng.uniform(0, 6), level = rng.uniform(0.4, 0.65);
  return painted(size, [&](double x, double y) {
    const double hills = level - 0.08 * std::sin(5 * x + p) - 0.04 * std::sin(13 * x + q);
    const Color here = y < hills ? mixed(Color{0.9, 0.95, 1}, sky, 1 - y) : (y < hills + 0.12 ? far : ground);
    return mixed(here, draw_color(rng), 0.04);
  });
}

}  // namespace

parts::SurfacePictures draw_sides(const training::KnownParts& body, const parts::PartsModel& model, Rng& rng) {
  parts::PicturedBody pictured{{}, body.triangles, body.colors, {}};
  std::vector<std::uint8_t> labels;
  for (const int label : body.labels) labels.push_back(static_cast<std::uint8_t>(label));
  pictured.labels = labels;
  for (int f = 0; f < model.frames; ++f)
    pictured.frames.push_back(body.moments.empty() ? body.points
                                                   : body.moments[static_cast<std::size_t>(f) % body.moments.size()]);
  parts::PictureSettings views;
  views.views = model.views, views.size = model.size;
  views.azimuth = static_cast<float>(rng.uniform(0, 2 * kPi));
  return parts::draw_pictures(pictured, views);
}

std::vector<Bitmap> first_view(const parts::SurfacePictures& pictures, int frames) {
  const auto each = static_cast<std::ptrdiff_t>(3 * pictures.size * pictures.size);
  std::vector<Bitmap> given;
  for (int f = 0; f < frames; ++f) {
    Bitmap bitmap(pictures.size, pictures.size, 3);
    std::copy_n(pictures.colors.begin() + f * each, each, bitmap.pixels.begin());
    given.push_back(std::move(bitmap));
  }
  return given;
}

Bitmap draw_empty(int kind, int size, Rng& rng) {
  switch (kind % kEmptyKinds) {
    case 0:
      return draw_noise(size, rng);
    case 1:
      return draw_text(size, rng);
    case 2:
      return draw_gradient(size, rng);
    default:
      return draw_landscape(size, rng);
  }
}

Bitmap draw_body(const training::KnownParts& body, int size, double share, const Bitmap* behind, Rng& rng) {
  const parts::PicturedBody pictured{{body.points}, body.triangles, body.colors, {}};
  parts::PictureSettings views;
  views.views = 1, views.size = std::max(1, static_cast<int>(share * size));
  views.azimuth = static_cast<float>(rng.uniform(0, 2 * kPi));
  const parts::SurfacePictures drawn = parts::draw_pictures(pictured, views);
  const auto room = static_cast<std::uint32_t>(size - views.size + 1);
  const int left = static_cast<int>(rng.below(room)), top = static_cast<int>(rng.below(room));
  Bitmap picture = behind != nullptr ? *behind : Bitmap(size, size, 3);
  for (int i = 0; i < views.size * views.size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (drawn.labels[at] > 0)
      std::copy_n(drawn.colors.data() + 3 * at, 3, picture.at(left + i % views.size, top + i / views.size));
  }
  return picture;
}

std::vector<Vec3> seen_colors(const parts::SurfacePictures& pictures) {
  std::vector<Vec3> colors;
  for (std::size_t i = 0; i < pictures.pixels(); ++i) {
    const std::uint8_t* c = pictures.colors.data() + 3 * i;
    colors.push_back(Vec3{float(c[0]), float(c[1]), float(c[2])} / 255.0f);
  }
  return colors;
}

std::vector<Vec3> true_palette(const training::KnownParts& body, const parts::CodeFrame& frame) {
  std::vector<std::uint8_t> labels;
  for (const int label : body.labels) labels.push_back(static_cast<std::uint8_t>(label));
  const parts::PicturedBody pictured{{body.points}, body.triangles, {}, labels};
  std::vector<Vec3> palette;
  for (const Vec3& code : parts::part_codes(pictured, frame, parts::kMostParts))
    palette.push_back(parts::part_color(code));
  return palette;
}

Bitmap draw_sheet(const parts::SurfacePictures& pictures, const std::vector<std::vector<Vec3>>& rows) {
  constexpr int kScale = 2;
  const int size = pictures.size * kScale;
  Bitmap sheet(pictures.views * size, static_cast<int>(rows.size()) * size, 3);
  for (int y = 0; y < sheet.height; ++y) {
    for (int x = 0; x < sheet.width; ++x) {
      const int picture = x / size * pictures.frames, column = x % size / kScale, line = y % size / kScale;
      const int pixel = (picture * pictures.size + line) * pictures.size + column;
      const auto bytes = parts::color_bytes(rows[static_cast<std::size_t>(y / size)][static_cast<std::size_t>(pixel)]);
      std::copy(bytes.begin(), bytes.end(), sheet.at(x, y));
    }
  }
  return sheet;
}

Bitmap beside(const Bitmap& left, const Bitmap& right) {
  Bitmap both(left.width + right.width, left.height, 3);
  for (int y = 0; y < left.height; ++y) {
    std::copy_n(left.at(0, y), 3 * left.width, both.at(0, y));
    std::copy_n(right.at(0, y), 3 * right.width, both.at(left.width, y));
  }
  return both;
}

}  // namespace limber::bench
