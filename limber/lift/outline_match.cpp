// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/outline_match.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::lift {
namespace {

float sample(std::span<const float> mask, int width, int height, float x, float y) {
  const float u = x - 0.5f, v = y - 0.5f;
  const float fx = std::floor(u), fy = std::floor(v), a = u - fx, b = v - fy;
  const auto at = [&](int i, int j) {
    if (i < 0 || j < 0 || i >= width || j >= height) return 0.0f;
    return mask[static_cast<std::size_t>(j) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)];
  };
  const auto i = static_cast<int>(fx), j = static_cast<int>(fy);
  return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
}

/// Away from the body: against the slope of its coverage over 5 x 5 pixels; zero where there is none.
Vec2 outward(const SurfaceView& view, int x, int y) {
  Vec2 sum;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      if (!view.contains(x + dx, y + dy)) continue;
      const float covered = view.coverage[view.index(x + dx, y + dy)];
      sum.x -= covered * static_cast<float>(dx), sum.y -= covered * static_cast<float>(dy);
    }
  }
  const float length = std::hypot(sum.x, sum.y);
  if (length < 0.5f) return {};
  return {sum.x / length, sum.y / length};
}

/// How far outwards the mask ends, nearest to zero; false where it does not within reach.
bool edge_distance(std::span<const float> mask, int width, int height, Vec2 at, Vec2 out, float reach, float& result) {
  const auto value = [&](float d) { return sample(mask, width, height, at.x + d * out.x, at.y + d * out.y); };
  const bool inside = value(0) > 0.5f;
  const float step = inside ? 0.5f : -0.5f;
  float before = value(0);
  for (float d = step; std::abs(d) <= reach; d += step) {
    const float here = value(d);
    if ((here > 0.5f) != inside) {
      result = d - step * (here - 0.5f) / (here - before);
      return true;
    }
    before = here;
  }
  return false;
}

}  // namespace

std::vector<OutlinePoint> match_outline(const SurfaceView& view, std::span<const float> mask,
                                        const OutlineSettings& settings) {
  LIMBER_EXPECT(mask.size() == view.coverage.size(), std::to_string(mask.size()) + " pixels");
  std::vector<std::size_t> edge;
  const auto covered = [&](int x, int y) { return view.contains(x, y) && view.coverage[view.index(x, y)] > 0.5f; };
  for (int y = 1; y + 1 < view.height; ++y) {
    for (int x = 1; x + 1 < view.width; ++x) {
      if (!covered(x, y) || view.triangle[view.index(x, y)] < 0) continue;
      if (covered(x - 1, y) && covered(x + 1, y) && covered(x, y - 1) && covered(x, y + 1)) continue;
      edge.push_back(view.index(x, y));
    }
  }
  std::vector<OutlinePoint> points;
  const double stride = std::max(1.0, static_cast<double>(edge.size()) / settings.max_points);
  for (double k = 0; k < static_cast<double>(edge.size()); k += stride) {
    const std::size_t pixel = edge[static_cast<std::size_t>(k)];
    const int x = static_cast<int>(pixel) % view.width, y = static_cast<int>(pixel) / view.width;
    const Vec2 out = outward(view, x, y);
    if (out.x == 0 && out.y == 0) continue;
    // The outline runs where the pixel's coverage ends.
    const float rim = view.coverage[pixel] - 0.5f;
    const Vec2 at{static_cast<float>(x) + 0.5f + rim * out.x, static_cast<float>(y) + 0.5f + rim * out.y};
    float d = 0;
    if (!edge_distance(mask, view.width, view.height, at, out, settings.reach, d)) continue;
    OutlinePoint point;
    point.triangle = static_cast<std::uint32_t>(view.triangle[pixel]);
    point.barycentric = view.barycentric[pixel];
    // The error is measured from the surface point in the pixel, so the rim's own offset is taken off again.
    point.pixel = {at.x + (d - rim) * out.x, at.y + (d - rim) * out.y};
    point.direction = out;
    points.push_back(point);
  }
  return points;
}

std::vector<MissingPoint> match_missing(const SurfaceView& view, std::span<const float> mask,
                                        std::span<const BodyPoint> body, const OutlineSettings& settings) {
  LIMBER_EXPECT(mask.size() == view.coverage.size(), std::to_string(mask.size()) + " pixels");
  // Pixels of the mask with none of the body within two pixels: what is nearer is the outlines' business.
  std::vector<Vec2> missing;
  for (int y = 2; y + 2 < view.height; ++y) {
    for (int x = 2; x + 2 < view.width; ++x) {
      if (mask[view.index(x, y)] < 0.5f) continue;
      bool covered = false;
      for (int dy = -2; dy <= 2 && !covered; ++dy) {
        for (int dx = -2; dx <= 2 && !covered; ++dx) covered = view.coverage[view.index(x + dx, y + dy)] > 0.5f;
      }
      if (!covered) missing.push_back({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f});
    }
  }
  constexpr std::size_t kFewest = 8;  // fewer are noise
  if (missing.size() < kFewest) return {};
  const float reach = 3 * settings.reach;
  std::vector<float> costs(body.size(), reach);
  std::vector<int> chosen(body.size(), -1);
  const double stride = std::max(1.0, static_cast<double>(missing.size()) / settings.max_points);
  for (double k = 0; k < static_cast<double>(missing.size()); k += stride) {
    const auto pixel = static_cast<std::size_t>(k);
    float least = reach;
    int best = -1;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const float distance = std::hypot(body[i].pixel.x - missing[pixel].x, body[i].pixel.y - missing[pixel].y);
      const float cost = (body[i].seen ? 2.0f : 1.0f) * distance;
      if (cost < least) least = cost, best = static_cast<int>(i);
    }
    if (best < 0 || least >= costs[static_cast<std::size_t>(best)]) continue;
    costs[static_cast<std::size_t>(best)] = least, chosen[static_cast<std::size_t>(best)] = static_cast<int>(pixel);
  }
  std::vector<MissingPoint> result;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (chosen[i] >= 0) result.push_back({static_cast<int>(i), missing[static_cast<std::size_t>(chosen[i])]});
  }
  return result;
}

}  // namespace limber::lift
