// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/skin_heat.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "limber/base/threads.h"
#include "limber/rig/surface_laplacian.h"
#include "limber/rig/triangle_bvh.h"

namespace limber::rig {
namespace {

double env(const char* name, double value) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : value;
}

/// The bones that hold a point, and how strongly.
struct Hold {
  double heat = 0;          ///< H
  bool hidden = false;
  bool inward = false;
  std::vector<int> bones;   ///< those tied for the nearest
};

Hold find_hold(const SkinBody& body, std::span<const SkinBone> bones, std::size_t v, double stiffness) {
  struct Candidate {
    int bone;
    double distance, score, outside;
    Vec3d place;
    double factor;
  };
  static const double kNormal = env("NORMAL", 1), kTie = env("TIE", 1e-4), kOutside = env("OUTSIDE", 1), kHidden=env("HIDDEN",0.3), kDepth=env("DEPTH",0);
  const Vec3d p = body.surface.points[v], normal = body.normals[v];
  std::vector<Candidate> candidates;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Candidate best{static_cast<int>(b), 0, 1e300, 0, {}, 1};
    for (const BoneSegment& segment : bones[b].segments) {
      const Vec3d q = closest_on_segment(p, segment);
      const double distance = norm(p - q);
      const double cosine = distance > 0 ? dot(normal, p - q) / distance : 1;
      const double factor = kNormal * 0.5 * (cosine + 1.001) + (1 - kNormal);
      const double score = (distance - (kDepth>0 ? kDepth * std::max(0.0, body.field.depth(q)) : 0)) / factor;
      if (score < best.score) best = {best.bone, distance, score, 0, q, factor};
    }
    candidates.push_back(best);
  }
  const auto less = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.bone < b.bone;
  };
  std::sort(candidates.begin(), candidates.end(), less);
  double bound = 1e300;
  std::size_t kept = 0;
  for (Candidate& candidate : candidates) {
    if (candidate.score > bound * (1 + kTie)) break;
    candidate.outside = way_outside(body.field, p, candidate.place);
    candidate.score += kOutside * candidate.outside / candidate.factor;
    bound = std::min(bound, candidate.score);
    ++kept;
  }
  candidates.resize(kept);
  std::sort(candidates.begin(), candidates.end(), less);
  Hold hold;
  const double floor = 1e-4 * norm(body.surface.high - body.surface.low);
  const Candidate& best = candidates[0];
  hold.hidden = best.outside > kHidden * best.distance;
  hold.inward = !hold.hidden && dot(normal, p - best.place) > 0.2 * best.distance;
  for (const Candidate& candidate : candidates) {
    if (candidate.score <= best.score + kTie * std::abs(best.score)) hold.bones.push_back(candidate.bone);
  }
  hold.heat = stiffness / std::pow(std::max(best.distance, floor), 2);
  return hold;
}

}  // namespace

