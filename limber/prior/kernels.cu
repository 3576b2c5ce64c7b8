// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "limber/prior/kernels.h"

namespace limber::prior::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 8;             // channels that one thread handles: 16 bytes
constexpr int kPixelsPerThread = 32;  // of a reduction

using nn::cuda::to_bf16;
using nn::cuda::to_float;

struct alignas(16) Vector {
  Bf16 at[kLanes];
};

__device__ Vector load(const Bf16* x, std::int64_t vector) { return reinterpret_cast<const Vector*>(x)[vector]; }

__device__ float sigmoid(float u) { return 1.0f / (1.0f + __expf(-u)); }

/// What a norm knows of its channels.
struct Norm {
  const float* mean;
  const float* rstd;
  const Bf16* weight;
  const Bf16* bias;
  int channels_per_group;
};

/// One element on its way back: the normalised value, and the gradient that arrives at it.
struct Back {
  float normal, gradient;
};

__device__ Back through_silu(const Norm& norm, int channel, float x, float grad_y) {
  const int group = channel / norm.channels_per_group;
  const float weight = to_float(norm.weight[channel]);
  const float normal = (x - norm.mean[group]) * norm.rstd[group];
  const float u = normal * weight + to_float(norm.bias[channel]);
  const float gate = sigmoid(u);
  return {normal, grad_y * gate * (1.0f + u * (1.0f - gate)) * weight};
}

/// The terms of the mean and the variance.
struct Moments {
  const Bf16* x;
  __device__ void operator()(std::int64_t vector, int, float* first, float* second) const {
    const Vector v = load(x, vector);
    for (int i = 0; i < kLanes; ++i) {
      const float value = to_float(v.at[i]);
      first[i] += value, second[i] += value * value;
    }
  }
};

/// The terms of the two corrections in a norm's gradient.
struct BackMoments {
  const Bf16* x;
  const Bf16* grad_y;
  Norm norm;
  __device__ void operator()(std::int64_t vector, int channel, float* first, float* second) const {
    const Vector v = load(x, vector), g = load(grad_y, vector);
    for (int i = 0; i < kLanes; ++i) {
      const Back back = through_silu(norm, channel + i, to_float(v.at[i]), to_float(g.at[i]));
      first[i] += back.gradient, second[i] += back.gradient * back.normal;
    }
  }
};

/// Sums two terms over all pixels of a group, in a fixed order: partial[block][group][2].
template <class Terms>
__global__ void partial_sums(Terms terms, NormShape shape, float* partial) {
  __shared__ float sums[kThreads][2 * kLanes];
  const int columns = shape.channels / kLanes, rows = kThreads / columns;
  const int column = threadIdx.x % columns, row = threadIdx.x / columns;
  float first[kLanes] = {}, second[kLanes] = {};
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * rows * kPixelsPerThread;
  for (int k = 0; k < kPixelsPerThread; ++k) {
    const std::int64_t pixel = begin + static_cast<std::int64_t>(k) * rows + row;
    if (pixel < shape.pixels) terms(pixel * columns + column, column * kLanes, first, second);
  }
  for (int i = 0; i < kLanes; ++i) sums[threadIdx.x][i] = first[i], sums[threadIdx.x][kLanes + i] = second[i];
  __syncthreads();

  const int per_group = shape.channels / shape.groups;
  for (int group = threadIdx.x; group < shape.groups; group += kThreads) {
    float a = 0, b = 0;
    for (int channel = group * per_group; channel < (group + 1) * per_group; ++channel) {
      for (int r = 0; r < rows; ++r) {
        const float* entry = sums[r * columns + channel / kLanes];
        a += entry[channel % kLanes], b += entry[kLanes + channel % kLanes];
      }
    }
    float* out = partial + 2 * (static_cast<std::int64_t>(blockIdx.x) * shape.groups + group);
    out[0] = a, out[1] = b;
  }
}

/// Adds up what the blocks found, one block per group, in double.
__device__ void total(const float* partial, int blocks, int groups, double* a, double* b) {
  __shared__ double sums[kThreads][2];
  double first = 0, second = 0;
  for (int block = threadIdx.x; block < blocks; block += kThreads) {
    const float* in = partial + 2 * (static_cast<std::int64_t>(block) * groups + blockIdx.x);
    first += in[0], second += in[1];
  }
  sums[threadIdx.x][0] = first, sums[threadIdx.x][1] = second;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      sums[threadIdx.x][0] += sums[threadIdx.x + half][0], sums[threadIdx.x][1] += sums[threadIdx.x + half][1];
    }
  }
  *a = sums[0][0], *b = sums[0][1];
}

