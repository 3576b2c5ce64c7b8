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

namespace limber::rig {
namespace {

double env(const char* name, double value) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : value;
}

/// The bones that hold a point, and how strongly.
struct Hold {
  double heat = 0;          ///< H
  std::vector<int> bones;   ///< those tied for the nearest
};

Hold find_hold(const SkinBody& body, std::span<const SkinBone> bones, std::size_t v, double stiffness) {
  struct Candidate {
    int bone;
    double distance, score;
    Vec3d place;
  };
  static const double kNormal = env("NORMAL", 0), kTie = env("TIE", 1e-4), kFar = env("FAR", 1e9);
  const Vec3d p = body.surface.points[v], normal = body.normals[v];
  std::vector<Candidate> candidates;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Candidate best{static_cast<int>(b), 0, 1e300, {}};
    for (const BoneSegment& segment : bones[b].segments) {
      const Vec3d q = closest_on_segment(p, segment);
      const double distance = norm(p - q);
      const double cosine = distance > 0 ? dot(normal, p - q) / distance : 1;
      const double score = kNormal > 0 ? distance / (kNormal * 0.5 * (cosine + 1.001) + (1 - kNormal)) : distance;
      if (score < best.score) best = {best.bone, distance, score, q};
    }
    candidates.push_back(best);
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.bone < b.bone;
  });
  Hold hold;
  double nearest = 0, best_score = 0;
  for (const Candidate& candidate : candidates) {
    if (!hold.bones.empty() && candidate.score > best_score * (1 + kTie) + 1e-12) break;
    if (candidate.score > kFar * candidates[0].score) break;
    if (!sees(body.field, p, candidate.place)) continue;
    if (hold.bones.empty()) nearest = candidate.distance, best_score = candidate.score;
    hold.bones.push_back(candidate.bone);
  }
  const double floor = 1e-4 * norm(body.surface.high - body.surface.low);
  if (!hold.bones.empty()) hold.heat = stiffness / std::pow(std::max(nearest, floor), 2);
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
    if (!holds[v].bones.empty()) held[static_cast<std::size_t>(body.surface.component[v])] = true;
  }
  for (std::size_t v = 0; v < count; ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    if (!held[static_cast<std::size_t>(body.surface.component[v])]) {
      int best = 0;
      double distance = 1e300;
      for (std::size_t b = 0; b < bones.size(); ++b) {
        for (const BoneSegment& s : bones[b].segments) {
          const double d = norm(body.surface.points[v] - closest_on_segment(body.surface.points[v], s));
          if (d < distance) distance = d, best = static_cast<int>(b);
        }
      }
      holds[v].bones = {best};
      holds[v].heat = settings.stiffness / std::pow(std::max(distance, 1e-6), 2);
    }
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
  return rows;
}

}  // namespace limber::rig
