// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The small maths gives the same answers in a CUDA kernel as on the host.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "limber/base/math.h"
#include "limber/base/rng.h"

namespace limber {
namespace {

/// A chain of most operations, so that each has a part in the result.
LIMBER_HOST_DEVICE Vec3 exercise(const Transform& t, Vec3 p) {
  const Affine a = to_affine(t);
  const Affine b = inverse(a) * translation(cross(p, a.translation));
  const Quat q = slerp(t.rotation, to_quat(to_matrix(rotation_between(normalized(p), Vec3{0, 1, 0}))), 0.3f);
  return rotate(q, b * (a * p)) + decompose(a).scale + cofactor(a.linear) * p;
}

__global__ void exercise_kernel(const Transform* transforms, const Vec3* points, Vec3* results, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) results[i] = exercise(transforms[i], points[i]);
}

TEST(MathCuda, AgreesWithTheHost) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device";
  Rng rng(1);
  const int count = 1000;
  std::vector<Transform> transforms;
  std::vector<Vec3> points;
  const auto random = [&] { return Vec3{float(rng.normal()), float(rng.normal()), float(rng.normal())}; };
  for (int i = 0; i < count; ++i) {
    const Quat q{float(rng.normal()), float(rng.normal()), float(rng.normal()), float(rng.normal())};
    transforms.push_back({random(),
                          normalized(q),
                          {float(rng.uniform(0.5, 2)), float(rng.uniform(0.5, 2)), float(rng.uniform(0.5, 2))}});
    points.push_back(random());
  }

  Transform* device_transforms = nullptr;
  Vec3 *device_points = nullptr, *device_results = nullptr;
  ASSERT_EQ(cudaMalloc(&device_transforms, count * sizeof(Transform)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device_points, count * sizeof(Vec3)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device_results, count * sizeof(Vec3)), cudaSuccess);
  cudaMemcpy(device_transforms, transforms.data(), count * sizeof(Transform), cudaMemcpyHostToDevice);
  cudaMemcpy(device_points, points.data(), count * sizeof(Vec3), cudaMemcpyHostToDevice);
  exercise_kernel<<<(count + 127) / 128, 128>>>(device_transforms, device_points, device_results, count);
  std::vector<Vec3> results(count);
  ASSERT_EQ(cudaMemcpy(results.data(), device_results, count * sizeof(Vec3), cudaMemcpyDeviceToHost), cudaSuccess);
  cudaFree(device_transforms), cudaFree(device_points), cudaFree(device_results);

  for (int i = 0; i < count; ++i) {
    const Vec3 expected = exercise(transforms[i], points[i]);
    EXPECT_LT(norm(results[i] - expected), 1e-4f * (1 + norm(expected)));
  }
}

}  // namespace
}  // namespace limber
