// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/image_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/lift/view_loss.h"

namespace limber::lift {
namespace {

constexpr float kCorner = 0.15f, kPerPixel = 0.3f, kColour = 0.1f;

/// Pictures of random colours, some of them grey.
std::vector<float> random_picture(int pixels, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> picture(static_cast<std::size_t>(3 * pixels));
  for (int i = 0; i < pixels; ++i) {
    const double grey = 0.5 + 0.2 * rng.normal(), colour = rng.normal() > 0 ? 0.2 : 0.01;
    for (int c = 0; c < 3; ++c) {
      picture[static_cast<std::size_t>(c * pixels + i)] = static_cast<float>(grey + colour * rng.normal());
    }
  }
  return picture;
}

/// One plane blurred, plainly.
std::vector<double> blurred(const std::vector<double>& plane, int height, int width, const std::vector<float>& taps) {
  const int radius = static_cast<int>(taps.size() / 2);
  std::vector<double> result(plane.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int v = std::max(y - radius, 0); v <= std::min(y + radius, height - 1); ++v) {
        for (int u = std::max(x - radius, 0); u <= std::min(x + radius, width - 1); ++u) {
          sum += double(taps[static_cast<std::size_t>(v - y + radius)]) *
                 double(taps[static_cast<std::size_t>(u - x + radius)]) *
                 plane[static_cast<std::size_t>(v * width + u)];
        }
      }
      result[static_cast<std::size_t>(y * width + x)] = sum;
    }
  }
  return result;
}

struct Plain {
  ComparedImage sums{};
  std::vector<double> gradient;
};

Plain plain_compare(const std::vector<float>& drawn, const std::vector<float>& target, int height, int width,
                    const std::vector<float>& taps) {
  const auto plane = static_cast<std::size_t>(height * width);
  std::vector<double> difference[3];
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < plane; ++i) {
      difference[c].push_back(double(drawn[c * plane + i]) - double(target[c * plane + i]));
    }
    if (!taps.empty()) difference[c] = blurred(difference[c], height, width, taps);
  }
  const auto coloured = [&](const std::vector<float>& p, std::size_t i) {
    const auto [low, high] = std::minmax({p[i], p[i + plane], p[i + 2 * plane]});
    return high - low > kColour;
  };
  Plain result;
  const double corner = double(kCorner);
  for (std::size_t i = 0; i < plane; ++i) {
    double square = 0;
    for (const std::vector<double>& d : difference) square += d[i] * d[i];
    const double root = std::sqrt(1 + square / (corner * corner));
    result.sums.value += corner * corner * (root - 1);
    if (coloured(drawn, i) || coloured(target, i)) result.sums.squares += square, result.sums.body += 1;
    for (std::vector<double>& d : difference) d[i] *= double(kPerPixel) / root;
  }
  for (std::vector<double>& d : difference) {
    if (!taps.empty()) d = blurred(d, height, width, taps);
    result.gradient.insert(result.gradient.end(), d.begin(), d.end());
  }
  return result;
}

TEST(ImageKernels, CompareAsThePlainReferenceWithTheSameBitsOnAllInstructionSets) {
  const SimdLevel usual = simd_level();
  for (const auto& [height, width] : {std::pair{64, 64}, std::pair{13, 71}, std::pair{5, 3}, std::pair{1, 1}}) {
    for (const float sigma : {0.0f, 0.5f, 2.0f}) {
      SCOPED_TRACE(std::to_string(height) + " x " + std::to_string(width) + ", " + std::to_string(sigma));
      const std::vector<float> drawn = random_picture(height * width, 1), target = random_picture(height * width, 2);
      const std::vector<float> taps = sigma > 0 ? gaussian_taps(sigma) : std::vector<float>();
      const int radius = static_cast<int>(taps.size() / 2);
      const Plain plain = plain_compare(drawn, target, height, width, taps);
      std::vector<std::vector<float>> gradients;
      std::vector<ComparedImage> sums;
      for (const SimdLevel level : available_simd_levels()) {
        set_simd_level(level);
        // What lies beside may be anything.
        std::vector<float> beside(static_cast<std::size_t>(blur_numbers(height, width, radius)), 7.0f);
        std::vector<float> gradient(drawn.size());
        sums.push_back(image_kernels().compare({drawn.data(),
                                                target.data(),
                                                gradient.data(),
                                                {taps.data(), radius, height, width, beside.data()},
                                                kCorner,
                                                kPerPixel,
                                                kColour}));
        gradients.push_back(std::move(gradient));
      }
      set_simd_level(usual);
      for (std::size_t i = 0; i < drawn.size(); ++i) ASSERT_NEAR(gradients[0][i], plain.gradient[i], 1e-6) << i;
      EXPECT_NEAR(sums[0].value, plain.sums.value, 1e-5 * plain.sums.value);
      EXPECT_NEAR(sums[0].squares, plain.sums.squares, 1e-5 * plain.sums.squares);
      EXPECT_EQ(sums[0].body, plain.sums.body);
      for (std::size_t k = 1; k < sums.size(); ++k) {
        EXPECT_EQ(gradients[k], gradients[0]);
        EXPECT_EQ(sums[k].value, sums[0].value);
        EXPECT_EQ(sums[k].squares, sums[0].squares);
      }
    }
  }
}

}  // namespace
}  // namespace limber::lift
