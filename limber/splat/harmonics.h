// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "limber/base/math.h"

/// View-dependent colour by real spherical harmonics of degree 0 to 3, in the order and with the signs of 3D Gaussian
/// Splatting (Kerbl et al. 2023): colour = max(0, 0.5 + sum_k coefficient_k basis_k(direction)), with the direction
/// from the camera to the Gaussian.
namespace limber::splat {

inline constexpr int kMaxHarmonicDegree = 3;
inline constexpr double kHarmonic0 = 0.28209479177387814;  ///< the constant basis function

constexpr int harmonic_count(int degree) { return (degree + 1) * (degree + 1); }

/// Basis functions at a unit direction; the first `harmonic_count(degree)` entries are set.
template <class T>
std::array<T, 16> harmonic_basis(int degree, Vec3T<T> d);

/// Their derivatives with respect to the direction's three numbers.
template <class T>
std::array<Vec3T<T>, 16> harmonic_basis_derivative(int degree, Vec3T<T> d);

/// Colours of all Gaussians seen from `eye`. `coefficients`: Gaussians x harmonic_count(degree).
void colors_forward(int degree, std::span<const Vec3> coefficients, std::span<const Vec3> means, Vec3 eye,
                    std::span<Vec3> colors);

/// Adds to `grad_coefficients` and, through the directions, to `grad_means`; either may be empty.
void colors_backward(int degree, std::span<const Vec3> coefficients, std::span<const Vec3> means, Vec3 eye,
                     std::span<const Vec3> grad_colors, std::span<Vec3> grad_coefficients, std::span<Vec3> grad_means);

}  // namespace limber::splat
