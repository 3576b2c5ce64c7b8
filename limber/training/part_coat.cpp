// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/part_coat.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace limber::training {
namespace {

constexpr double kGamma = 2.2;
constexpr double kPatterned = 0.5, kClothed = 0.25;
constexpr double kWaves = 7;  // along the body, radians

Vec3 draw_color(Rng& rng, double low, double high) {
  const double r = rng.uniform(low, high), g = rng.uniform(low, high), b = rng.uniform(low, high);
  return Vec3d{r, g, b}.cast<float>();
}

float spread_of(std::span<const Vec3> points) {
  Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  for (const Vec3& p : points) low = min(low, p), high = max(high, p);
  return points.empty() ? 1 : std::max(norm(high - low), 1e-6f);
}

}  // namespace

std::vector<Vec3> display_colors(std::span<const Vec4> linear) {
  std::vector<Vec3> colors;
  colors.reserve(linear.size());
  for (const Vec4& c : linear) {
    const auto shown = [](float v) { return std::pow(std::clamp(v, 0.0f, 1.0f), static_cast<float>(1 / kGamma)); };
    colors.push_back({shown(c.x), shown(c.y), shown(c.z)});
  }
  return colors;
}

std::vector<Vec3> draw_coat(std::span<const Vec3> points, std::span<const std::uint8_t> parts, Rng& rng) {
  const Vec3 base = draw_color(rng, 0.2, 0.95), accent = draw_color(rng, 0.05, 1);
  const bool patterned = rng.chance(kPatterned), clothed = rng.chance(kClothed);
  const double scale = kWaves / static_cast<double>(spread_of(points));
  const double kx = scale * rng.normal(), ky = scale * rng.normal(), kz = scale * rng.normal(),
               phase = rng.uniform(0, 6.28);
  std::array<Vec3, 256> clothes;
  for (Vec3& c : clothes) c = clothed && rng.chance(0.5) ? draw_color(rng, 0.1, 1) : base;
  std::vector<Vec3> colors;
  colors.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    const double wave = std::sin(kx * double(p.x) + ky * double(p.y) + kz * double(p.z) + phase);
    const double share = patterned ? 0.85 / (1 + std::exp(-6 * wave)) : 0;
    const auto grain = static_cast<float>(0.03 * rng.normal());
    colors.push_back(lerp(clothes[parts[i]], accent, static_cast<float>(share)) + Vec3{grain, grain, grain});
  }
  return colors;
}

void tint(std::vector<Vec3>& colors, Rng& rng) {
  const Vec3 factor = scaled(draw_color(rng, 0.75, 1.2), static_cast<float>(rng.uniform(0.7, 1.25)) * Vec3{1, 1, 1});
  for (Vec3& c : colors) c = scaled(c, factor);
}

}  // namespace limber::training
