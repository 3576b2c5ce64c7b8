// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/body_variation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

/// What is worn or held, as a limb.
std::uint16_t add_prop(PosedBody& body, Vec3 root, Vec3 tip) {
  body.limbs.push_back({rig::LimbKind::kProp, rig::Side::kMiddle, root, tip});
  return static_cast<std::uint16_t>(body.limbs.size() - 1);
}

struct ThingBox {
  Vec3 centre;
  Mat3 frame;
  Vec3 half;
};

/// Moves a point of the body onto a box that is prop `limb`: to one of three pairs of faces, by area.
void put_on_box(PosedBody& body, std::size_t i, std::uint16_t limb, const ThingBox& box, Rng& rng) {
  const Vec3 half = box.half;
  const std::array<float, 3> areas{half.y * half.z, half.z * half.x, half.x * half.y};
  const double at = rng.uniform() * (areas[0] + areas[1] + areas[2]);
  const int axis = at < areas[0] ? 0 : (at < areas[0] + areas[1] ? 1 : 2);
  Vec3 p = Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}.cast<float>();
  p[axis] = rng.chance(0.5) ? 1.0f : -1.0f;
  Vec3 normal;
  normal[axis] = p[axis];
  body.points[i] = box.centre + box.frame * scaled(half, p);
  body.normals[i] = box.frame * normal;
  body.regions[i] = Region::kOther;
  const anatomy::ExampleLimb& prop = body.limbs[limb];
  body.starts[i] = prop.root, body.limb[i] = limb;
  const float length = squared_norm(prop.tip - prop.root);
  const float along = dot(body.points[i] - prop.root, prop.tip - prop.root);
  body.along[i] = length > 0 ? std::clamp(along / length, 0.0f, 1.0f) : 0.0f;
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
  for (anatomy::ExampleLimb& limb : body.limbs) limb.root = moved(limb.root), limb.tip = moved(limb.tip);
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
  // Its tip is the end that is farther from where it is held.
  const float beyond = dot(centre - anchor, y) < 0 ? -half.y : half.y;
  const std::uint16_t limb = add_prop(body, anchor, centre + beyond * y);
  for (std::size_t i = 0; i < body.points.size(); ++i) {
    if (rng.chance(share)) put_on_box(body, i, limb, {centre, frame, half}, rng);
  }
}

void add_pedestal(PosedBody& body, Rng& rng) {
  Vec3 low = body.points.front(), high = low;
  for (const Vec3& p : body.points) low = min(low, p), high = max(high, p);
  const Vec3 size = high - low;
  const auto more = [&] { return static_cast<float>(rng.uniform(0.35, 0.8)); };
  const Vec3 half{more() * size.x + 0.02f * size.y, static_cast<float>(rng.uniform(0.01, 0.12)) * size.y,
                  more() * size.z + 0.02f * size.y};
  const Vec3 centre{0.5f * (low.x + high.x), low.y - half.y, 0.5f * (low.z + high.z)};
  const float spread = spread_of(body);
  const float area = 8 * (half.x * half.y + half.y * half.z + half.z * half.x);
  const double share = std::clamp(area / (area + 4 * static_cast<float>(kPi) * spread * spread), 0.02f, 0.5f);
  const std::uint16_t limb = add_prop(body, centre + Vec3{0, half.y, 0}, centre - Vec3{0, half.y, 0});
  const bool round = rng.chance(0.4);
  for (std::size_t i = 0; i < body.points.size(); ++i) {
    if (!rng.chance(share)) continue;
    put_on_box(body, i, limb, {centre, Mat3::identity(), half}, rng);
    // A disc: its corners are pulled in.
    const Vec3 off = body.points[i] - centre;
    const float reach = std::hypot(off.x / half.x, off.z / half.z);
    if (round && reach > 1) body.points[i] = centre + Vec3{off.x / reach, off.y, off.z / reach};
  }
}

void add_specks(PosedBody& body, Rng& rng) {
  const float spread = spread_of(body);
  const Vec3 middle = middle_of(body);
  const int specks = 1 + static_cast<int>(rng.below(4));
  for (int k = 0; k < specks; ++k) {
    const Vec3 centre = middle + static_cast<float>(rng.uniform(1.2, 2.5)) * spread * direction(rng);
    const float size = static_cast<float>(rng.uniform(0.01, 0.08)) * spread;
    const std::uint16_t limb = add_prop(body, centre, centre);
    const int count = 3 + static_cast<int>(rng.below(20));
    for (int n = 0; n < count; ++n) {
      const std::size_t i = rng.below(static_cast<std::uint32_t>(body.points.size()));
      put_on_box(body, i, limb, {centre, Mat3::identity(), {size, size, size}}, rng);
    }
  }
}

