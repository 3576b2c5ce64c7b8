// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/moving_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::parts {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

double angle_between(const Mat3d& a, const Mat3d& b) {
  const Mat3d turn = transposed(a) * b;
  return std::acos(std::clamp((turn(0, 0) + turn(1, 1) + turn(2, 2) - 1) / 2, -1.0, 1.0));
}

/// Per joint: whether it ever moves against its parent. The root has none.
std::vector<bool> find_movers(const rig::Rig& rig, std::span<const kinematics::Motion* const> motions,
                              const MovingPartSettings& settings) {
  std::vector<bool> moves(at(rig.joint_count()), motions.empty());
  for (int j = 1; j < rig.joint_count(); ++j) {
    std::optional<Mat3d> first;
    for (const kinematics::Motion* motion : motions) {
      for (int f = 0; f < motion->frame_count() && !moves[at(j)]; ++f) {
        const Mat3d turn = kinematics::euler_matrix(motion->frame_angles(f)[at(j)].cast<double>());
        if (!first) first = turn;
        moves[at(j)] = angle_between(*first, turn) > settings.least_turn;
      }
    }
  }
  for (const kinematics::Motion* motion : motions) {
    for (const kinematics::JointOverride& o : motion->overrides) {
      for (const Vec3& t : o.translations) {
        if (norm(t - o.translations.front()) > static_cast<float>(settings.least_shift)) moves[at(o.joint)] = true;
      }
    }
  }
  return moves;
}

double triangle_area(std::span<const Vec3> points, const Triangle& t) {
  const Vec3d a = points[t[0]].cast<double>();
  const double area = 0.5 * norm(cross(points[t[1]].cast<double>() - a, points[t[2]].cast<double>() - a));
  return std::isfinite(area) ? area : 0;
}

/// Calls `add(joint, weight)` for all that move a triangle.
template <class Add>
void for_influences(const rig::Rig& rig, const rig::SkinWeights& weights, const Triangle& triangle, const Add& add) {
  const auto stride = at(weights.stride);
  for (const std::uint32_t corner : triangle) {
    for (std::size_t k = corner * stride; k < (corner + 1) * stride; ++k) {
      if (weights.weights[k] > 0) add(rig.bones()[weights.bones[k]].joint, weights.weights[k]);
    }
  }
}

/// Joints that lead a part: from the leaves to the root, one that moves and has gathered enough of the surface.
std::vector<int> find_leaders(const rig::Rig& rig, const std::vector<bool>& moves, std::vector<double> areas,
                              double least_area) {
  std::vector<bool> leads(areas.size(), false);
  for (int j = rig.joint_count() - 1; j >= 0; --j) {
    const int parent = rig.joints()[at(j)].parent;
    leads[at(j)] = (moves[at(j)] || j == 0) && areas[at(j)] > 0 && areas[at(j)] >= least_area;
    if (!leads[at(j)] && parent >= 0) areas[at(parent)] += areas[at(j)];
  }
  std::vector<int> leader(areas.size(), -1);
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int parent = rig.joints()[at(j)].parent;
    leader[at(j)] = leads[at(j)] ? j : (parent >= 0 ? leader[at(parent)] : -1);
  }
  // What has no part above it, a root without skin, goes with the largest below.
  int largest = 0;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (leads[at(j)] && (!leads[at(largest)] || areas[at(j)] > areas[at(largest)])) largest = j;
  }
  for (int& l : leader) l = l < 0 ? largest : l;
  return leader;
}

}  // namespace

MovingParts find_moving_parts(const rig::Rig& rig, std::span<const Vec3> points, std::span<const Triangle> triangles,
                              const rig::SkinWeights& weights, std::span<const kinematics::Motion* const> motions,
                              const MovingPartSettings& settings) {
  LIMBER_EXPECT(weights.points() == points.size() && settings.most_parts >= 1 && settings.most_parts < 255,
                std::to_string(weights.points()));
  std::vector<double> areas(at(rig.joint_count()), 0.0);
  double total = 0;
  for (const Triangle& t : triangles) {
    const double area = triangle_area(points, t);
    total += area;
    for_influences(rig, weights, t, [&](int joint, float w) { areas[at(joint)] += area / 3 * double(w); });
  }
  const std::vector<bool> moves = find_movers(rig, motions, settings);
  MovingParts parts;
  // Bodies of very many parts keep the large ones.
  for (double least = settings.least_area;; least *= 1.5) {
    const std::vector<int> leaders = find_leaders(rig, moves, areas, least * total);
    std::vector<int> number(leaders.size(), -1);
    parts.count = 0;
    parts.part_of_joint.clear();
    for (const int leader : leaders) {
      if (number[at(leader)] < 0) number[at(leader)] = parts.count++;
      parts.part_of_joint.push_back(number[at(leader)]);
    }
    if (parts.count <= settings.most_parts) break;
  }

  std::vector<float> shares(at(parts.count));
  for (const Triangle& t : triangles) {
    std::fill(shares.begin(), shares.end(), 0.0f);
    for_influences(rig, weights, t, [&](int joint, float w) { shares[at(parts.part_of_joint[at(joint)])] += w; });
    const auto most = std::max_element(shares.begin(), shares.end()) - shares.begin();
    parts.part_of_triangle.push_back(static_cast<std::uint8_t>(most));
  }
  return parts;
}

}  // namespace limber::parts
