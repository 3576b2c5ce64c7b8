// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/harmonics.h"

#include <functional>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::splat {
namespace {

constexpr double kC1 = 0.4886025119029199;
constexpr double kC2[] = {1.0925484305920792, -1.0925484305920792, 0.31539156525252005, -1.0925484305920792,
                          0.5462742152960396};
constexpr double kC3[] = {-0.5900435899266435, 2.890611442640554, -0.4570457994644658, 0.3731763325901154,
                          -0.4570457994644658, 1.445305721320277, -0.5900435899266435};
constexpr std::size_t kGrain = 512;

void expect_sizes(int degree, std::size_t coefficients, std::size_t means, std::size_t colors) {
  LIMBER_EXPECT(degree >= 0 && degree <= kMaxHarmonicDegree, "degree " + std::to_string(degree));
  LIMBER_EXPECT(coefficients == means * static_cast<std::size_t>(harmonic_count(degree)) && colors == means,
                std::to_string(coefficients) + " coefficients, " + std::to_string(means) + " means, " +
                    std::to_string(colors) + " colours");
}

/// Colour before the clamp.
Vec3d raw_color(std::span<const Vec3> coefficients, const std::array<double, 16>& basis) {
  Vec3d color{0.5, 0.5, 0.5};
  for (std::size_t k = 0; k < coefficients.size(); ++k) color += basis[k] * coefficients[k].cast<double>();
  return color;
}

}  // namespace

template <class T>
std::array<T, 16> harmonic_basis(int degree, Vec3T<T> d) {
  const T x = d.x, y = d.y, z = d.z, xx = x * x, yy = y * y, zz = z * z;
  std::array<T, 16> b{T(kHarmonic0)};
  if (degree >= 1) b[1] = T(-kC1) * y, b[2] = T(kC1) * z, b[3] = T(-kC1) * x;
  if (degree >= 2) {
    b[4] = T(kC2[0]) * x * y;
    b[5] = T(kC2[1]) * y * z;
    b[6] = T(kC2[2]) * (2 * zz - xx - yy);
    b[7] = T(kC2[3]) * x * z;
    b[8] = T(kC2[4]) * (xx - yy);
  }
  if (degree >= 3) {
    b[9] = T(kC3[0]) * y * (3 * xx - yy);
    b[10] = T(kC3[1]) * x * y * z;
    b[11] = T(kC3[2]) * y * (4 * zz - xx - yy);
    b[12] = T(kC3[3]) * z * (2 * zz - 3 * xx - 3 * yy);
    b[13] = T(kC3[4]) * x * (4 * zz - xx - yy);
    b[14] = T(kC3[5]) * z * (xx - yy);
    b[15] = T(kC3[6]) * x * (xx - 3 * yy);
  }
  return b;
}
template std::array<float, 16> harmonic_basis(int, Vec3);
template std::array<double, 16> harmonic_basis(int, Vec3d);

template <class T>
std::array<Vec3T<T>, 16> harmonic_basis_derivative(int degree, Vec3T<T> d) {
  const T x = d.x, y = d.y, z = d.z, xx = x * x, yy = y * y, zz = z * z, o = 0;
  std::array<Vec3T<T>, 16> b{};
  if (degree >= 1) b[1] = {o, T(-kC1), o}, b[2] = {o, o, T(kC1)}, b[3] = {T(-kC1), o, o};
  if (degree >= 2) {
    b[4] = T(kC2[0]) * Vec3T<T>{y, x, o};
    b[5] = T(kC2[1]) * Vec3T<T>{o, z, y};
    b[6] = T(kC2[2]) * Vec3T<T>{-2 * x, -2 * y, 4 * z};
    b[7] = T(kC2[3]) * Vec3T<T>{z, o, x};
    b[8] = T(kC2[4]) * Vec3T<T>{2 * x, -2 * y, o};
  }
  if (degree >= 3) {
    b[9] = T(kC3[0]) * Vec3T<T>{6 * x * y, 3 * xx - 3 * yy, o};
    b[10] = T(kC3[1]) * Vec3T<T>{y * z, x * z, x * y};
    b[11] = T(kC3[2]) * Vec3T<T>{-2 * x * y, 4 * zz - xx - 3 * yy, 8 * y * z};
    b[12] = T(kC3[3]) * Vec3T<T>{-6 * x * z, -6 * y * z, 6 * zz - 3 * xx - 3 * yy};
    b[13] = T(kC3[4]) * Vec3T<T>{4 * zz - 3 * xx - yy, -2 * x * y, 8 * x * z};
    b[14] = T(kC3[5]) * Vec3T<T>{2 * x * z, -2 * y * z, xx - yy};
    b[15] = T(kC3[6]) * Vec3T<T>{3 * xx - 3 * yy, -6 * x * y, o};
  }
  return b;
}
template std::array<Vec3, 16> harmonic_basis_derivative(int, Vec3);
template std::array<Vec3d, 16> harmonic_basis_derivative(int, Vec3d);

void colors_forward(int degree, std::span<const Vec3> coefficients, std::span<const Vec3> means, Vec3 eye,
                    std::span<Vec3> colors) {
  expect_sizes(degree, coefficients.size(), means.size(), colors.size());
  const auto terms = static_cast<std::size_t>(harmonic_count(degree));
  const auto piece = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d direction = normalized(means[i].cast<double>() - eye.cast<double>());
      const Vec3d color = raw_color(coefficients.subspan(i * terms, terms), harmonic_basis(degree, direction));
      colors[i] = max(color, Vec3d{}).cast<float>();
    }
  };
  parallel_for(means.size(), kGrain, std::ref(piece));
}

void colors_backward(int degree, std::span<const Vec3> coefficients, std::span<const Vec3> means, Vec3 eye,
                     std::span<const Vec3> grad_colors, std::span<Vec3> grad_coefficients, std::span<Vec3> grad_means) {
  expect_sizes(degree, coefficients.size(), means.size(), grad_colors.size());
  LIMBER_EXPECT(grad_coefficients.empty() || grad_coefficients.size() == coefficients.size(),
                std::to_string(grad_coefficients.size()));
  LIMBER_EXPECT(grad_means.empty() || grad_means.size() == means.size(), std::to_string(grad_means.size()));
  const auto terms = static_cast<std::size_t>(harmonic_count(degree));
  const auto piece = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Vec3> own = coefficients.subspan(i * terms, terms);
      const Vec3d offset = means[i].cast<double>() - eye.cast<double>();
      const Vec3d direction = normalized(offset);
      const auto basis = harmonic_basis(degree, direction);
      const Vec3d color = raw_color(own, basis);
      Vec3d grad = grad_colors[i].cast<double>();
      for (int c = 0; c < 3; ++c) {
        if (!(color[c] > 0)) grad[c] = 0;
      }
      if (!grad_coefficients.empty()) {
        for (std::size_t k = 0; k < terms; ++k) grad_coefficients[i * terms + k] += (basis[k] * grad).cast<float>();
      }
      const double length = norm(offset);
      if (grad_means.empty() || !(length > 0)) continue;
      const auto derivative = harmonic_basis_derivative(degree, direction);
      Vec3d grad_direction;
      for (std::size_t k = 0; k < terms; ++k) grad_direction += dot(own[k].cast<double>(), grad) * derivative[k];
      // Through the normalisation of the direction.
      grad_means[i] += ((grad_direction - dot(grad_direction, direction) * direction) / length).cast<float>();
    }
  };
  parallel_for(means.size(), kGrain, std::ref(piece));
}

}  // namespace limber::splat
