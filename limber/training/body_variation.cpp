// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/body_variation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace limber::training {
namespace {

using anatomy::Region;

Vec3 middle_of(const PosedBody& body) {
  Vec3 middle;
  for (const Vec3& p : body.points) middle += (1 / static_cast<float>(body.points.size())) * p;
  return middle;
}

/// Root of the mean squared distance from the middle.
float spread_of(const PosedBody& body) {
  const Vec3 middle = middle_of(body);
  float sum = 0;
  for (const Vec3& p : body.points) sum += squared_norm(p - middle) / static_cast<float>(body.points.size());
  return std::sqrt(sum);
}

bool carries(Region region) {
  return region == Region::kFrontEndLeft || region == Region::kFrontEndRight || region == Region::kHindEndLeft ||
         region == Region::kHindEndRight || region == Region::kHead || region == Region::kTrunk;
}

Vec3 direction(Rng& rng) { return normalized(Vec3d{rng.normal(), rng.normal(), rng.normal()}).cast<float>(); }

}  // namespace

void fatten(PosedBody& body, double amount, Rng& rng) {
  const float spread = spread_of(body);
  std::array<float, anatomy::kRegionCount> by{};
  for (int r = 0; r < anatomy::kRegionCount; ++r) {
    const auto other = static_cast<int>(anatomy::mirrored(static_cast<Region>(r)));
    const auto to = static_cast<std::size_t>(r);
    by[to] =
        other < r ? by[static_cast<std::size_t>(other)] : spread * static_cast<float>(amount * rng.uniform(0.6, 1.3));
  }
  for (std::size_t i = 0; i < body.points.size(); ++i)
    body.points[i] += by[static_cast<std::size_t>(body.regions[i])] * body.normals[i];
}

void warp(PosedBody& body, double amount, Rng& rng) {
  constexpr int kWaves = 3;
  const float spread = spread_of(body);
  const Vec3 middle = middle_of(body);
  std::array<Vec3, kWaves> ways, turns;
  std::array<float, kWaves> phases{};
  for (std::size_t k = 0; k < kWaves; ++k) {
    ways[k] = spread * static_cast<float>(amount) * direction(rng);
    turns[k] = static_cast<float>(rng.uniform(0.5, 2.0)) / spread * direction(rng);
    phases[k] = static_cast<float>(rng.uniform(0, 2 * kPi));
  }
  const auto moved = [&](Vec3 p) {
    // Left and right are mirror images: the wave sees how far aside a point is, and moves it that way.
    const Vec3 off = p - middle;
    const Vec3 folded{std::abs(off.x), off.y, off.z};
    const float aside = std::tanh(3 * off.x / spread);
    for (std::size_t k = 0; k < kWaves; ++k) {
      const float wave = std::sin(dot(turns[k], folded) + phases[k]);
      p += wave * Vec3{ways[k].x * aside, ways[k].y, ways[k].z};
    }
    return p;
  };
  for (Vec3& p : body.points) p = moved(p);
  for (Vec3& p : body.starts) p = moved(p);
}

void add_thing(PosedBody& body, Rng& rng) {
  const auto count = static_cast<std::uint32_t>(body.points.size());
  std::uint32_t holder = rng.below(count);
  for (int attempt = 0; attempt < 50 && !carries(body.regions[holder]); ++attempt) holder = rng.below(count);
  const float spread = spread_of(body);
  // Half sides: a rod, a plate or a lump.
  Vec3 half = Vec3d{rng.uniform(0.05, 0.2), rng.uniform(0.05, 0.2), rng.uniform(0.05, 0.2)}.cast<float>();
  const std::uint32_t shape = rng.below(3);
  if (shape == 0) half = Vec3d{rng.uniform(0.02, 0.06), rng.uniform(0.3, 0.9), rng.uniform(0.02, 0.08)}.cast<float>();
  if (shape == 1) half = Vec3d{rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.6), rng.uniform(0.015, 0.05)}.cast<float>();
  half = spread * half;
  const Vec3 y = direction(rng), x = normalized(cross(y, direction(rng)), Vec3{1, 0, 0});
  const Mat3 frame = Mat3::from_columns(x, y, cross(x, y));
  const Vec3 anchor = body.points[holder];
  const float along = static_cast<float>(rng.uniform(-0.8, 0.8)) * half.y;
  const Vec3 centre = anchor + half.z * body.normals[holder] + along * y;
  // So many points as the thing has area, of a body that has about 4 pi of its spread squared.
  const float area = 8 * (half.x * half.y + half.y * half.z + half.z * half.x);
  const double share = std::clamp(area / (4 * static_cast<float>(kPi) * spread * spread), 0.005f, 0.25f);
  for (std::size_t i = 0; i < body.points.size(); ++i) {
    if (!rng.chance(share)) continue;
    // A point of a box: on one of three pairs of faces, by area.
    const std::array<float, 3> areas{half.y * half.z, half.z * half.x, half.x * half.y};
    const double at = rng.uniform() * (areas[0] + areas[1] + areas[2]);
    const int axis = at < areas[0] ? 0 : (at < areas[0] + areas[1] ? 1 : 2);
    Vec3 p = Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}.cast<float>();
    p[axis] = rng.chance(0.5) ? 1.0f : -1.0f;
    Vec3 normal;
    normal[axis] = p[axis];
    body.points[i] = centre + frame * scaled(half, p);
    body.normals[i] = frame * normal;
    body.regions[i] = Region::kOther;
    body.starts[i] = anchor;
  }
}

void vary(PosedBody& body, Rng& rng) {
  if (rng.chance(0.4)) fatten(body, 0.25 * rng.uniform() * rng.uniform(), rng);
  if (rng.chance(0.5)) warp(body, 0.08 * rng.uniform(), rng);
  while (rng.chance(0.15)) add_thing(body, rng);
}

}  // namespace limber::training