__global__ void finish_statistics(const float* partial, int blocks, NormShape shape, double eps, float* mean,
                                  float* rstd) {
  double sum = 0, squares = 0;
  total(partial, blocks, shape.groups, &sum, &squares);
  if (threadIdx.x != 0) return;
  const double count = static_cast<double>(shape.pixels) * (shape.channels / shape.groups);
  const double average = sum / count, variance = squares / count - average * average;
  mean[blockIdx.x] = static_cast<float>(average);
  rstd[blockIdx.x] = static_cast<float>(rsqrt((variance > 0 ? variance : 0) + eps));
}

__global__ void finish_moments(const float* partial, int blocks, NormShape shape, float* moments) {
  double first = 0, second = 0;
  total(partial, blocks, shape.groups, &first, &second);
  if (threadIdx.x != 0) return;
  const double count = static_cast<double>(shape.pixels) * (shape.channels / shape.groups);
  moments[blockIdx.x] = static_cast<float>(first / count);
  moments[shape.groups + blockIdx.x] = static_cast<float>(second / count);
}

__global__ void apply_norm_silu(const Bf16* x, NormShape shape, Norm norm, Bf16* y) {
  const int columns = shape.channels / kLanes;
  const std::int64_t vectors = shape.pixels * columns, stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < vectors; i += stride) {
    const int channel = static_cast<int>(i % columns) * kLanes;
    Vector v = load(x, i);
    for (int k = 0; k < kLanes; ++k) {
      const int group = (channel + k) / norm.channels_per_group;
      const float u = (to_float(v.at[k]) - norm.mean[group]) * norm.rstd[group] * to_float(norm.weight[channel + k]) +
                      to_float(norm.bias[channel + k]);
      v.at[k] = to_bf16(u * sigmoid(u));
    }
    reinterpret_cast<Vector*>(y)[i] = v;
  }
}

__global__ void apply_backward(const Bf16* x, const Bf16* grad_y, NormShape shape, Norm norm, const float* moments,
                               Bf16* grad_x) {
  const int columns = shape.channels / kLanes;
  const std::int64_t vectors = shape.pixels * columns, stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < vectors; i += stride) {
    const int channel = static_cast<int>(i % columns) * kLanes;
    const Vector v = load(x, i), g = load(grad_y, i);
    Vector out;
    for (int k = 0; k < kLanes; ++k) {
      const int group = (channel + k) / norm.channels_per_group;
      const Back back = through_silu(norm, channel + k, to_float(v.at[k]), to_float(g.at[k]));
      out.at[k] =
          to_bf16(norm.rstd[group] * (back.gradient - moments[group] - back.normal * moments[shape.groups + group]));
    }
    reinterpret_cast<Vector*>(grad_x)[i] = out;
  }
}

/// One warp per head: a lane holds one pair.
__global__ void norm_rotate_pairs(Bf16* x, std::int64_t rows, std::int64_t tokens, int heads, std::int64_t first,
                                  const Bf16* weight, const Bf16* bias, float eps, const float* cosines,
                                  const float* sines) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  unsigned* pair = reinterpret_cast<unsigned*>(x) + row * 32 + lane;
  const unsigned bits = *pair;
  float a = __uint_as_float(bits << 16), b = __uint_as_float(bits & 0xffff0000u);

  float sum = a + b;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  const float mean = sum / 64;
  float squares = (a - mean) * (a - mean) + (b - mean) * (b - mean);
  for (int offset = 16; offset > 0; offset /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, offset);
  const float rstd = rsqrtf(squares / 64 + eps);
  // Rounded between the two, as a layer norm on its own would leave it.
  a = to_float(to_bf16((a - mean) * rstd * to_float(weight[2 * lane]) + to_float(bias[2 * lane])));
  b = to_float(to_bf16((b - mean) * rstd * to_float(weight[2 * lane + 1]) + to_float(bias[2 * lane + 1])));

  const std::int64_t token = row / heads % tokens - first;
  if (token >= 0) {
    const float c = cosines[token * 32 + lane], s = sines[token * 32 + lane];
    const float turned = a * c - b * s;
    b = b * c + a * s;
    a = turned;
  }
  *pair = static_cast<unsigned>(to_bf16(a)) | static_cast<unsigned>(to_bf16(b)) << 16;
}

int reduction_blocks(const NormShape& shape) {
  const std::int64_t pixels = static_cast<std::int64_t>(kThreads / (shape.channels / kLanes)) * kPixelsPerThread;
  return static_cast<int>((shape.pixels + pixels - 1) / pixels);
}

int streaming_blocks(const NormShape& shape) {
  const std::int64_t vectors = shape.pixels * (shape.channels / kLanes);
  const std::int64_t blocks = (vectors + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < 65536 ? blocks : 65536);
}

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

