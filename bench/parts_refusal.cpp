// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "bench/parts.h"
#include "limber/base/rng.h"
#include "limber/parts/picture_parts.h"

namespace limber::bench {
namespace {

constexpr int kPictures = 50, kSize = 96;

using Color = std::array<double, 3>;

Color draw_color(Rng& rng) { return {rng.uniform(), rng.uniform(), rng.uniform()}; }

template <class Paint>
Bitmap painted(const Paint& paint) {
  Bitmap picture(kSize, kSize, 3);
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const Color color = paint((x + 0.5) / kSize, (y + 0.5) / kSize);
      for (int k = 0; k < 3; ++k)
        picture.at(x, y)[k] = static_cast<std::uint8_t>(255 * std::clamp(color[static_cast<std::size_t>(k)], 0.0, 1.0));
    }
  }
  return picture;
}

Color mixed(const Color& a, const Color& b, double share) {
  return {a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])};
}

Bitmap draw_noise(Rng& rng) {
  const double grain = rng.uniform(0.2, 1);
  const Color base = draw_color(rng);
  return painted([&](double, double) { return mixed(base, draw_color(rng), grain); });
}

/// Lines of words: dark blocks with gaps on a bright page, or the other way round.
Bitmap draw_text(Rng& rng) {
  const bool dark = rng.chance(0.3);
  const Color page = dark ? Color{0.1, 0.1, 0.12} : Color{0.96, 0.95, 0.92},
              ink = dark ? Color{0.9, 0.9, 0.9} : Color{};
  const int lines = 6 + static_cast<int>(rng.below(8));
  std::map<std::pair<int, int>, bool> strokes;
  for (int line = 0; line < lines; ++line) {
    const int end = 20 + static_cast<int>(rng.below(14));
    for (int k = 2; k < end; ++k) strokes[{line, k}] = rng.chance(0.75);
  }
  return painted([&](double x, double y) {
    const double row = y * lines;
    const bool written = row - std::floor(row) < 0.55 && strokes[{static_cast<int>(row), static_cast<int>(36 * x)}] &&
                         std::fmod(72 * x, 2.0) < 1.4;
    return written ? ink : page;
  });
}

Bitmap draw_gradient(Rng& rng) {
  const Color a = draw_color(rng), b = draw_color(rng);
  const double turn = rng.uniform(0, 2 * kPi), c = std::cos(turn), s = std::sin(turn);
  return painted([&](double x, double y) { return mixed(a, b, 0.5 + 0.7 * (c * (x - 0.5) + s * (y - 0.5))); });
}

/// Sky, hills in two rows, and ground.
Bitmap draw_landscape(Rng& rng) {
  const Color sky{0.5, 0.7, rng.uniform(0.8, 1)}, far{0.4, 0.5, rng.uniform(0.4, 0.7)},
      ground{rng.uniform(0.2, 0.6), rng.uniform(0.4, 0.6), 0.2};
  const double p = rng.uniform(0, 6), q = rng.uniform(0, 6), level = rng.uniform(0.4, 0.65);
  return painted([&](double x, double y) {
    const double hills = level - 0.08 * std::sin(5 * x + p) - 0.04 * std::sin(13 * x + q);
    const Color here = y < hills ? mixed(Color{0.9, 0.95, 1}, sky, 1 - y) : (y < hills + 0.12 ? far : ground);
    return mixed(here, draw_color(rng), 0.04);
  });
}

Bitmap draw_empty(int number, Rng& rng) {
  switch (number % 4) {
    case 0:
      return draw_noise(rng);
    case 1:
      return draw_text(rng);
    case 2:
      return draw_gradient(rng);
    default:
      return draw_landscape(rng);
  }
}

/// A body of the zoo as one picture, black around it.
Result<Bitmap> draw_body(std::uint64_t number, Rng& rng) {
  LIMBER_TRY(const training::KnownParts body, training::creature_with_parts(number));
  parts::PicturedBody pictured{{body.points}, body.triangles, body.colors, {}};
  parts::PictureSettings views;
  views.views = 1, views.size = kSize, views.azimuth = static_cast<float>(rng.uniform(0, 2 * kPi));
  const parts::SurfacePictures drawn = parts::draw_pictures(pictured, views);
  Bitmap picture(kSize, kSize, 3);
  std::copy(drawn.colors.begin(), drawn.colors.end(), picture.pixels.begin());
  return picture;
}

/// Two pictures side by side in one as wide.
Bitmap beside(const Bitmap& left, const Bitmap& right) {
  Bitmap both(2 * kSize, kSize, 3);
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      std::copy_n(left.at(x, y), 3, both.at(x, y));
      std::copy_n(right.at(x, y), 3, both.at(kSize + x, y));
    }
  }
  return both;
}

}  // namespace

Status add_refusal_rows(const parts::PartsDenoiser& denoiser, const PartsSettings& settings, Report& report) {
  Rng rng(settings.seed, 37);
  const auto refused = [&](const Bitmap& picture) {
    parts::PicturePartsSettings how;
    how.steps = settings.network.steps, how.seed = settings.network.seed;
    const Bitmap square = parts::square_picture(picture, denoiser.model().size);
    return !parts::find_picture_parts(denoiser, std::vector<Bitmap>{square}, how).ok();
  };
  static constexpr const char* kKinds[4] = {"noise", "text", "gradients", "landscapes"};
  std::array<int, 4> empty{};
  int all = 0;
  for (int i = 0; i < kPictures; ++i) {
    const int no = refused(draw_empty(i, rng)) ? 1 : 0;
    empty[static_cast<std::size_t>(i % 4)] += no, all += no;
  }
  std::string note;
  for (std::size_t k = 0; k < 4; ++k) note += fmt::format("{}{} {}", k > 0 ? ", " : "", kKinds[k], empty[k]);
  report.rows.push_back({"refusal/pictures without a subject refused", 100.0 * all / kPictures, "%", ">= 90",
                         fmt::format("{} of {}: {}", all, kPictures, note)});

  int one = 0, two = 0, bodies = 0;
  for (int i = 0; i < settings.creatures; ++i) {
    const std::uint64_t number = 1000 * settings.seed + static_cast<std::uint64_t>(i);
    const Result<Bitmap> a = draw_body(number, rng), b = draw_body(number + 500, rng);
    if (!a.ok() || !b.ok()) continue;
    ++bodies, one += refused(*a) ? 1 : 0, two += refused(beside(*a, *b)) ? 1 : 0;
  }
  if (bodies == 0) return Done{};
  report.rows.push_back({"refusal/pictures of one body refused", 100.0 * one / bodies, "%", "<= 5",
                         fmt::format("{} of {}", one, bodies)});
  report.rows.push_back({"refusal/pictures of two bodies refused", 100.0 * two / bodies, "%", ">= 90",
                         fmt::format("{} of {}", two, bodies)});
  return Done{};
}

}  // namespace limber::bench
