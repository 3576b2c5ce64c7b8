// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/list_kernels.cuh"

// From sums over pixels to gradients. Every sum has an owner that adds in order: a record its entries, a Gaussian its
// images, a bone its Gaussians by chunks.
namespace limber::splat {

/// Where a record's sums are: kPoseSums by entry, or kAllSums.
struct RecordSums {
  const std::uint32_t *first_entries, *counts;
  const float* entry_grads;
};
/// False where they are all zero. Entries are added in order, and loaded four at a time.
template <bool kAll>
__device__ inline bool load_sums(const RecordSums& in, std::uint32_t id, ScreenSums& to) {
  constexpr int kParts = (kAll ? kAllSums : kPoseSums) / 4, kNumbers = kAll ? 9 : 6;
  for (double& sum : to.sum) sum = 0;
  const std::uint32_t count = in.counts[id];
  const auto* from = reinterpret_cast<const float4*>(in.entry_grads) + std::size_t{in.first_entries[id]} * kParts;
  bool any = false;
  for (std::uint32_t first = 0; first < count; first += 4, from += 4 * kParts) {
    float4 parts[4][3] = {};
#pragma unroll
    for (std::uint32_t e = 0; e < 4; ++e) {
      for (int k = 0; k < kParts && first + e < count; ++k) parts[e][k] = from[e * kParts + k];
    }
#pragma unroll
    for (const auto& p : parts) {
      const float numbers[9] = {p[0].x, p[0].y, p[0].z, p[0].w, p[1].x, p[1].y, p[2].x, p[2].y, p[2].z};
      for (int k = 0; k < kNumbers; ++k) {
        to.sum[k < 6 ? k : k + 2] += double(numbers[k]);
        any = any || numbers[k] != 0;
      }
    }
  }
  return any;
}

/// Twelve numbers per record: rows of (linear part, translation) of the blended bones.
inline constexpr int kPoseNumbers = 12;

/// One thread per record.
template <bool kAll>
static __global__ void __launch_bounds__(256) pose_gradient_kernel(ProjectInput in, RecordSums sums, float* to) {
  const std::uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= in.gaussians * in.images) return;
  auto* rows = reinterpret_cast<float4*>(to) + 3 * std::size_t{id};
  ScreenSums screen;
  if (!load_sums<kAll>(sums, id, screen)) {
    for (int i = 0; i < 3; ++i) rows[i] = float4{0, 0, 0, 0};
    return;
  }
  const std::uint32_t image = id / in.gaussians;
  const GaussianGradient grad = project_backward(in, image, id - image * in.gaussians, screen);
  for (int i = 0; i < 3; ++i) {
    rows[i] = float4{static_cast<float>(grad.row[i].x), static_cast<float>(grad.row[i].y),
                     static_cast<float>(grad.row[i].z), static_cast<float>(grad.shift[i])};
  }
}

/// Which Gaussians a bone moves: the skin read the other way round, in chunks.
struct BoneChunk {
  std::uint32_t begin, end;  ///< items
};
struct BoneItem {
  std::uint32_t gaussian;
  float weight;
};
inline constexpr std::uint32_t kChunkItems = 512;
inline constexpr unsigned kChunkThreads = 128;