std::vector<std::vector<Influence>> skin_heat(const SkinBody& body, std::span<const SkinBone> bones,
                                              const HeatSettings& settings) {
  const std::size_t count = body.surface.points.size();
  std::vector<Hold> holds(count);
  parallel_for(count, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) holds[v] = find_hold(body, bones, v, env("C", settings.stiffness));
  });
  Eigen::SparseMatrix<double> matrix = surface_stiffness(body.surface.points, body.surface.triangles);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(bones.size()));
  std::vector<bool> held(static_cast<std::size_t>(body.surface.component_count), false);
  for (std::size_t v = 0; v < count; ++v) {
    if (!holds[v].hidden) held[static_cast<std::size_t>(body.surface.component[v])] = true;
  }
  for (std::size_t v = 0; v < count; ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    if (holds[v].hidden && held[static_cast<std::size_t>(body.surface.component[v])]) holds[v].bones.clear(), holds[v].heat = 0;
    const double area = std::max(body.areas[v], 1e-12);
    matrix.coeffRef(i, i) += area * holds[v].heat;
    for (const int b : holds[v].bones) right(i, b) += area * holds[v].heat / static_cast<double>(holds[v].bones.size());
  }
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
  parallel_for(bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const auto column = static_cast<Eigen::Index>(b);
      right.col(column) = solver.solve(right.col(column)).eval();
    }
  });
  std::vector<std::vector<Influence>> rows(count);
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t b = 0; b < bones.size(); ++b) {
      const double w = right(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(b));
      if (w > 1e-4) rows[v].push_back({static_cast<std::uint16_t>(b), static_cast<float>(w)});
    }
    std::sort(rows[v].begin(), rows[v].end(), [](const Influence& a, const Influence& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.bone < b.bone;
    });
    if (rows[v].size() > 8) rows[v].resize(8);
  }
  static const double kShare = env("SHARE", 0.75), kRigid = env("RIGID", 0.3);
  const std::size_t parts = static_cast<std::size_t>(body.surface.component_count);
  std::vector<double> area(parts, 0), inward(parts, 0);
  std::vector<Vec3d> low(parts, Vec3d{1e300, 1e300, 1e300}), high(parts, Vec3d{-1e300, -1e300, -1e300});
  for (std::size_t v = 0; v < count; ++v) {
    const auto part = static_cast<std::size_t>(body.surface.component[v]);
    area[part] += body.areas[v];
    if (holds[v].inward) inward[part] += body.areas[v];
    low[part] = min(low[part], body.surface.points[v]), high[part] = max(high[part], body.surface.points[v]);
  }
  const std::size_t largest = static_cast<std::size_t>(std::max_element(area.begin(), area.end()) - area.begin());
  std::vector<bool> attached(parts, false);
  bool any = false;
  for (std::size_t k = 0; k < parts; ++k) any |= attached[k] = k != largest && inward[k] <= kShare * area[k];
  if (any) {
    std::vector<Triangle> triangles;
    for (const Triangle& t : body.surface.triangles) if (!attached[static_cast<std::size_t>(body.surface.component[t[0]])]) triangles.push_back(t);
    const TriangleBvh bvh(body.surface.points, triangles);
    const double size = norm(body.surface.high - body.surface.low);
    std::vector<std::vector<double>> sums(parts);
    std::vector<std::vector<Influence>> taken(count);
    for (std::size_t v = 0; v < count; ++v) {
      const auto part = static_cast<std::size_t>(body.surface.component[v]);
      if (!attached[part]) continue;
      const auto hit = bvh.closest(body.surface.points[v]);
      if (!hit) continue;
      std::vector<double> dense(bones.size(), 0);
      for (int k = 0; k < 3; ++k) for (const Influence& i : rows[triangles[hit->triangle][static_cast<std::size_t>(k)]]) dense[i.bone] += hit->barycentric[k] * i.weight;
      sums[part].resize(bones.size(), 0);
      const double near = std::max(body.areas[v], 1e-12) / (std::pow(hit->distance, 2) + std::pow(0.005 * size, 2));
      for (std::size_t b = 0; b < bones.size(); ++b) {
        sums[part][b] += near * dense[b];
        if (dense[b] > 1e-4) taken[v].push_back({static_cast<std::uint16_t>(b), static_cast<float>(dense[b])});
      }
    }
    for (std::size_t v = 0; v < count; ++v) {
      const auto part = static_cast<std::size_t>(body.surface.component[v]);
      if (!attached[part] || sums[part].empty()) continue;
      rows[v].clear();
      if (norm(high[part] - low[part]) > kRigid * size) {
        rows[v] = taken[v];
      } else {
        double sum = 0;
        for (const double w : sums[part]) sum += w;
        for (std::size_t b = 0; b < bones.size(); ++b) if (sums[part][b] > 1e-3 * sum) rows[v].push_back({static_cast<std::uint16_t>(b), static_cast<float>(sums[part][b] / sum)});
      }
      std::sort(rows[v].begin(), rows[v].end(), [](const Influence& x, const Influence& y) { return x.weight != y.weight ? x.weight > y.weight : x.bone < y.bone; });
    }
  }
  return rows;
}

}  // namespace limber::rig
