// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "limber/base/expect.h"
#include "limber/base/rng.h"

namespace limber::anatomy {
namespace {

/// Indices of `count` points, each as far from those before it as can be; the first is the farthest from the mean.
std::vector<std::uint16_t> farthest_points(std::span<const Vec3> points, int count) {
  Vec3 mean;
  for (const Vec3& p : points) mean += (1 / static_cast<float>(points.size())) * p;
  std::vector<float> distance(points.size(), std::numeric_limits<float>::max());
  auto farthest_from = [&](Vec3 from) {
    for (std::size_t i = 0; i < points.size(); ++i) distance[i] = std::min(distance[i], squared_norm(points[i] - from));
    return static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  };
  std::size_t next = farthest_from(mean);
  std::fill(distance.begin(), distance.end(), std::numeric_limits<float>::max());
  std::vector<std::uint16_t> chosen;
  while (static_cast<int>(chosen.size()) < count) {
    chosen.push_back(static_cast<std::uint16_t>(next));
    next = farthest_from(points[next]);
  }
  return chosen;
}

/// The `count` points nearest to each token, by distance. What is farther than those of the tokens before ever were is
/// not sorted, unless too few are left.
std::vector<std::uint16_t> nearest_points(std::span<const Vec3> points, std::span<const std::uint16_t> tokens,
                                          int count) {
  constexpr float kMore = 1.5f;
  std::vector<std::uint16_t> all;
  std::vector<float> squared(points.size());
  std::vector<std::pair<float, std::uint16_t>> near;
  float reach = std::numeric_limits<float>::max();
  for (const std::uint16_t token : tokens) {
    const Vec3 centre = points[token];
    for (std::size_t i = 0; i < points.size(); ++i) squared[i] = squared_norm(points[i] - centre);
    const auto gather = [&] {
      near.clear();
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (squared[i] <= reach) near.emplace_back(squared[i], static_cast<std::uint16_t>(i));
      }
    };
    gather();
    if (near.size() < static_cast<std::size_t>(count)) {
      reach = std::numeric_limits<float>::max();
      gather();
    }
    std::nth_element(near.begin(), near.begin() + count - 1, near.end());
    std::sort(near.begin(), near.begin() + count);
    for (int k = 0; k < count; ++k) all.push_back(near[static_cast<std::size_t>(k)].second);
    reach = kMore * near[static_cast<std::size_t>(count) - 1].first;
  }
  return all;
}

}  // namespace

BodyTokens make_tokens(const ReaderModel& model, std::span<const Vec3> points, std::span<const Vec3> normals) {
  LIMBER_EXPECT(points.size() == static_cast<std::size_t>(model.points) && normals.size() == points.size(),
                std::to_string(points.size()));
  BodyTokens body;
  body.tokens = farthest_points(points, model.tokens);
  for (const std::uint16_t t : body.tokens) body.centre += (1 / static_cast<float>(model.tokens)) * points[t];
  float spread = 0;
  for (const std::uint16_t t : body.tokens)
    spread += squared_norm(points[t] - body.centre) / static_cast<float>(model.tokens);
  body.scale = spread > 0 ? std::sqrt(spread) : 1;
  for (const Vec3& p : points) body.points.push_back((1 / body.scale) * (p - body.centre));
  body.normals.assign(normals.begin(), normals.end());
  body.neighbours = nearest_points(body.points, body.tokens, model.neighbours);
  return body;
}

SkinSamples sample_skin(const body::BodyShape& body, int count) {
  const body::WeldedSurface& surface = body.surface;
  std::vector<double> sums;
  double area = 0;
  for (const body::Triangle& t : surface.triangles) {
    const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
    area += 0.5 * norm(cross(b - a, c - a));
    sums.push_back(area);
  }
  SkinSamples samples;
  if (!(area > 0)) return samples;
  constexpr int kTries = 4;  // as many points are drawn at most, until enough lie outside
  const double deepest = 2.5 * body.solid.grid.cell;
  Rng rng(0, 31);
  for (int n = 0; n < kTries * count && static_cast<int>(samples.points.size()) < count; ++n) {
    const double at = rng.uniform() * area;
    const auto k = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
    const body::Triangle& t = surface.triangles[std::min(k, surface.triangles.size() - 1)];
    const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
    double u = rng.uniform(), v = rng.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const Vec3d p = a + u * (b - a) + v * (c - a);
    const bool last_chance = kTries * count - n <= count - static_cast<int>(samples.points.size());
    if (body.field.depth(p) > deepest && !last_chance) continue;
    samples.points.push_back(p.cast<float>());
    samples.normals.push_back(normalized(cross(b - a, c - a), Vec3d{}).cast<float>());
  }
  return samples;
}

}  // namespace limber::anatomy
