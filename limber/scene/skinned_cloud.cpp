// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/skinned_cloud.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "limber/splat/harmonics.h"

namespace limber::scene {
namespace {

/// Calls body(bone, weight) for the influences of a Gaussian.
template <class Body>
void for_each_influence(const splat::Gaussians& gaussians, std::size_t gaussian, const Body& body) {
  const auto stride = static_cast<std::size_t>(gaussians.influences);
  for (std::size_t k = gaussian * stride; k < (gaussian + 1) * stride; ++k) {
    if (gaussians.weights[k] != 0) body(std::size_t{gaussians.bones[k]}, gaussians.weights[k]);
  }
}

Affined blended(const splat::Gaussians& gaussians, std::size_t gaussian, std::span<const Affine> bones) {
  Affined sum{Mat3d{}, {}};
  for_each_influence(gaussians, gaussian, [&](std::size_t bone, float weight) {
    const Affined matrix = bones[bone].cast<double>();
    sum.linear += double(weight) * matrix.linear;
    sum.translation += double(weight) * matrix.translation;
  });
  return sum;
}

/// A view direction in bind space and what it came from.
struct BindView {
  Affined blend;
  Vec3d offset;     ///< eye to posed mean
  Vec3d direction;  ///< unit
  double length = 0;
};

BindView bind_view(const splat::Gaussians& gaussians, std::size_t gaussian, std::span<const Affine> bones, Vec3 eye) {
  BindView view;
  view.blend = blended(gaussians, gaussian, bones);
  view.offset = view.blend * gaussians.means[gaussian].cast<double>() - eye.cast<double>();
  const Vec3d turned = transposed(view.blend.linear) * view.offset;
  view.length = norm(turned);
  view.direction = normalized(turned);
  return view;
}

Vec3 posed_mean(const splat::Gaussians& gaussians, std::size_t gaussian, std::span<const Affine> bones) {
  const Vec3 rest = gaussians.means[gaussian];
  Vec3 mean;
  for_each_influence(gaussians, gaussian,
                     [&](std::size_t bone, float weight) { mean += weight * (bones[bone] * rest); });
  return mean;
}

}  // namespace

Box posed_box(const splat::Gaussians& gaussians, std::span<const Affine> bones, std::span<float> heights) {
  Box box;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    const Vec3 mean = posed_mean(gaussians, i, bones);
    if (!heights.empty()) heights[i] = mean.y;
    if (!is_finite(mean)) continue;
    box.low = min(box.low, mean), box.high = max(box.high, mean);
  }
  return box;
}

Box swung_box(const splat::Gaussians& gaussians, std::span<const Affine> bones, const Box& box, Vec3 shares) {
  Box swung;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    const Vec3 mean = posed_mean(gaussians, i, bones);
    if (!is_finite(mean)) continue;
    const Vec3 swing = std::abs(mean.x - box.center().x) * shares;
    swung.low = min(swung.low, mean - swing), swung.high = max(swung.high, mean + swing);
  }
  return swung;
}

void posed_heights_forward(const splat::Gaussians& gaussians, std::span<const Affine> bones, std::span<float> heights) {
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const Vec3 rest = gaussians.means[i];
    float sum = 0;
    for_each_influence(gaussians, i, [&](std::size_t bone, float weight) {
      sum += weight * (dot(bones[bone].linear.row(1), rest) + bones[bone].translation.y);
    });
    heights[i] = sum;
  }
}

void posed_heights_backward(const splat::Gaussians& gaussians, std::span<const float> grad_heights,
                            std::span<Affined> grad_bones) {
  for (std::size_t i = 0; i < grad_heights.size(); ++i) {
    if (grad_heights[i] == 0) continue;
    const auto grad = double(grad_heights[i]);
    const Vec3d rest = gaussians.means[i].cast<double>();
    for_each_influence(gaussians, i, [&](std::size_t bone, float weight) {
      const double share = double(weight) * grad;
      for (int k = 0; k < 3; ++k) grad_bones[bone].linear(1, k) += share * rest[k];
      grad_bones[bone].translation.y += share;
    });
  }
}

void posed_colors_forward(const splat::Gaussians& gaussians, std::span<const Affine> bones, Vec3 eye,
                          std::span<Vec3> colors) {
  const auto terms = static_cast<std::size_t>(splat::harmonic_count(gaussians.degree));
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const auto basis = splat::harmonic_basis(gaussians.degree, bind_view(gaussians, i, bones, eye).direction);
    Vec3d color{0.5, 0.5, 0.5};
    for (std::size_t k = 0; k < terms; ++k) color += basis[k] * gaussians.harmonics[i * terms + k].cast<double>();
    colors[i] = max(color, Vec3d{}).cast<float>();
  }
}

void posed_colors_backward(const splat::Gaussians& gaussians, std::span<const Affine> bones, Vec3 eye,
                           std::span<const Vec3> grad_colors, std::span<Affined> grad_bones) {
  const auto terms = static_cast<std::size_t>(splat::harmonic_count(gaussians.degree));
  for (std::size_t i = 0; i < grad_colors.size(); ++i) {
    Vec3d grad = grad_colors[i].cast<double>();
    if (grad == Vec3d{}) continue;
    const BindView view = bind_view(gaussians, i, bones, eye);
    if (!(view.length > 0)) continue;
    const Vec3* own = gaussians.harmonics.data() + i * terms;
    const auto basis = splat::harmonic_basis(gaussians.degree, view.direction);
    Vec3d color{0.5, 0.5, 0.5};
    for (std::size_t k = 0; k < terms; ++k) color += basis[k] * own[k].cast<double>();
    for (int c = 0; c < 3; ++c) grad[c] = color[c] > 0 ? grad[c] : 0.0;  // clamped colours stay where they are

    const auto derivative = splat::harmonic_basis_derivative(gaussians.degree, view.direction);
    Vec3d grad_direction;
    for (std::size_t k = 0; k < terms; ++k) grad_direction += dot(own[k].cast<double>(), grad) * derivative[k];
    // direction = turned / |turned|, turned = A^T offset, offset = A rest + t - eye
    const Vec3d grad_turned = (grad_direction - dot(grad_direction, view.direction) * view.direction) / view.length;
    const Vec3d grad_offset = view.blend.linear * grad_turned;
    const Mat3d grad_blend = outer(view.offset, grad_turned) + outer(grad_offset, gaussians.means[i].cast<double>());
    for_each_influence(gaussians, i, [&](std::size_t bone, float weight) {
      grad_bones[bone].linear += double(weight) * grad_blend;
      grad_bones[bone].translation += double(weight) * grad_offset;
    });
  }
}

void add_rounded(std::span<const Affined> terms, std::span<Affine> sums) {
  for (std::size_t b = 0; b < terms.size(); ++b) {
    sums[b].linear += terms[b].linear.cast<float>();
    sums[b].translation += terms[b].translation.cast<float>();
  }
}

}  // namespace limber::scene
