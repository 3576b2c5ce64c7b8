// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/device.h"

#include <sys/resource.h>
#include <unistd.h>

#if defined(LIMBER_TORCH_CUDA)
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

namespace limber::nn {

Result<at::Device> device_named(const std::string& name) {
  if (name == "auto") return best_device();
  if (name == "cpu") return at::Device(at::kCPU);
  if (name.rfind("cuda", 0) != 0) return Error{"no device '" + name + "'; cpu, cuda or cuda:N", ""};
  if (!cuda_available()) return Error{"this build or machine has no GPU", name, ErrorKind::kDevice};
  if (name == "cuda") return at::Device(at::kCUDA, 0);
  return guarded(name, [&]() -> Result<at::Device> { return at::Device(name); });
}

std::uint64_t device_memory(at::Device device) {
#if defined(LIMBER_TORCH_CUDA)
  if (device.is_cuda()) {
    std::size_t free = 0, total = 0;
    const c10::OptionalDeviceGuard here(device);
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? total : 0;
  }
#endif
  if (!device.is_cpu()) return 0;
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

void* current_stream([[maybe_unused]] at::Device device) {
#if defined(LIMBER_TORCH_CUDA)
  if (device.is_cuda()) return c10::cuda::getCurrentCUDAStream(device.index()).stream();
#endif
  return nullptr;
}

void synchronize([[maybe_unused]] at::Device device) {
#if defined(LIMBER_TORCH_CUDA)
  if (device.is_cuda()) c10::cuda::device_synchronize();
#endif
}

std::uint64_t peak_memory([[maybe_unused]] at::Device device) {
#if defined(LIMBER_TORCH_CUDA)
  if (device.is_cuda()) {
    const auto index = device.has_index() ? device.index() : c10::cuda::current_device();
    // Entry 0 is the sum over all pools.
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index);
    return static_cast<std::uint64_t>(stats.allocated_bytes[0].peak);
  }
#endif
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void reset_peak_memory([[maybe_unused]] at::Device device) {
#if defined(LIMBER_TORCH_CUDA)
  if (device.is_cuda()) {
    c10::cuda::CUDACachingAllocator::resetPeakStats(device.has_index() ? device.index() : c10::cuda::current_device());
  }
#endif
}

void release_cached_memory([[maybe_unused]] at::Device device) {
#if defined(LIMBER_TORCH_CUDA)
  if (device.is_cuda()) c10::cuda::CUDACachingAllocator::emptyCache();
#endif
}

}  // namespace limber::nn
