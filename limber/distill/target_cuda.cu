// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "limber/base/cuda_queue.cuh"
#include "limber/distill/target_cuda.h"

namespace limber::distill {
namespace {

constexpr unsigned kThreads = 256;

/// One thread per number; a sum per block.
__global__ void __launch_bounds__(kThreads)
    pull_kernel(std::uint64_t count, std::uint64_t per_part, const float* drawn, const float* target,
                const float* stiffness, float* slopes, double* sums) {
  __shared__ double all[kThreads];
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  double value = 0;
  if (i < count) {
    const float gap = drawn[i] - target[i], stiff = stiffness[i / per_part];
    slopes[i] = stiff * gap;
    value = 0.5 * double(stiff) * double(gap) * double(gap);
  }
  all[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = all[0];
}

}  // namespace

struct CudaTarget::State {
  std::shared_ptr<CudaQueue> queue;  ///< first: arrays go before it
  DeviceArray<float> target, stiffness, slopes;
  DeviceArray<double> sums;
};

CudaTarget::CudaTarget(scene::CudaScene& scene) : state_(std::make_unique<State>()) { state_->queue = scene.queue(); }
CudaTarget::~CudaTarget() = default;

void CudaTarget::set(const Frames& target) {
  State& s = *state_;
  s.target.upload(*s.queue, target.values, "the target");
}

float* CudaTarget::room(std::size_t count) {
  state_->target.resize(*state_->queue, count, "the target");
  return state_->target.data();
}

void CudaTarget::set_stiffness(std::span<const double> curvature) {
  State& s = *state_;
  const std::vector<float> stiffness(curvature.begin(), curvature.end());
  s.stiffness.upload(*s.queue, stiffness, "the target");
  s.slopes.resize(*s.queue, s.target.size(), "differences");
  s.sums.resize(*s.queue, (s.target.size() + kThreads - 1) / kThreads, "differences");
}

void CudaTarget::get(Frames& target) { target.values = state_->target.download(*state_->queue); }
const float* CudaTarget::data() const { return state_->target.data(); }

const float* CudaTarget::compare(scene::CudaScene& scene) {
  State& s = *state_;
  const std::uint64_t count = s.target.size(), parts = std::max<std::uint64_t>(s.stiffness.size(), 1);
  s.queue->launch("pull", dim3(static_cast<unsigned>(s.sums.size())), kThreads, &pull_kernel, count, count / parts,
                  scene.frames(), static_cast<const float*>(s.target.data()),
                  static_cast<const float*>(s.stiffness.data()), s.slopes.data(), s.sums.data());
  return s.slopes.data();
}

double CudaTarget::loss() {
  double sum = 0;
  for (const double part : state_->sums.download(*state_->queue)) sum += part;
  return sum;
}

}  // namespace limber::distill
