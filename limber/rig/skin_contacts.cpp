// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/skin_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "limber/base/at.h"

namespace limber::rig {
namespace {

/// A joint's share of a welded vertex.
struct Share {
  int joint = 0;
  double weight = 0;
};

struct CellHash {
  std::size_t operator()(const std::array<std::int64_t, 3>& cell) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15ull;
    for (const std::int64_t c : cell) hash = (hash ^ static_cast<std::uint64_t>(c)) * 0xff51afd7ed558ccdull;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

/// Number of every point's welded vertex.
std::vector<std::uint32_t> weld(const std::vector<Vec3d>& points, std::uint32_t& group_count) {
  Vec3d low = points.empty() ? Vec3d{} : points[0], high = low;
  for (const Vec3d& p : points) low = min(low, p), high = max(high, p);
  const double cell = std::max(1e-5 * norm(high - low), 1e-300);
  std::unordered_map<std::array<std::int64_t, 3>, std::uint32_t, CellHash> groups;
  std::vector<std::uint32_t> group(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3d q = (points[i] - low) / cell;
    const std::array<std::int64_t, 3> key{std::llround(q.x), std::llround(q.y), std::llround(q.z)};
    group[i] = groups.try_emplace(key, static_cast<std::uint32_t>(groups.size())).first->second;
  }
  group_count = static_cast<std::uint32_t>(groups.size());
  return group;
}

/// Joint shares of every welded vertex: the mean of its points'.
std::vector<std::vector<Share>> weld_shares(const SubjectGeometry& geometry, const std::vector<std::uint32_t>& group,
                                            std::uint32_t group_count) {
  std::vector<std::vector<Share>> shares(group_count);
  std::vector<int> members(group_count, 0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::vector<Share>& row = shares[group[i]];
    ++members[group[i]];
    for (const Influence& influence : geometry.influences[i]) {
      const int joint = geometry.bones[influence.bone].joint;
      if (joint == kRootJoint) continue;
      const auto same = std::find_if(row.begin(), row.end(), [&](const Share& s) { return s.joint == joint; });
      if (same != row.end()) {
        same->weight += influence.weight;
      } else {
        row.push_back({joint, influence.weight});
      }
    }
  }
  for (std::uint32_t g = 0; g < group_count; ++g) {
    for (Share& share : shares[g]) share.weight /= members[g];
  }
  return shares;
}

/// The contacts under construction.
class ContactSums {
 public:
  void add(const Share& p, const Share& q, Vec3d where) {
    if (p.joint == q.joint) return;
    const auto [a, b] = std::minmax(p.joint, q.joint);
    const std::uint64_t key = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint64_t>(b);
    Sum& sum = sums_[key];
    sum.strength += p.weight * q.weight;
    sum.moment += p.weight * q.weight * where;
  }

  std::vector<SkinContact> take() const {
    std::vector<SkinContact> result;
    result.reserve(sums_.size());
    for (const auto& [key, sum] : sums_) {
      if (!(sum.strength > 0)) continue;
      const int a = static_cast<int>(key >> 32), b = static_cast<int>(key & 0xffffffffu);
      result.push_back({a, b, sum.strength, sum.moment / sum.strength});
    }
    std::sort(result.begin(), result.end(),
              [](const SkinContact& p, const SkinContact& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
    return result;
  }

 private:
  struct Sum {
    double strength = 0;
    Vec3d moment;
  };
  std::unordered_map<std::uint64_t, Sum> sums_;
};

}  // namespace

JointSkin measure_skin(const SubjectGeometry& geometry, const std::vector<Vec3d>& rest_points,
                       std::size_t joint_count) {
  JointSkin skin;
  skin.weight.assign(joint_count, 0);
  skin.moment.assign(joint_count, {});
  for (std::size_t i = 0; i < rest_points.size(); ++i) {
    for (const Influence& influence : geometry.influences[i]) {
      const int joint = geometry.bones[influence.bone].joint;
      if (joint == kRootJoint) continue;
      skin.weight[at(joint)] += influence.weight;
      skin.moment[at(joint)] += double(influence.weight) * rest_points[i];
    }
  }

  std::uint32_t group_count = 0;
  const std::vector<std::uint32_t> group = weld(rest_points, group_count);
  const std::vector<std::vector<Share>> shares = weld_shares(geometry, group, group_count);
  std::vector<Vec3d> place(group_count);
  for (std::size_t i = 0; i < group.size(); ++i) place[group[i]] = rest_points[i];
  ContactSums sums;
  const auto touch = [&](std::uint32_t u, std::uint32_t v) {
    const Vec3d middle = 0.5 * (place[u] + place[v]);
    for (const Share& p : shares[u]) {
      for (const Share& q : shares[v]) sums.add(p, q, middle);
    }
  };
  for (std::uint32_t g = 0; g < group_count; ++g) {
    if (shares[g].size() > 1) touch(g, g);
  }
  for (const auto& triangle : geometry.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t u = group[triangle[k]], v = group[triangle[(k + 1) % 3]];
      if (u != v) touch(u, v);
    }
  }
  skin.contacts = sums.take();
  return skin;
}

}  // namespace limber::rig
