// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/patch_match.h"

#include <algorithm>
#include <cmath>

namespace limber::lift {
namespace {

/// The patch to look for: brightness less its mean, and its slopes.
struct Template {
  std::vector<float> values, slope_x, slope_y;
  float deviation = 0;
  double xx = 0, xy = 0, yy = 0;
};

void read_patch(const GrayImage& image, Vec2 at, int radius, const PatchWarp& warp, std::vector<float>& values) {
  values.clear();
  for (int y = -radius; y <= radius; ++y) {
    for (int x = -radius; x <= radius; ++x) {
      const auto dx = static_cast<float>(x), dy = static_cast<float>(y);
      values.push_back(image.sample(at.x + warp.xx * dx + warp.xy * dy, at.y + warp.yx * dx + warp.yy * dy));
    }
  }
}

/// Takes the mean off and returns the standard deviation.
float centre(std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float v : values) sum += static_cast<double>(v);
  const auto mean = static_cast<float>(sum / static_cast<double>(values.size()));
  for (float& v : values) v -= mean, squares += static_cast<double>(v) * static_cast<double>(v);
  return static_cast<float>(std::sqrt(squares / static_cast<double>(values.size())));
}

Template make_template(const GrayImage& image, Vec2 at, int radius, const PatchWarp& warp) {
  Template t;
  std::vector<float> wide;
  read_patch(image, at, radius + 1, warp, wide);
  const int side = 2 * radius + 1, row = side + 2;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const auto middle = static_cast<std::size_t>((y + 1) * row + x + 1);
      t.values.push_back(wide[middle]);
      t.slope_x.push_back(0.5f * (wide[middle + 1] - wide[middle - 1]));
      t.slope_y.push_back(
          0.5f * (wide[middle + static_cast<std::size_t>(row)] - wide[middle - static_cast<std::size_t>(row)]));
    }
  }
  t.deviation = centre(t.values);
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    const auto gx = static_cast<double>(t.slope_x[i]), gy = static_cast<double>(t.slope_y[i]);
    t.xx += gx * gx, t.xy += gx * gy, t.yy += gy * gy;
  }
  return t;
}

float smaller_eigenvalue(double xx, double xy, double yy) {
  const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy);
  return static_cast<float>(mean - std::sqrt(half * half + xy * xy));
}

float correlation(const std::vector<float>& a, float deviation_a, const std::vector<float>& b, float deviation_b) {
  if (!(deviation_a > 1e-5f) || !(deviation_b > 1e-5f)) return -1;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return static_cast<float>(sum / static_cast<double>(a.size())) / (deviation_a * deviation_b);
}

bool inside(const GrayImage& image, Vec2 at) {
  return at.x >= 0 && at.y >= 0 && at.x <= static_cast<float>(image.width) && at.y <= static_cast<float>(image.height);
}

}  // namespace

float GrayImage::sample(float x, float y) const {
  const float u = x - 0.5f, v = y - 0.5f;
  const float fx = std::floor(u), fy = std::floor(v);
  const auto i = static_cast<int>(fx), j = static_cast<int>(fy);
  const float a = u - fx, b = v - fy;
  if (i >= 0 && j >= 0 && i + 1 < width && j + 1 < height) {
    const float* p = values.data() + static_cast<std::ptrdiff_t>(j) * width + i;
    return (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[width] + a * p[width + 1]);
  }
  return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
}

Pyramid make_pyramid(GrayImage image, int levels) {
  Pyramid pyramid;
  pyramid.push_back(std::move(image));
  while (static_cast<int>(pyramid.size()) < levels) {
    const GrayImage& fine = pyramid.back();
    GrayImage half;
    half.width = fine.width / 2, half.height = fine.height / 2;
    if (half.width < 8 || half.height < 8) break;
    // Taps 1 3 3 1 lie evenly around the place where two pixels meet, so that coordinates just halve.
    std::vector<float> rows(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(fine.height));
    for (int y = 0; y < fine.height; ++y) {
      for (int x = 0; x < half.width; ++x) {
        rows[static_cast<std::size_t>(y) * static_cast<std::size_t>(half.width) + static_cast<std::size_t>(x)] =
            (fine.at(2 * x - 1, y) + 3 * fine.at(2 * x, y) + 3 * fine.at(2 * x + 1, y) + fine.at(2 * x + 2, y)) / 8;
      }
    }
    const auto row = [&](int x, int y) {
      y = std::clamp(y, 0, fine.height - 1);
      return rows[static_cast<std::size_t>(y) * static_cast<std::size_t>(half.width) + static_cast<std::size_t>(x)];
    };
    half.values.reserve(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height));
    for (int y = 0; y < half.height; ++y) {
      for (int x = 0; x < half.width; ++x) {
        half.values.push_back((row(x, 2 * y - 1) + 3 * row(x, 2 * y) + 3 * row(x, 2 * y + 1) + row(x, 2 * y + 2)) / 8);
      }
    }
    pyramid.push_back(std::move(half));
  }
  return pyramid;
}

