// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <vector>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss_cuda.h"

namespace limber::lift {
namespace {

/// One thread per number.
__global__ void __launch_bounds__(256)
    subtract_kernel(std::uint64_t count, const float* drawn, const float* target, float* difference) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) difference[i] = drawn[i] - target[i];
}

/// One thread per number of planes of `width` columns and `height` rows: along rows, or along columns.
__global__ void __launch_bounds__(256) blur_kernel(std::uint64_t count, int width, int height, bool along_rows,
                                                   const float* taps, int radius, const float* from, float* to) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int x = static_cast<int>(i % static_cast<std::uint64_t>(width));
  const int y = static_cast<int>(i / static_cast<std::uint64_t>(width) % static_cast<std::uint64_t>(height));
  const int at = along_rows ? x : y, size = along_rows ? width : height, step = along_rows ? 1 : width;
  const int first = -radius > -at ? -radius : -at, last = radius < size - 1 - at ? radius : size - 1 - at;
  float sum = 0;
  for (int k = first; k <= last; ++k) sum += taps[k + radius] * from[static_cast<std::int64_t>(i) + k * step];
  to[i] = sum;
}

__device__ inline bool is_coloured(const float* c, std::uint64_t plane) {
  const float x = c[0], y = c[plane], z = c[2 * plane];
  const float high = x > y ? (x > z ? x : z) : (y > z ? y : z), low = x < y ? (x < z ? x : z) : (y < z ? y : z);
  return high - low > kBodyColour;
}

/// Sums of one block: robust error, squares and pixels of the body.
struct LossTerm {
  double value, squares, body;
};
constexpr unsigned kLossThreads = 128, kLossTerms = 8;  ///< parts: blocks per image

/// Blocks: parts (x) of images (y). Turns the blurred difference into the gradient on it.
__global__ void __launch_bounds__(kLossThreads)
    loss_kernel(std::uint32_t plane, const float* drawn, const float* target, float corner, double per_pixel,
                float* difference, LossTerm* parts) {
  __shared__ LossTerm all[kLossThreads];
  LossTerm sum{0, 0, 0};
  const std::uint64_t first = std::uint64_t{3} * plane * blockIdx.y;
  for (std::uint32_t i = blockIdx.x * kLossThreads + threadIdx.x; i < plane; i += kLossThreads * kLossTerms) {
    float* d = difference + first + i;
    const float x = d[0], y = d[plane], z = d[2 * std::uint64_t{plane}];
    const float square = x * x + y * y + z * z;
    // Pseudo-Huber: c^2 (sqrt(1 + e^2 / c^2) - 1).
    const float root = std::sqrt(1 + square / (corner * corner));
    sum.value += double(corner * corner * (root - 1));
    if (is_coloured(drawn + first + i, plane) || is_coloured(target + first + i, plane)) {
      sum.squares += double(square), sum.body += 1;
    }
    const auto slope = static_cast<float>(per_pixel / double(root));
    d[0] = slope * x, d[plane] = slope * y, d[2 * std::uint64_t{plane}] = slope * z;
  }
  all[threadIdx.x] = sum;
  for (unsigned half = kLossThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const LossTerm other = all[threadIdx.x + half];
      all[threadIdx.x].value += other.value;
      all[threadIdx.x].squares += other.squares;
      all[threadIdx.x].body += other.body;
    }
  }
  if (threadIdx.x == 0) parts[blockIdx.y * gridDim.x + blockIdx.x] = all[0];
}

}  // namespace

struct CudaViewLoss::State {
  void blur(const Frames& shape, float sigma);

  std::shared_ptr<CudaQueue> queue;  ///< first: arrays go before it
  const Frames* shape = nullptr;
  float corner = 0;
  double per_pixel = 0;
  float sigma = -1;  ///< whose taps are there
  int radius = 0;
  DeviceArray<float> target, difference, rows, taps;
  DeviceArray<LossTerm> parts;
};

CudaViewLoss::CudaViewLoss(scene::CudaScene& scene, const Frames& target, float corner, double per_pixel)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.queue = scene.queue();
  s.shape = &target, s.corner = corner, s.per_pixel = per_pixel;
  s.target.upload(*s.queue, target.values, "the target");
}
CudaViewLoss::~CudaViewLoss() = default;
// It keeps the queue, so that no other one can have its address.
bool CudaViewLoss::is_of(scene::CudaScene& scene) const { return state_->queue == scene.queue(); }

void CudaViewLoss::State::blur(const Frames& frames, float wanted) {
  if (wanted < 0.1f) return;
  if (sigma != wanted) {
    const std::vector<float> values = gaussian_taps(wanted);
    taps.upload(*queue, values, "a blur");
    sigma = wanted, radius = static_cast<int>(values.size() / 2);
  }
  rows.resize(*queue, difference.size(), "differences");
  const std::uint64_t count = difference.size();
  queue->launch_each("blur", count, &blur_kernel, count, frames.width, frames.height, true, taps.data(), radius,
                     difference.data(), rows.data());
  queue->launch_each("blur", count, &blur_kernel, count, frames.width, frames.height, false, taps.data(), radius,
                     rows.data(), difference.data());
}

const float* CudaViewLoss::compare(scene::CudaScene& scene, float blur) {
  State& s = *state_;
  const Frames& target = *s.shape;
  const auto images = static_cast<unsigned>(target.views * target.frames);
  const auto plane = static_cast<std::uint32_t>(target.height) * static_cast<std::uint32_t>(target.width);
  const std::uint64_t count = target.values.size();
  s.difference.resize(*s.queue, count, "differences");
  s.parts.resize(*s.queue, std::size_t{images} * kLossTerms, "differences");
  s.queue->launch_each("subtract", count, &subtract_kernel, count, scene.frames(), s.target.data(),
                       s.difference.data());
  s.blur(target, blur);
  s.queue->launch("loss", dim3(kLossTerms, images), kLossThreads, &loss_kernel, plane, scene.frames(), s.target.data(),
                  s.corner, s.per_pixel, s.difference.data(), s.parts.data());
  // The blur is its own adjoint.
  s.blur(target, blur);
  return s.difference.data();
}

PixelLoss CudaViewLoss::loss() {
  State& s = *state_;
  const Frames& target = *s.shape;
  const auto images = static_cast<std::size_t>(target.views) * static_cast<std::size_t>(target.frames);
  const std::vector<LossTerm> parts = s.parts.download(*s.queue);
  PixelLoss loss;
  for (std::size_t image = 0; image < images && s.queue->ok(); ++image) {
    LossTerm sum{0, 0, 0};
    for (std::size_t k = image * kLossTerms; k < (image + 1) * kLossTerms; ++k) {
      sum.value += parts[k].value, sum.squares += parts[k].squares, sum.body += parts[k].body;
    }
    loss.add(image % static_cast<std::size_t>(target.frames), s.per_pixel * sum.value, sum.squares, sum.body);
  }
  return loss;
}

}  // namespace limber::lift
