// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The only place that includes LibTorch. The same source builds on Debian's LibTorch 1.13 (CPU) and on 2.x (CUDA):
/// whatever differs between them is here. ATen and autograd only; `torch/torch.h` would triple the time to compile.

#include <ATen/core/ivalue.h>  // first: Clang 14 rejects it in C++20 after other ATen headers
//
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/version.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/result.h"
#include "limber/nn/safetensors.h"

namespace limber::nn {

using at::Tensor;

/// Where a model lives and what it computes in.
struct Placement {
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;

  at::TensorOptions options() const { return at::TensorOptions().device(device).dtype(dtype); }
};

bool cuda_available();

/// The GPU if there is one, else the CPU.
at::Device best_device();

/// bf16 on a GPU; fp32 on a CPU, where LibTorch 1.13 has no fp16 matrix product, and where its bf16 product uses AMX
/// tiles, an illegal instruction in sandboxes that show the feature and do not grant it.
at::ScalarType fast_dtype(at::Device device);

/// softmax(scale q k^T + bias) v over the last two axes; q [..., n, d], k and v [..., m, d], `bias` undefined or
/// broadcastable to [..., n, m] (-inf hides a key). The fused kernel on LibTorch 2.x, else softmax over blocks of
/// queries so that the n x m matrix never exists whole. Differentiable.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Tensor& bias = {});

/// to[i] = from[i], on a GPU by one kernel instead of hundreds where LibTorch has that (2.1).
void copy_each(const std::vector<Tensor>& to, const std::vector<Tensor>& from);

/// The LibTorch type of a stored element, or an error for those it has none for (8-bit floats, wide unsigned).
Result<at::ScalarType> scalar_type(Dtype dtype);
/// The stored type of a tensor; breaks a contract for complex and quantised ones.
Dtype stored_dtype(at::ScalarType type);

/// A tensor over a view, without a copy where it is aligned: use it before the archive goes. CPU.
Result<Tensor> borrow_tensor(const TensorView& view, const std::string& where);
/// A copy of one tensor of an archive in its own type, on the CPU.
Result<Tensor> read_tensor(const TensorArchive& archive, const std::string& name);

/// Tensors by name, in the order in which a model asked for them.
using TensorList = std::vector<std::pair<std::string, Tensor>>;

/// Writes tensors of any device; floating ones are converted to `dtype`, if one is given.
Status save_tensors(const std::filesystem::path& path, const TensorList& tensors,
                    const SafetensorsSettings& settings = {}, at::ScalarType dtype = at::ScalarType::Undefined);

/// Runs `body` and turns an exception of LibTorch (out of memory, a missing kernel) into an Error: for the module edge.
template <class Body>
auto guarded(const std::string& where, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const c10::Error& e) {
    return Error{e.what_without_backtrace(), where};
  } catch (const std::bad_alloc&) {
    return Error{"out of memory", where};
  }
}

}  // namespace limber::nn
