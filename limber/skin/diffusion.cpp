// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/diffusion.h"

#include <Eigen/SparseCholesky>
#include <algorithm>

#include "limber/base/threads.h"
#include "limber/skin/surface_laplacian.h"

namespace limber::skin {
namespace {

constexpr std::size_t kBlock = 16;        ///< bones solved at a time, so that memory does not grow with their number
constexpr double kLeastWeight = 1e-4;     ///< what is lighter is dropped at once
constexpr double kLeastArea = 1e-9;       ///< of the mean area: points without triangles must still count
constexpr double kLeastFirmness = 1e-12;  ///< of the greatest: rounding must not make the matrix singular

/// The area that a point stands for.
std::vector<double> point_areas(const SkinBody& body) {
  double sum = 0;
  for (const double area : body.areas) sum += area;
  const double mean = sum > 0 ? sum / static_cast<double>(body.areas.size()) : 1;
  std::vector<double> areas = body.areas;
  for (double& area : areas) area = std::max(area, kLeastArea * mean);
  return areas;
}

}  // namespace

void keep_heaviest(std::vector<rig::Influence>& row, std::size_t count) {
  std::sort(row.begin(), row.end(), [](const rig::Influence& a, const rig::Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.bone < b.bone;
  });
  if (row.size() > count) row.resize(count);
}

std::vector<std::vector<rig::Influence>> diffuse_holds(const SkinBody& body, std::span<const Hold> holds,
                                                       std::size_t bone_count) {
  const std::size_t count = body.surface.points.size();
  const std::vector<double> areas = point_areas(body);
  Eigen::SparseMatrix<double> matrix = surface_stiffness(body.surface.points, body.surface.triangles);
  double greatest = 0;
  for (const Hold& hold : holds) greatest = std::max(greatest, hold.firmness);
  for (std::size_t v = 0; v < count; ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    matrix.coeffRef(i, i) += areas[v] * std::max(holds[v].firmness, kLeastFirmness * greatest);
  }
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);

  std::vector<std::vector<std::size_t>> held(bone_count);
  for (std::size_t v = 0; v < count; ++v) {
    for (const int bone : holds[v].bones) held[static_cast<std::size_t>(bone)].push_back(v);
  }
  std::vector<std::vector<rig::Influence>> rows(count);
  std::vector<Eigen::VectorXd> columns(kBlock);
  for (std::size_t first = 0; first < bone_count; first += kBlock) {
    const std::size_t block = std::min(kBlock, bone_count - first);
    parallel_for(block, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        columns[k] = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count));
        for (const std::size_t v : held[first + k]) {
          columns[k][static_cast<Eigen::Index>(v)] =
              areas[v] * holds[v].firmness / static_cast<double>(holds[v].bones.size());
        }
        if (!held[first + k].empty()) columns[k] = solver.solve(columns[k]).eval();
      }
    });
    parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        for (std::size_t k = 0; k < block; ++k) {
          const double weight = columns[k][static_cast<Eigen::Index>(v)];
          if (weight > kLeastWeight)
            rows[v].push_back({static_cast<std::uint16_t>(first + k), static_cast<float>(weight)});
        }
        keep_heaviest(rows[v], rig::kMaxInfluences);
      }
    });
  }
  return rows;
}

}  // namespace limber::skin
