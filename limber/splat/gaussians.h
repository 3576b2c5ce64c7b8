// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/base/symmetric.h"
#include "limber/splat/harmonics.h"

namespace limber::splat {

/// A cloud of Gaussians as it is stored: one entry per Gaussian in every array. Colours are display values (sRGB), as
/// splat viewers show them.
struct Gaussians {
  std::vector<Vec3> means;
  std::vector<Quat> rotations;   ///< unit
  std::vector<Vec3> scales;      ///< standard deviations along the rotated axes
  std::vector<float> opacities;  ///< 0 to 1
  int degree = 0;                ///< of the harmonics, 0 to 3
  std::vector<Vec3> harmonics;   ///< Gaussians x harmonic_count(degree): see harmonics.h

  // Skin, where there is one: what RasterInput takes.
  int influences = 0;
  std::vector<std::uint16_t> bones;  ///< Gaussians x influences
  std::vector<float> weights;        ///< Gaussians x influences, rows sum to one

  std::size_t size() const { return means.size(); }
  bool operator==(const Gaussians&) const = default;
};

std::vector<Symmetric> covariances(const Gaussians& gaussians);

/// Colours without the view-dependent part: all of the colour for degree 0.
std::vector<Vec3> base_colors(const Gaussians& gaussians);

/// The constant coefficient that gives a colour.
Vec3 harmonic_from_color(Vec3 color);

/// The common 3D Gaussian Splatting PLY: x y z, nx ny nz (zero), f_dc_*, f_rest_* (channel by channel), opacity
/// (logit), scale_* (logarithm), rot_* (w, x, y, z). The skin is not part of it.
Bytes write_splat_ply(const Gaussians& gaussians);
Status write_splat_ply(const Gaussians& gaussians, const std::filesystem::path& path);

/// Reads one, of any harmonic degree up to 3. A property that is missing is an error, except for the normals.
Result<Gaussians> read_splat_ply(std::span<const std::byte> bytes, const std::string& name);
Result<Gaussians> read_splat_ply(const std::filesystem::path& path);

}  // namespace limber::splat