GrayImage brightness(const Frames& frames, int view, int frame) {
  GrayImage image;
  image.width = frames.width, image.height = frames.height;
  const std::size_t plane = static_cast<std::size_t>(frames.width) * static_cast<std::size_t>(frames.height);
  const float* at =
      frames.values.data() +
      3 * plane *
          (static_cast<std::size_t>(view) * static_cast<std::size_t>(frames.frames) + static_cast<std::size_t>(frame));
  image.values.resize(plane);
  for (std::size_t i = 0; i < plane; ++i) {
    image.values[i] = 0.30f * at[i] + 0.59f * at[i + plane] + 0.11f * at[i + 2 * plane];
  }
  return image;
}

PatchMatch match_patch(const Pyramid& from, Vec2 at, const Pyramid& to, Vec2 start, const PatchSettings& settings,
                       const PatchWarp& warp) {
  const int levels = static_cast<int>(std::min({from.size(), to.size(), static_cast<std::size_t>(settings.levels)}));
  PatchMatch match;
  match.pixel = start;
  std::vector<float> patch;
  const auto pixels = static_cast<float>((2 * settings.radius + 1) * (2 * settings.radius + 1));
  for (int level = levels - 1; level >= 0; --level) {
    const float scale = std::ldexp(1.0f, -level);
    const GrayImage& image = to[static_cast<std::size_t>(level)];
    const Template t =
        make_template(from[static_cast<std::size_t>(level)], {at.x * scale, at.y * scale}, settings.radius, warp);
    const bool firm = smaller_eigenvalue(t.xx, t.xy, t.yy) > settings.min_eigenvalue * pixels;
    if (!firm) {
      if (level == 0) return match;
      continue;  // coarse levels may be flat
    }
    const double determinant = t.xx * t.yy - t.xy * t.xy;
    Vec2 place{match.pixel.x * scale, match.pixel.y * scale};
    for (int i = 0; i < settings.iterations; ++i) {
      read_patch(image, place, settings.radius, {}, patch);
      const float deviation = centre(patch);
      const float gain = deviation > 1e-5f ? t.deviation / deviation : 1.0f;
      double bx = 0, by = 0;
      for (std::size_t k = 0; k < patch.size(); ++k) {
        const auto error = static_cast<double>(gain * patch[k] - t.values[k]);
        bx += error * static_cast<double>(t.slope_x[k]), by += error * static_cast<double>(t.slope_y[k]);
      }
      const auto dx = static_cast<float>((t.yy * bx - t.xy * by) / determinant);
      const auto dy = static_cast<float>((t.xx * by - t.xy * bx) / determinant);
      // A step beyond the window is not to be believed.
      const float limit = static_cast<float>(settings.radius) / std::max(std::hypot(dx, dy), 1e-6f);
      const float keep = std::min(1.0f, limit);
      place = {place.x - keep * dx, place.y - keep * dy};
      if (!inside(image, place)) return match;
      if (std::hypot(dx, dy) < 0.01f) break;
    }
    match.pixel = {place.x / scale, place.y / scale};
    if (level == 0) {
      read_patch(image, place, settings.radius, {}, patch);
      const float deviation = centre(patch);
      match.ncc = correlation(t.values, t.deviation, patch, deviation);
      match.found = std::isfinite(match.pixel.x) && std::isfinite(match.pixel.y);
    }
  }
  return match;
}

float patch_texture(const GrayImage& image, Vec2 at, int radius) {
  const Template t = make_template(image, at, radius, {});
  return smaller_eigenvalue(t.xx, t.xy, t.yy) / static_cast<float>((2 * radius + 1) * (2 * radius + 1));
}

}  // namespace limber::lift