/// One block per chunk (x) and frame (y): the chunk's part of its bone's gradient, over all views.
static __global__ void __launch_bounds__(kChunkThreads)
    bone_chunk_kernel(ProjectInput in, const BoneChunk* chunks, const BoneItem* items, const float* pose_grads,
                      double* parts) {
  __shared__ double all[kChunkThreads][kPoseNumbers];
  __shared__ double some[8][kPoseNumbers];
  const BoneChunk chunk = chunks[blockIdx.x];
  double sum[kPoseNumbers] = {};
  for (std::uint32_t i = chunk.begin + threadIdx.x; i < chunk.end; i += kChunkThreads) {
    const BoneItem item = items[i];
    const auto weight = double(item.weight);
    for (std::uint32_t image = blockIdx.y; image < in.images; image += in.frames) {
      const float4* rows =
          reinterpret_cast<const float4*>(pose_grads) + 3 * (std::size_t{image} * in.gaussians + item.gaussian);
      for (int r = 0; r < 3; ++r) {
        const float4 row = rows[r];
        sum[4 * r] += weight * double(row.x), sum[4 * r + 1] += weight * double(row.y);
        sum[4 * r + 2] += weight * double(row.z), sum[4 * r + 3] += weight * double(row.w);
      }
    }
  }
  for (int k = 0; k < kPoseNumbers; ++k) all[threadIdx.x][k] = sum[k];
  __syncthreads();
  if (threadIdx.x < 8 * kPoseNumbers) {
    const unsigned k = threadIdx.x % kPoseNumbers, part = threadIdx.x / kPoseNumbers;
    double total = 0;
    for (unsigned t = part * (kChunkThreads / 8); t < (part + 1) * (kChunkThreads / 8); ++t) total += all[t][k];
    some[part][k] = total;
  }
  __syncthreads();
  if (threadIdx.x < kPoseNumbers) {
    double total = 0;
    for (const auto& part : some) total += part[threadIdx.x];
    parts[(std::size_t{blockIdx.y} * gridDim.x + blockIdx.x) * kPoseNumbers + threadIdx.x] = total;
  }
}

/// One thread per frame, bone and number: its chunks in order, as the entries of an Affine, onto those of `before`
/// where they are given.
static __global__ void __launch_bounds__(256)
    bone_kernel(const std::uint32_t* bone_chunks, std::uint32_t bones, std::uint32_t frames, const double* parts,
                const Affine* before, Affine* to) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frames * bones * kPoseNumbers) return;
  const std::uint32_t k = i % kPoseNumbers, bone = i / kPoseNumbers % bones, frame = i / kPoseNumbers / bones;
  double sum = 0;
  for (std::uint32_t c = bone_chunks[bone]; c < bone_chunks[bone + 1]; ++c) {
    sum += parts[(std::size_t{frame} * bone_chunks[bones] + c) * kPoseNumbers + k];
  }
  const std::size_t at = std::size_t{frame} * bones + bone;
  const int row = static_cast<int>(k / 4), column = static_cast<int>(k % 4);
  const auto value = static_cast<float>(sum);
  if (column == 3) {
    to[at].translation[row] = before ? before[at].translation[row] + value : value;
  } else {
    to[at].linear(row, column) = before ? before[at].linear(row, column) + value : value;
  }
}

/// Gradients on Gaussians at rest, shaped like the input; null where not wanted. All start at zero.
struct RestGradient {
  float *means, *covariances, *opacities, *colors;
};

/// One thread per Gaussian: all its images in order.
template <bool kAll>
static __global__ void __launch_bounds__(128) rest_gradient_kernel(ProjectInput in, RecordSums sums, RestGradient to) {
  const std::uint32_t g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= in.gaussians) return;
  for (std::uint32_t image = 0; image < in.images; ++image) {
    ScreenSums screen;
    if (!load_sums<kAll>(sums, image * in.gaussians + g, screen)) continue;
    const GaussianGradient grad = project_backward(in, image, g, screen);
    for (int k = 0; k < 3 && to.means; ++k) to.means[3 * std::size_t{g} + k] += static_cast<float>(grad.mean[k]);
    for (int k = 0; k < 6 && to.covariances; ++k) {
      to.covariances[6 * std::size_t{g} + k] += static_cast<float>(grad.covariance[k]);
    }
    if (to.opacities) to.opacities[opacity_place(in, image, g)] += static_cast<float>(grad.opacity);
    for (int k = 0; k < 3 && to.colors; ++k) {
      to.colors[3 * color_place(in, image, g) + k] += static_cast<float>(grad.color[k]);
    }
  }
}

}  // namespace limber::splat