void facet(PosedBody& body, int pieces, Rng& rng) {
  std::vector<std::size_t> middles;
  for (int k = 0; k < pieces; ++k) middles.push_back(rng.below(static_cast<std::uint32_t>(body.points.size())));
  const std::vector<Vec3> points = body.points, normals = body.normals;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t nearest = middles.front();
    float least = 1e30f;
    for (const std::size_t m : middles) {
      // Of the same side of thin parts.
      const float distance = squared_norm(points[i] - points[m]) * (dot(normals[i], normals[m]) < 0 ? 4.0f : 1.0f);
      if (distance < least) least = distance, nearest = m;
    }
    body.points[i] -= dot(points[i] - points[nearest], normals[nearest]) * normals[nearest];
    body.normals[i] = normals[nearest];
  }
}

void vary(PosedBody& body, Rng& rng) {
  if (rng.chance(0.4)) fatten(body, 0.25 * rng.uniform() * rng.uniform(), rng);
  if (rng.chance(0.5)) warp(body, 0.08 * rng.uniform(), rng);
  while (rng.chance(0.15)) add_thing(body, rng);
  if (rng.chance(0.06)) add_pedestal(body, rng);
  if (rng.chance(0.05)) add_specks(body, rng);
  if (rng.chance(0.08)) facet(body, 80 + static_cast<int>(rng.below(400)), rng);
}

void cut_holes(PosedBody& body, double share, Rng& rng) {
  const auto count = static_cast<std::uint32_t>(body.points.size());
  const float spread = spread_of(body);
  std::vector<bool> gone(count, false);
  std::size_t missing = 0;
  const auto wanted = static_cast<std::size_t>(std::clamp(share, 0.0, 0.5) * count);
  for (int hole = 0; hole < 200 && missing < wanted; ++hole) {
    const Vec3 middle = body.points[rng.below(count)];
    const float reach = static_cast<float>(rng.uniform(0.03, 0.35)) * spread;
    for (std::size_t i = 0; i < count && missing < wanted; ++i) {
      if (gone[i] || squared_norm(body.points[i] - middle) > reach * reach) continue;
      gone[i] = true, ++missing;
    }
  }
  PosedBody left;
  left.limbs = body.limbs, left.kind = body.kind, left.limbs_known = body.limbs_known,
  left.kind_known = body.kind_known;
  for (std::size_t i = 0; i < count; ++i) {
    if (!gone[i]) left.add_point(body, i);
  }
  body = std::move(left);
}

void put_beside(PosedBody& body, const PosedBody& other, Rng& rng) {
  const float scale = static_cast<float>(rng.uniform(0.6, 1.4)) * spread_of(body) / spread_of(other);
  const float angle = static_cast<float>(rng.uniform(0, 2 * kPi)), apart = static_cast<float>(rng.uniform(2, 3));
  const Vec3 offset = middle_of(body) + apart * spread_of(body) * Vec3{std::cos(angle), 0, std::sin(angle)};
  const Vec3 middle = middle_of(other);
  const auto moved = [&](Vec3 p) { return offset + scale * (p - middle); };
  PosedBody beside = other;
  for (Vec3& p : beside.points) p = moved(p);
  for (Vec3& p : beside.starts) p = moved(p);
  const std::size_t first = body.limbs.size();
  for (const anatomy::ExampleLimb& limb : other.limbs)
    body.limbs.push_back({limb.kind, limb.side, moved(limb.root), moved(limb.tip)});
  for (std::size_t i = 0; i < beside.points.size(); ++i) body.add_point(beside, i, first);
  body.kind = anatomy::BodyKind::kOther, body.kind_known = true,
  body.limbs_known = body.limbs_known && other.limbs_known;
}

void thin_out(PosedBody& body, int count, Rng& rng) {
  const std::size_t here = body.points.size(), wanted = static_cast<std::size_t>(count);
  if (here == wanted || here == 0) return;
  std::vector<std::uint32_t> order(here);
  std::iota(order.begin(), order.end(), 0u);
  PosedBody left;
  left.limbs = std::move(body.limbs), left.kind = body.kind, left.limbs_known = body.limbs_known,
  left.kind_known = body.kind_known;
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t slot = i % here;
    std::swap(order[slot], order[slot + rng.below(static_cast<std::uint32_t>(here - slot))]);
    left.add_point(body, order[slot]);
  }
  body = std::move(left);
}

}  // namespace limber::training
