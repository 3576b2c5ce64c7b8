// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/report.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/threads.h"

namespace limber::skin {
namespace {

constexpr double kBend = kPi / 4;
constexpr double kSettled = 1e-3;   ///< shares this near to none or all do not bend
constexpr double kAcrossGap = 0.5;  ///< share of the way to a bone outside of the body, from which on weight bleeds
constexpr float kCounted = 0.05f;   ///< lighter weights do not bleed visibly

/// What the triangles of each component measure at rest.
struct RestSums {
  std::vector<double> length, volume;
};

Vec3d middle_of(const body::WeldedSurface& surface) { return 0.5 * (surface.low + surface.high); }

RestSums measure_rest(const body::WeldedSurface& surface) {
  RestSums sums{std::vector<double>(at(surface.component_count), 0),
                std::vector<double>(at(surface.component_count), 0)};
  const Vec3d middle = middle_of(surface);
  for (const body::Triangle& t : surface.triangles) {
    const std::size_t piece = at(surface.component[t[0]]);
    const Vec3d a = surface.points[t[0]] - middle, b = surface.points[t[1]] - middle, c = surface.points[t[2]] - middle;
    sums.volume[piece] += dot(a, cross(b, c));
    sums.length[piece] += norm(b - a) + norm(c - b) + norm(a - c);
  }
  return sums;
}

/// Sums over the bends of one joint, per component.
struct BendSums {
  std::vector<double> stretch, volume;  ///< `volume`: what the bends add to that at rest
  std::vector<char> moved;
  explicit BendSums(std::size_t components) : stretch(components, 0), volume(components, 0), moved(components, 0) {}
};

/// Per bone whether it hangs on `joint`.
std::vector<bool> carried_bones(std::span<const SkinJoint> joints, std::span<const SkinBone> bones, int joint) {
  std::vector<bool> below(joints.size(), false);
  below[at(joint)] = true;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent >= 0 && below[at(joints[j].parent)]) below[j] = true;
  }
  std::vector<bool> carried;
  for (const SkinBone& bone : bones) carried.push_back(below[at(bone.joint)]);
  return carried;
}

/// Points with a share s of their weight on what turns: p + s (R - 1) (p - pivot). What does not turn at all adds
/// nothing, and what turns as a whole adds only to the volume.
void bend(const SkinBody& body, std::span<const double> shares, Vec3d pivot, const Mat3d& rotation, BendSums& sums) {
  const body::WeldedSurface& surface = body.surface;
  const Vec3d middle = middle_of(surface);
  const auto posed = [&](std::uint32_t v) {
    const Vec3d p = surface.points[v] - pivot;
    return surface.points[v] + shares[v] * (rotation * p - p) - middle;
  };
  for (const body::Triangle& t : surface.triangles) {
    const std::size_t piece = at(surface.component[t[0]]);
    if (!sums.moved[piece] || (shares[t[0]] == 0 && shares[t[1]] == 0 && shares[t[2]] == 0)) continue;
    const std::array<Vec3d, 3> rest{surface.points[t[0]] - middle, surface.points[t[1]] - middle,
                                    surface.points[t[2]] - middle};
    const std::array<Vec3d, 3> now{posed(t[0]), posed(t[1]), posed(t[2])};
    sums.volume[piece] += dot(now[0], cross(now[1], now[2])) - dot(rest[0], cross(rest[1], rest[2]));
    if (shares[t[0]] == 1 && shares[t[1]] == 1 && shares[t[2]] == 1) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const double before = norm(rest[(k + 1) % 3] - rest[k]), after = norm(now[(k + 1) % 3] - now[k]);
      if (!(before > 0)) continue;
      const double change = std::min(after / before, 4.0) - 1;
      sums.stretch[piece] += before * change * change;
    }
  }
}

double bleeding(const SkinBody& body, std::span<const SkinBone> bones, std::size_t v,
                const std::vector<rig::Influence>& row) {
  double bled = 0;
  const Vec3d p = body.surface.points[v];
  for (const rig::Influence& influence : row) {
    if (influence.weight < kCounted) continue;
    double least = 1;
    for (const body::Segment& segment : bones[influence.bone].segments) {
      const Vec3d q = body::closest_on_segment(p, segment);
      const double distance = norm(p - q);
      least = std::min(least, distance > 0 ? way_outside(body.field, p, q) / distance : 0.0);
    }
    if (least > kAcrossGap) bled += influence.weight;
  }
  return bled;
}

}  // namespace

std::vector<MotionScores> range_of_motion(const SkinBody& body, std::span<const SkinJoint> joints,
                                          std::span<const SkinBone> bones,
                                          std::span<const std::vector<rig::Influence>> rows) {
  const body::WeldedSurface& surface = body.surface;
  const std::size_t components = at(surface.component_count);
  std::vector<MotionScores> scores(components);
  std::vector<int> bends(components, 0);
  std::vector<std::vector<MotionScores>> partial(bones.size(), std::vector<MotionScores>());
  std::vector<std::vector<char>> moved(bones.size());
  const RestSums rest = measure_rest(surface);
  parallel_for(bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<double> shares(surface.points.size());
    for (std::size_t b = begin; b < end; ++b) {
      const std::vector<bool> carried = carried_bones(joints, bones, bones[b].joint);
      BendSums sums(components);
      for (std::size_t v = 0; v < shares.size(); ++v) {
        shares[v] = 0;
        for (const rig::Influence& influence : rows[v]) shares[v] += carried[influence.bone] ? influence.weight : 0.0f;
        if (shares[v] <= kSettled) shares[v] = 0;
        if (shares[v] >= 1 - kSettled) shares[v] = 1;
        if (shares[v] > 0 && shares[v] < 1) sums.moved[at(surface.component[v])] = 1;
      }
      const body::Segment& segment = bones[b].segments[0];
      const Vec3d along = normalized(segment.to - segment.from);
      const Vec3d u = normalized(cross(along, std::abs(along.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
      for (const Vec3d axis : {u, cross(along, u)}) {
        bend(body, shares, segment.from, to_matrix(axis_angle(axis, kBend)), sums);
      }
      partial[b].resize(components);
      for (std::size_t k = 0; k < components; ++k) {
        if (!sums.moved[k]) continue;
        // Both sums are over two bends.
        const double length = 2 * rest.length[k], volume = 2 * std::abs(rest.volume[k]);
        partial[b][k].stretch = length > 0 ? sums.stretch[k] / length : 0;
        partial[b][k].volume = volume > 0 ? std::min(std::abs(sums.volume[k]) / volume, 1.0) : 0;
      }
      moved[b] = std::move(sums.moved);
    }
  });
  for (std::size_t b = 0; b < bones.size(); ++b) {
    for (std::size_t k = 0; k < components; ++k) {
      if (!moved[b][k]) continue;
      scores[k].stretch += partial[b][k].stretch, scores[k].volume += partial[b][k].volume, ++bends[k];
    }
  }
  std::vector<double> area(components, 0), bled(surface.points.size(), 0);
  parallel_for(surface.points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) bled[v] = bleeding(body, bones, v, rows[v]);
  });
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    area[at(surface.component[v])] += body.areas[v];
    scores[at(surface.component[v])].bleed += body.areas[v] * bled[v];
  }
  for (std::size_t k = 0; k < components; ++k) {
    if (bends[k] > 0) scores[k].stretch /= bends[k], scores[k].volume /= bends[k];
    scores[k].bleed = area[k] > 0 ? scores[k].bleed / area[k] : 0;
  }
  return scores;
}

}  // namespace limber::skin
