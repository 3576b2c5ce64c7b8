// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/gaussians.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/asset/ply.h"
#include "limber/base/expect.h"
#include "limber/base/memory_budget.h"
#include "limber/splat/shape.h"

namespace limber::splat {
namespace {

// What a viewer can still invert: opacities of exactly 0 and 1 and scales of 0 have no logit or logarithm.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  // of a file

constexpr double kLogitMargin = 1e-6, kSmallestScale = 1e-20;

float logit(float opacity) {
  const double p = std::clamp(double(opacity), kLogitMargin, 1 - kLogitMargin);
  return static_cast<float>(std::log(p / (1 - p)));
}
float sigmoid(float x) { return static_cast<float>(1 / (1 + std::exp(-double(x)))); }

void expect_consistent(const Gaussians& g) {
  const std::size_t count = g.size();
  LIMBER_EXPECT(g.degree >= 0 && g.degree <= kMaxHarmonicDegree, fmt::format("degree {}", g.degree));
  LIMBER_EXPECT(g.rotations.size() == count && g.scales.size() == count && g.opacities.size() == count &&
                    g.harmonics.size() == count * static_cast<std::size_t>(harmonic_count(g.degree)),
                fmt::format("{} means", count));
}

}  // namespace

std::vector<Symmetric> covariances(const Gaussians& gaussians) {
  std::vector<Symmetric> result(gaussians.size());
  covariances_forward(gaussians.rotations, gaussians.scales, result);
  return result;
}

std::vector<Vec3> base_colors(const Gaussians& gaussians) {
  expect_consistent(gaussians);
  const auto terms = static_cast<std::size_t>(harmonic_count(gaussians.degree));
  std::vector<Vec3> colors;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    const Vec3d color = Vec3d{0.5, 0.5, 0.5} + kHarmonic0 * gaussians.harmonics[i * terms].cast<double>();
    colors.push_back(max(color, Vec3d{}).cast<float>());
  }
  return colors;
}

Vec3 harmonic_from_color(Vec3 color) {
  return ((color.cast<double>() - Vec3d{0.5, 0.5, 0.5}) / kHarmonic0).cast<float>();
}

Bytes write_splat_ply(const Gaussians& g) {
  expect_consistent(g);
  const auto terms = static_cast<std::size_t>(harmonic_count(g.degree));
  asset::PlyVertices table;
  const auto add = [&](std::string name, const auto& value) {
    table.names.push_back(std::move(name));
    std::vector<float>& column = table.columns.emplace_back(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) column[i] = value(i);
  };
  const char* const axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) add(axes[k], [&](std::size_t i) { return g.means[i][k]; });
  for (int k = 0; k < 3; ++k) add(std::string("n") + axes[k], [](std::size_t) { return 0.0f; });
  for (int k = 0; k < 3; ++k) add(fmt::format("f_dc_{}", k), [&](std::size_t i) { return g.harmonics[i * terms][k]; });
  // All coefficients of red, then of green, then of blue.
  for (int k = 0; k < 3; ++k) {
    for (std::size_t term = 1; term < terms; ++term) {
      add(fmt::format("f_rest_{}", static_cast<std::size_t>(k) * (terms - 1) + term - 1),
          [&](std::size_t i) { return g.harmonics[i * terms + term][k]; });
    }
  }
  add("opacity", [&](std::size_t i) { return logit(g.opacities[i]); });
  for (int k = 0; k < 3; ++k) {
    add(fmt::format("scale_{}", k),
        [&](std::size_t i) { return static_cast<float>(std::log(std::max(double(g.scales[i][k]), kSmallestScale))); });
  }
  for (int k = 0; k < 4; ++k) add(fmt::format("rot_{}", k), [&](std::size_t i) { return g.rotations[i][(k + 3) % 4]; });
  return asset::write_ply_vertices(table);
}

Status write_splat_ply(const Gaussians& gaussians, const std::filesystem::path& path) {
  return write_file(path, write_splat_ply(gaussians));
}

Result<Gaussians> read_splat_ply(std::span<const std::byte> bytes, const std::string& name) {
  LIMBER_TRY(const asset::PlyVertices table, asset::read_ply_vertices(bytes, name));
  std::size_t rest = 0;
  while (table.find(fmt::format("f_rest_{}", rest))) ++rest;
  Gaussians g;
  while (g.degree < kMaxHarmonicDegree && static_cast<std::size_t>(3 * (harmonic_count(g.degree) - 1)) < rest)
    ++g.degree;
  const auto terms = static_cast<std::size_t>(harmonic_count(g.degree));
  if (rest != 3 * (terms - 1))
    return Error{fmt::format("{} coefficients f_rest fit no degree", rest), name + "#/vertex"};

  std::vector<const std::vector<float>*> columns;
  std::vector<std::string> wanted{"x",       "y",     "z",     "opacity", "scale_0", "scale_1",
                                  "scale_2", "rot_0", "rot_1", "rot_2",   "rot_3"};
  for (int k = 0; k < 3; ++k) wanted.push_back(fmt::format("f_dc_{}", k));
  for (std::size_t k = 0; k < rest; ++k) wanted.push_back(fmt::format("f_rest_{}", k));
  for (const std::string& property : wanted) {
    columns.push_back(table.find(property));
    if (!columns.back()) return Error{"no property " + property, name + "#/vertex"};
  }
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](std::size_t column) { return (*columns[column])[i]; };
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (!std::isfinite(at(k))) return Error{wanted[k] + " is not a number", fmt::format("{}#/vertex/{}", name, i)};
    }
    g.means.push_back({at(0), at(1), at(2)});
    g.opacities.push_back(sigmoid(at(3)));
    g.scales.push_back({std::exp(at(4)), std::exp(at(5)), std::exp(at(6))});
    if (!is_finite(g.scales.back())) return Error{"a scale is too large", fmt::format("{}#/vertex/{}", name, i)};
    g.rotations.push_back(normalized(Quat{at(8), at(9), at(10), at(7)}));
    g.harmonics.push_back({at(11), at(12), at(13)});
    for (std::size_t term = 1; term < terms; ++term) {
      g.harmonics.push_back({at(13 + term), at(13 + (terms - 1) + term), at(13 + 2 * (terms - 1) + term)});
    }
  }
  return g;
}

Result<Gaussians> read_splat_ply(const std::filesystem::path& path) {
  MemoryShare memory;
  LIMBER_TRY(const Bytes bytes, read_file(path, kMostBytes, memory));
  return read_splat_ply(bytes, path.filename().string());
}

}  // namespace limber::splat
