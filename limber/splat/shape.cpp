// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/shape.h"

#include <functional>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::splat {
namespace {

constexpr std::size_t kGrain = 1024;

}  // namespace

void covariances_forward(std::span<const Quat> rotations, std::span<const Vec3> scales,
                         std::span<Symmetric> covariances) {
  LIMBER_EXPECT(scales.size() == rotations.size() && covariances.size() == rotations.size(),
                std::to_string(rotations.size()) + " rotations, " + std::to_string(scales.size()) + " scales, " +
                    std::to_string(covariances.size()) + " covariances");
  const auto piece = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      covariances[i] = covariance_forward(rotations[i].cast<double>(), scales[i].cast<double>()).cast<float>();
    }
  };
  parallel_for(rotations.size(), kGrain, std::ref(piece));
}

void covariances_backward(std::span<const Quat> rotations, std::span<const Vec3> scales,
                          std::span<const Symmetric> grad_covariances, std::span<Quat> grad_rotations,
                          std::span<Vec3> grad_scales) {
  const std::size_t count = rotations.size();
  LIMBER_EXPECT(scales.size() == count && grad_covariances.size() == count, std::to_string(count) + " rotations");
  LIMBER_EXPECT(grad_rotations.empty() || grad_rotations.size() == count, std::to_string(grad_rotations.size()));
  LIMBER_EXPECT(grad_scales.empty() || grad_scales.size() == count, std::to_string(grad_scales.size()));
  const auto piece = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto grad = covariance_backward(rotations[i].cast<double>(), scales[i].cast<double>(),
                                            grad_covariances[i].cast<double>());
      if (!grad_scales.empty()) grad_scales[i] += grad.scale.cast<float>();
      if (grad_rotations.empty()) continue;
      for (int k = 0; k < 4; ++k) grad_rotations[i][k] += static_cast<float>(grad.rotation[k]);
    }
  };
  parallel_for(count, kGrain, std::ref(piece));
}

}  // namespace limber::splat
