// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "limber/nn/torch_api.h"

/// A device's memory and queue, the same on CPU and GPU.
namespace limber::nn {

/// "cpu", "cuda" or "cuda:1", where there is one; "auto" is the GPU if there is one, else the CPU.
Result<at::Device> device_named(const std::string& name);

/// Bytes the device has in all; 0 where that is unknown.
std::uint64_t device_memory(at::Device device);

/// The queue that a GPU's kernels go to, a cudaStream_t; null elsewhere.
void* current_stream(at::Device device);

/// Waits until everything that was started has finished.
void synchronize(at::Device device);

/// The most bytes that tensors took at once since `reset_peak_memory`. On the CPU the most the process ever took.
std::uint64_t peak_memory(at::Device device);
void reset_peak_memory(at::Device device);

/// Gives memory that is held for reuse back to the device.
void release_cached_memory(at::Device device);

}  // namespace limber::nn
