// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/ground_search.h"
#include "limber/scene/ground_pattern.h"

namespace limber::lift {
namespace {

constexpr unsigned kThreads = 128;

/// See `agreement_of`.
struct GroundSums {
  double squares, sum, sum_squares, count;
};

struct SearchInput {
  scene::GroundSettings ground;
  scene::GroundScale scale;
  int width, height;
  const scene::GroundRays* rays;  ///< courses x images
  const float* grey;              ///< images x pixels
  const std::uint8_t* seen;
};

/// One block per course (x) and image (y).
__global__ void __launch_bounds__(kThreads) compare_ground_kernel(SearchInput in, GroundSums* to) {
  __shared__ GroundSums all[kThreads];
  const std::size_t place = std::size_t{blockIdx.x} * gridDim.y + blockIdx.y;
  const scene::GroundRays rays = in.rays[place];
  const int pixels = in.width * in.height;
  const std::size_t first = static_cast<std::size_t>(blockIdx.y) * static_cast<std::size_t>(pixels);
  GroundSums own{0, 0, 0, 0};
  for (int i = static_cast<int>(threadIdx.x); i < pixels; i += static_cast<int>(kThreads)) {
    if (in.seen[first + i] == 0) continue;
    const Vec3 color = scene::ground_color(rays, in.scale, in.ground, i % in.width, i / in.width);
    const auto expected = double((color.x + color.y + color.z) / 3);
    const double gap = std::fabs(double(in.grey[first + i]) - expected);
    const double error = gap < kMostGroundError ? gap : kMostGroundError;
    own.squares += error * error, own.sum += expected, own.sum_squares += expected * expected, own.count += 1;
  }
  all[threadIdx.x] = own;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      GroundSums& mine = all[threadIdx.x];
      const GroundSums other = all[threadIdx.x + half];
      mine.squares += other.squares, mine.sum += other.sum;
      mine.sum_squares += other.sum_squares, mine.count += other.count;
    }
  }
  if (threadIdx.x == 0) to[place] = all[0];
}

}  // namespace

struct CudaGroundSearch::State {
  explicit State(const scene::GroundSettings& its_ground) : ground(its_ground) {}
  std::shared_ptr<CudaQueue> queue;  ///< first: arrays go before it
  scene::GroundSettings ground;
  int width = 0, height = 0;
  std::size_t images = 0;
  DeviceArray<scene::GroundRays> rays;
  DeviceArray<float> grey;
  DeviceArray<std::uint8_t> seen;
  DeviceArray<GroundSums> sums;
};

CudaGroundSearch::CudaGroundSearch(scene::CudaScene& scene, const scene::GroundSettings& ground,
                                   const GroundPixels& pixels, int width, int height)
    : state_(std::make_unique<State>(ground)) {
  State& s = *state_;
  s.queue = scene.queue();
  s.width = width, s.height = height;
  s.images = pixels.grey.size() / (static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const std::vector<std::uint8_t> seen(pixels.seen.begin(), pixels.seen.end());
  s.grey.upload(*s.queue, pixels.grey, "the ground");
  s.seen.upload(*s.queue, seen, "the ground");
}
CudaGroundSearch::~CudaGroundSearch() = default;

std::vector<GroundMatch> CudaGroundSearch::compare(std::span<const scene::Camera> cameras) {
  State& s = *state_;
  const std::size_t courses = cameras.size() / std::max<std::size_t>(s.images, 1);
  std::vector<scene::GroundRays> all;
  all.reserve(cameras.size());
  for (const scene::Camera& camera : cameras) all.emplace_back(camera);
  s.rays.upload(*s.queue, all, "the ground");
  s.sums.resize(*s.queue, cameras.size(), "the ground");
  const SearchInput input{s.ground,     scene::GroundScale(s.ground), s.width, s.height, s.rays.data(), s.grey.data(),
                          s.seen.data()};
  s.queue->launch("compare ground", dim3(static_cast<unsigned>(courses), static_cast<unsigned>(s.images)), kThreads,
                  &compare_ground_kernel, input, s.sums.data());
  const std::vector<GroundSums> sums = s.sums.download(*s.queue);
  std::vector<GroundMatch> found(courses);
  for (std::size_t c = 0; c < courses && s.queue->ok(); ++c) {
    GroundSums total{0, 0, 0, 0};
    for (std::size_t k = c * s.images; k < (c + 1) * s.images; ++k) {
      total.squares += sums[k].squares, total.sum += sums[k].sum;
      total.sum_squares += sums[k].sum_squares, total.count += sums[k].count;
    }
    found[c] = agreement_of(total.squares, total.sum, total.sum_squares, total.count);
  }
  return found;
}

}  // namespace limber::lift