/// The largest of a block's numbers, for all of its threads.
__device__ float block_max(float value) {
  __shared__ float of_warp[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float largest = of_warp[0];
  for (int i = 1; i < kThreads / 32; ++i) largest = fmaxf(largest, of_warp[i]);
  return largest;
}

/// A block for every row, which it reads twice, the second time from the cache.
__global__ void narrow_rows(const Bf16* x, std::int64_t columns, std::uint8_t* values, float* scales) {
  const std::int64_t vectors = columns / kLanes, first = std::int64_t{blockIdx.x} * vectors;
  float largest = 0;
  for (std::int64_t i = threadIdx.x; i < vectors; i += kThreads) {
    const Vector v = load(x, first + i);
    for (int k = 0; k < kLanes; ++k) largest = fmaxf(largest, fabsf(to_float(v.at[k])));
  }
  const float scale = fmaxf(block_max(largest) / 448.0f, 1e-12f);
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  for (std::int64_t i = threadIdx.x; i < vectors; i += kThreads) {
    const Vector v = load(x, first + i);
    uint2 packed;
    auto* bytes = reinterpret_cast<__nv_fp8_storage_t*>(&packed);
    for (int k = 0; k < kLanes; ++k) {
      bytes[k] = __nv_cvt_float_to_fp8(to_float(v.at[k]) / scale, __NV_SATFINITE, __NV_E4M3);
    }
    reinterpret_cast<uint2*>(values)[first + i] = packed;
  }
}

}  // namespace

bool supported(const NormShape& shape) {
  if (shape.pixels < 1 || shape.channels < kLanes || shape.channels % kLanes != 0) return false;
  return shape.channels / kLanes <= kThreads && kThreads % (shape.channels / kLanes) == 0 && shape.groups > 0 &&
         shape.channels % shape.groups == 0;
}

std::size_t scratch_size(const NormShape& shape) {
  return 2 * static_cast<std::size_t>(reduction_blocks(shape)) * static_cast<std::size_t>(shape.groups);
}

void group_statistics(const Bf16* x, const NormShape& shape, double eps, float* scratch, float* mean, float* rstd,
                      void* stream) {
  const int blocks = reduction_blocks(shape);
  partial_sums<<<blocks, kThreads, 0, as_stream(stream)>>>(Moments{x}, shape, scratch);
  finish_statistics<<<shape.groups, kThreads, 0, as_stream(stream)>>>(scratch, blocks, shape, eps, mean, rstd);
}

void norm_silu(const Bf16* x, const NormShape& shape, const float* mean, const float* rstd, const Bf16* weight,
               const Bf16* bias, Bf16* y, void* stream) {
  const Norm norm{mean, rstd, weight, bias, shape.channels / shape.groups};
  apply_norm_silu<<<streaming_blocks(shape), kThreads, 0, as_stream(stream)>>>(x, shape, norm, y);
}

void norm_silu_backward(const Bf16* x, const Bf16* grad_y, const NormShape& shape, const float* mean, const float* rstd,
                        const Bf16* weight, const Bf16* bias, float* scratch, float* moments, Bf16* grad_x,
                        void* stream) {
  const Norm norm{mean, rstd, weight, bias, shape.channels / shape.groups};
  const int blocks = reduction_blocks(shape);
  partial_sums<<<blocks, kThreads, 0, as_stream(stream)>>>(BackMoments{x, grad_y, norm}, shape, scratch);
  finish_moments<<<shape.groups, kThreads, 0, as_stream(stream)>>>(scratch, blocks, shape, moments);
  apply_backward<<<streaming_blocks(shape), kThreads, 0, as_stream(stream)>>>(x, grad_y, shape, norm, moments, grad_x);
}

void norm_rotate_64(Bf16* x, std::int64_t batch, std::int64_t tokens, int heads, std::int64_t first, const Bf16* weight,
                    const Bf16* bias, double eps, const float* cosines, const float* sines, void* stream) {
  const std::int64_t rows = batch * tokens * heads, per_block = kThreads / 32;
  norm_rotate_pairs<<<static_cast<unsigned>((rows + per_block - 1) / per_block), kThreads, 0, as_stream(stream)>>>(
      x, rows, tokens, heads, first, weight, bias, static_cast<float>(eps), cosines, sines);
}

void rows_to_float8(const Bf16* x, std::int64_t rows, std::int64_t columns, std::uint8_t* values, float* scales,
                    void* stream) {
  narrow_rows<<<static_cast<unsigned>(rows), kThreads, 0, as_stream(stream)>>>(x, columns, values, scales);
}

}  // namespace limber::prior::cuda
